package script

import (
	"cmp"
	"fmt"
	"strings"

	"mqscope/engine/decision"
	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
	"mqscope/engine/step"
)

// expect checks one expectation.
func (r *runner) expect(do any) {
	s := r.world
	switch e := do.(type) {
	case expectTask:
		r.task(e, r.asDecided())
	case expectQueue:
		r.queue(e, r.asDecided())
	case expectLast:
		if !s.At(e.place) {
			last, ok := s.Last(nil)
			if !ok {
				r.fail("nothing was decided yet")
				return
			}
			r.fail("the last one is %s: %s", last.Decision.Line.ID, decision.Words(&last.Decision))
		}
	case expectBroken:
		r.broken(e, s.Broken())
	case expectNow:
		if now := s.Now().Sub(s.Start()); !step.Compare(int64(now), e.how, int64(e.at)) {
			r.fail("it is %s", step.MomentText(now))
		}
	case expectNumber:
		r.number(e)
	case expectFacts:
		t := s.Trace()
		if t.Queue == (mq.MessageQueue{}) {
			r.fail("no task has its turn: say which queue, as in expect queue a/3 if …")
			return
		}
		r.facts(e.facts, r.asDecided(), t.Queue)
	}
}

// asDecided is a snapshot of this moment. A task that was just put back waits already, though the code has not
// come to doing what it decided. Of a recording there is a picture behind each event only.
func (r *runner) asDecided() *snapshot.Snapshot {
	s := r.world.Snapshot()
	if r.reel != nil {
		return s
	}
	last, ok := r.world.Last(nil)
	if d := &last.Decision; ok && d.Then.Do == decision.PutBack && d.Task != 0 {
		wait := func(t *snapshot.Task) {
			if t.ID == d.Task && t.State != snapshot.TaskDelayed {
				t.State, t.Since, t.Due, t.Cause = snapshot.TaskDelayed, d.At, d.At.Add(d.Then.Delay), d.Then.Why
			}
		}
		for i := range s.Sched.Tasks {
			wait(&s.Sched.Tasks[i].Task)
		}
		for i := range s.Queues {
			if s.Queues[i].ID == d.Queue {
				wait(&s.Queues[i].Task)
			}
		}
	}
	return s
}

func (r *runner) number(e expectNumber) {
	switch e.what {
	case "hash":
		if now := r.stepper.Hash(); now != e.n {
			r.fail("the hash is %#x", now)
		}
		return
	case "event":
		if now := r.reel.Event(); !step.Compare(int64(now), e.how, int64(e.n)) {
			r.fail("it is event %d", now)
		}
		return
	}
	if now := r.stepper.Steps(); !step.Compare(int64(now), e.how, int64(e.n)) {
		r.fail("it is step %d", now)
	}
}

func (r *runner) broken(e expectBroken, now []snapshot.Breach) {
	said := make([]string, len(now))
	found := e.id == ""
	for i, b := range now {
		said[i] = b.ID + " (" + b.What + ")"
		found = found || b.ID == e.id
	}
	if !found || e.id == "" && len(now) > 0 {
		r.fail("broken are %s", cmp.Or(strings.Join(said, ", "), "none"))
	}
}

func (r *runner) task(e expectTask, s *snapshot.Snapshot) {
	var t *snapshot.SchedTask
	for i := range s.Sched.Tasks {
		if s.Sched.Tasks[i].ID == e.task {
			t = &s.Sched.Tasks[i]
		}
	}
	switch {
	case t == nil && e.state == "gone":
	case t == nil:
		r.fail("there is no task %d", e.task)
	case e.facts != nil:
		v := map[string]any{}
		if q, _ := find(s, t.Queue); q != nil {
			v = queueValues(q, s.At)
		}
		taskValues(v, &t.Task, s.At)
		r.holds(e.facts, v)
	case t.State.String() != e.state:
		r.fail("it is %s", describe(t, s))
	case e.in != nil && t.Due.Sub(s.At) != *e.in:
		r.fail("it is %s", describe(t, s))
	}
}

// describe says where a task is.
func describe(t *snapshot.SchedTask, s *snapshot.Snapshot) string {
	text := t.State.String()
	if t.State == snapshot.TaskDelayed {
		text += " " + t.Due.Sub(s.At).String()
	}
	if t.Cause != "" {
		text += ", why " + string(t.Cause)
	}
	return text
}

func (r *runner) queue(e expectQueue, s *snapshot.Snapshot) {
	q, why := find(s, e.queue)
	if q == nil {
		r.fail("%s", why)
		return
	}
	v := queueValues(q, s.At)
	if e.facts != nil {
		r.holds(e.facts, v)
		return
	}
	switch now := v[e.name].(type) {
	case int:
		if !step.Compare(int64(now), e.how, e.n) {
			r.fail("it is %d", now)
		}
	case string:
		if (now == e.word) != (e.how == "==") {
			r.fail("it is %q", now)
		}
	default:
		r.fail("%s is not known", e.name)
	}
}

func (r *runner) facts(f *step.Facts, s *snapshot.Snapshot, of mq.MessageQueue) {
	q, why := find(s, of)
	if q == nil {
		r.fail("%s", why)
		return
	}
	r.holds(f, queueValues(q, s.At))
}

// holds fails with the values that a condition saw.
func (r *runner) holds(f *step.Facts, v map[string]any) {
	ok, missing := f.Hold(v)
	if missing != "" {
		r.fail("%s is not known", missing)
		return
	}
	if ok {
		return
	}
	saw := make([]string, 0, len(f.Uses()))
	for _, name := range f.Uses() {
		saw = append(saw, fmt.Sprintf("%s is %v", name, v[name]))
	}
	r.fail("%s", cmp.Or(strings.Join(saw, ", "), "it never is"))
}
