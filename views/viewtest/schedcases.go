package viewtest

import (
	"math/rand/v2"
	"strconv"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/snapshot"
	"mqscope/views"
)

// SchedCases are the situations of the Scheduler screen; the names of actions are its own.
func SchedCases(history, lesson, line []views.Event) []ScreenCase {
	empty := Empty()
	empty.Sched.Known = true
	hostile := Wrong(Hostile())
	hostileSched(&hostile.Sched)
	partial := Tasks(Partial())
	for i := range partial.Sched.Tasks {
		if t := &partial.Sched.Tasks[i]; t.Queue.BrokerName == "broker-b" {
			t.State, t.Cause, t.Due, t.Next = snapshot.TaskDelayed, "exception", Now().Add(time.Duration(i)*90*time.Millisecond), -1
		}
	}
	cases := Screens(
		Case{Name: "normal", Snap: Tasks(Normal())},
		Case{Name: "stepping", Snap: Stepped(Normal(), 6)},
		Case{Name: "hit", Snap: Hit(Normal())},
		Case{Name: "wrong", Snap: Wrong(Normal())},
		Case{Name: "running", Snap: between(Normal())},
		Case{Name: "driven", Snap: Driven(Normal())},
		Case{Name: "lesson", Snap: Taught(Normal())},
		Case{Name: "fresh", Snap: fresh()},
		Case{Name: "empty", Snap: empty},
		Case{Name: "not-known", Snap: Normal()},
		Case{Name: "loading", Waited: time.Second},
		Case{Name: "partial", Snap: partial},
		Case{Name: "stale", Snap: Tasks(Stale())},
		Case{Name: "error", Snap: Driven(Failing())},
		Case{Name: "huge", Snap: hugeSched()},
		Case{Name: "cjk", Snap: Stepped(CJK(), 8)},
		Case{Name: "hostile", Snap: hostile},
		Case{Name: "many", Snap: ManyTasks(1)},
	)
	return append(cases,
		ScreenCase{Case{Name: "history", Snap: Hit(Normal())}, history},
		ScreenCase{Case{Name: "lesson-read", Snap: Taught(Normal())}, lesson},
		ScreenCase{Case{Name: "line", Snap: Stepped(Normal(), 8)}, line},
	)
}

func hugeSched() *snapshot.Snapshot {
	s := Stepped(Huge(), 8)
	d := &s.Sched
	d.Start = s.At.Add(-9000 * time.Hour)
	for i := range d.Tasks {
		t := &d.Tasks[i]
		if t.Next = 1<<63 - 1 - int64(i); i%3 == 0 {
			t.ID, t.Due, t.State, t.Cause = 1<<64-1-uint64(i), s.At.Add(700*time.Hour), snapshot.TaskDelayed, "paused"
		}
	}
	d.Steps, d.Newest = 1<<63, 1<<64-1
	for i := range d.Breakpoints {
		d.Breakpoints[i].Hits = 1<<64 - 1
	}
	return s
}

// hostileSched puts a text that attacks terminals wherever one comes from outside.
func hostileSched(d *snapshot.Sched) {
	p := Payloads()
	n := 0
	next := func() string { n++; return p[n%len(p)] }
	for i := range d.Tasks {
		d.Tasks[i].Queue.Topic = next()
		if i%4 == 0 {
			d.Tasks[i].Wrong, d.Tasks[i].Cause = next(), snapshot.Cause(next())
		}
	}
	l := decision.Line{ID: "x", Words: "text {name}", Text: "name"}
	for i := range d.History {
		d.History[i].Decision.Line, d.History[i].Decision.Text = &l, next()
	}
	for i := range d.Breakpoints {
		d.Breakpoints[i] = snapshot.Breakpoint{Name: next(), Words: next(), Condition: next(), Note: next()}
	}
	d.Hit.Why, d.Broken[0].What, d.Broken[0].ID = next(), next(), next()
	d.Outside = []snapshot.Lease{{What: next(), Until: Now().Add(time.Second)}}
	d.Marks = []snapshot.StepMark{{Step: d.Steps, What: next(), Change: true}}
}

// ManyTasks are 4,096 pull tasks of a stepped consumer.
func ManyTasks(seq uint64) *snapshot.Snapshot {
	s := Stepped(Many(4096, seq), 8)
	s.At = s.At.Add(time.Duration(seq-1) * 50 * time.Millisecond)
	d := &s.Sched
	d.History = d.History[len(d.History)-512:]
	rng := rand.New(rand.NewPCG(11, seq))
	for i := range d.Tasks {
		t := &d.Tasks[i]
		if t.Current || t.Held {
			continue
		}
		switch rng.IntN(5) {
		case 0:
			t.State, t.Due, t.Cause = snapshot.TaskDelayed, s.At.Add(time.Duration(rng.IntN(50))*time.Millisecond), "flow:count"
		case 1:
			t.State, t.Due, t.Cause = snapshot.TaskDelayed, s.At.Add(time.Duration(rng.IntN(1000))*time.Millisecond), "paused"
		}
	}
	sortTasks(d)
	return s
}

// sched gives s tasks, decisions and all else of all kinds.
func (r *dice) sched(s *snapshot.Snapshot) {
	d := &s.Sched
	if r.n(5) == 0 {
		return
	}
	*d = snapshot.Sched{Known: r.n(8) > 0, Stepping: r.n(3) > 0, Drives: r.maybe(), Start: r.time(), Pace: r.duration(), Running: r.yes(),
		Steps: r.rng.Uint64(), Newest: r.rng.Uint64(), Hit: snapshot.SchedHit{Step: uint64(r.small()), Why: r.maybe(), Bad: r.yes()}}
	for range r.n(60) {
		q := r.queueID()
		if len(s.Queues) > 0 && r.yes() {
			q = s.Queues[r.n(len(s.Queues))].ID
		}
		t := snapshot.SchedTask{Task: snapshot.Task{ID: uint64(r.small()), State: snapshot.TaskState(r.n(5)), Due: r.time(), Since: r.time()},
			Queue: q, Next: r.int(), Dropped: r.n(6) == 0, Break: r.yes(), Current: r.n(9) == 0, Held: r.n(6) == 0, Count: r.small()}
		if r.yes() {
			t.Cause, t.Due = snapshot.Cause(r.text()), s.At.Add(time.Duration(r.n(4000))*time.Millisecond)
		}
		if r.n(6) == 0 {
			t.Wrong = r.text()
		}
		d.Tasks = append(d.Tasks, t)
	}
	l := lines()
	all := []*decision.Line{l.take, l.dropped, l.count, l.size, l.span, l.send, l.pass, nil, {ID: r.text(), Words: r.text() + "{x} {queue} {", Text: "x"}}
	step := uint64(r.small())
	for range r.n(80) {
		step += uint64(r.n(3))
		x := decision.Decision{Line: all[r.n(len(all))], At: r.time(), Queue: r.queueID(), Task: uint64(r.small()), Yes: r.yes(), Text: r.text(),
			Then: decision.Then{Do: decision.Do(r.n(5)), Delay: r.duration(), Why: snapshot.Cause(r.text())}}
		for i := range x.N {
			x.N[i] = r.int()
		}
		d.History = append(d.History, snapshot.TraceLine{Step: step, Decision: x, Break: r.n(4) == 0})
	}
	if r.yes() {
		d.Current = snapshot.SchedTrace{Task: uint64(r.small()), Queue: r.queueID(), Done: r.yes(), Lines: d.History[r.n(len(d.History)+1):]}
	}
	for range r.n(5) {
		d.Breakpoints = append(d.Breakpoints, snapshot.Breakpoint{Name: r.maybe(), Words: r.text(), Condition: r.maybe(), Note: r.maybe(),
			Hits: r.rng.Uint64(), After: uint64(r.small()), Off: r.yes(), Queue: r.queueID()})
		d.Outside = append(d.Outside, snapshot.Lease{What: r.text(), Until: r.time()})
		d.Marks = append(d.Marks, snapshot.StepMark{Step: step - uint64(r.n(40)), What: r.text(), Change: r.yes()})
	}
	for range max(r.n(6)-3, 0) {
		d.Broken = append(d.Broken, snapshot.Breach{ID: r.text(), What: r.text()})
	}
	if r.n(3) == 0 {
		d.Lesson = &snapshot.Lesson{Number: r.small(), Of: r.small(), Name: r.text(), Title: r.text(),
			Text: []string{r.text(), strconv.Itoa(r.small()) + " " + r.text()}, Goals: []snapshot.Goal{{What: r.text(), Reached: r.yes(), Step: uint64(r.small())}}}
	}
}
