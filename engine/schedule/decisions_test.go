package schedule

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/mq"
)

// told keeps decisions.
type told struct{ list []decision.Decision }

func (s *told) Decided(d *decision.Decision) { s.list = append(s.list, *d) }

// take returns what was decided since the last call, as words.
func (s *told) take() []string {
	var out []string
	for _, d := range s.list {
		out = append(out, d.Line.ID+": "+decision.Words(&d))
	}
	s.list = nil
	return out
}

func (s *told) expect(t *testing.T, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, s.take()); diff != "" {
		t.Errorf("decisions (-want +got):\n%s", diff)
	}
}

func recorder(s *told) *decision.Recorder {
	r := decision.NewRecorder("me", func() time.Time { return start })
	r.Watch(s)
	return r
}

// takeAll takes up the turns that a step gave.
func takeAll(s *Schedule, actions []Action) {
	for _, a := range actions {
		if turn, ok := a.(Turn); ok {
			s.Taken(turn.Request)
		}
	}
}

func TestTheWaysOfARequestAreRecorded(t *testing.T) {
	s, seen := New(), &told{}
	s.Decisions = recorder(seen)
	step := func(at time.Duration, e event.Event) { takeAll(s, s.Step(start.Add(at), e)) }

	step(0, assigned(1, 1, 500*ms))
	seen.expect(t, "pull.enqueued: request #1 waits, pulls next from 100 → put back +500ms, why assigned")
	step(510*ms, event.Tick{})
	seen.expect(t, "pull.taken: take #1 from ready, pulls from 100, 10ms behind its due time")
	step(510*ms, back(1, 1, 100, 50*ms, event.CauseFlowSpan))
	seen.expect(t, "pull.enqueued: request #1 waits, pulls next from 100 → put back +50ms, why flow:span")
	step(520*ms, event.Woken{Queue: q(1), By: "room"})
	seen.expect(t, "pull.woken: request #1 is due now, 40ms early: room",
		"pull.taken: take #1 from ready, pulls from 100, 0s behind its due time")
	step(520*ms, sent(1, 1))
	step(800*ms, event.Tick{})
	seen.expect(t, "pull.parked: request #1 is out for 280ms: its broker holds it")
	step(time.Minute+520*ms, event.Tick{})
	seen.expect(t, "pull.lost: no answer for 1m to the pull from 100: taken for lost, pulled again",
		"pull.taken: take #1 from ready, pulls from 100, 0s behind its due time")
	step(61*time.Second, back(1, 1, 132, 0, event.CauseNone))
	seen.expect(t, "pull.enqueued: request #1 waits, pulls next from 132 → put back at once",
		"pull.taken: take #1 from ready, pulls from 132, 0s behind its due time")
	step(61*time.Second, back(1, 1, 164, time.Second, event.CauseException))
	seen.take()
	step(61*time.Second, back(1, 1, 196, 0, event.CauseNone))
	seen.expect(t, "pull.second: request #1 is here already: a second one, to pull from 196, is not let in → the rest is left out")
	step(61*time.Second, back(1, 7, 196, 0, event.CauseNone)) // of no assignment
	seen.expect(t)
}

func TestTheEndsOfRequestsAreRecorded(t *testing.T) {
	s, seen := New(), &told{}
	s.Decisions = recorder(seen)
	for id := range int32(3) {
		s.Step(start, assigned(id, 1, time.Second))
	}
	seen.take()
	s.Step(start, event.RequestDied{Queue: q(0), Epoch: 1})
	seen.expect(t, "pull.died: request #1 is over: its queue was dropped → the request ends")
	s.Step(start, event.QueueRevoked{Queue: q(1), Epoch: 1, Why: event.RevokedByRebalance})
	seen.expect(t, "pull.died: request #2 is over: given up: "+event.RevokedByRebalance.String()+" → the request ends")
	s.Step(start, assigned(2, 2, time.Second))
	seen.expect(t, "pull.died: request #3 is over: its queue was assigned again → the request ends",
		"pull.enqueued: request #4 waits, pulls next from 100 → put back +1s, why assigned")
	s.Step(start, event.RequestDied{Queue: q(0), Epoch: 1}) // it is over already
	seen.expect(t)
}

// Whoever is told of a decision may look: what was decided is so by then.
func TestADecisionIsToldWhenItIsSo(t *testing.T) {
	s := New()
	s.Decisions = decision.NewRecorder("me", time.Now)
	var due []time.Duration
	s.Decisions.Watch(sinkFunc(func(d *decision.Decision) {
		for _, h := range s.Tasks() {
			if h.Request.ID != d.Task {
				t.Errorf("%s is about task %d, there is %d", d.Line.ID, d.Task, h.Request.ID)
			}
			if d.Line == decision.PullEnqueued {
				due = append(due, h.Task.Due.Sub(start))
			}
		}
	}))
	s.Step(start, assigned(1, 1, 500*ms))
	s.Step(start.Add(time.Second), event.Tick{})
	s.Step(start.Add(time.Second), back(1, 1, 100, 50*ms, event.CauseFlowCount))
	if diff := cmp.Diff([]time.Duration{500 * ms, 1050 * ms}, due); diff != "" {
		t.Errorf("due times (-want +got):\n%s", diff)
	}
}

type sinkFunc func(d *decision.Decision)

func (f sinkFunc) Decided(d *decision.Decision) { f(d) }

func watchedTable(model mq.MessageModel, threads int) (*Table, *told) {
	table, seen := NewTable(model, threads), &told{}
	table.Decisions = recorder(seen)
	return table, seen
}

func TestTheTurnOfATaskIsRecorded(t *testing.T) {
	table, seen := watchedTable(mq.Clustering, 20)
	table.Register("A")
	table.Register("A")
	seen.expect(t, "task.registered: callback of A registered, replaces one: no, 1 topics have one",
		"task.registered: callback of A registered, replaces one: yes, 1 topics have one")
	changed(t, table, 0, 0)
	name := "A/" + tasksOf(0)[0].BrokerName + "/0"
	seen.expect(t, "task.listener: queues of A changed: broadcasting no, 1 of 0 are mine, 1 chosen",
		"task.put: putTask of A: 1 queues, 0 tasks in the table",
		"task.created: task #1 of "+name+" made, due at once",
		"task.picked: a thread takes task #1 of "+name+", 0s behind its due time, 0 of 20 run",
		"task.check-1: task #1 cancelled ?  no",
		"task.callback: callback of A found ?  yes",
		"task.overlap: cancelled task #0 of the queue still is in its callback ?  no",
		"task.context: context made, next delay 200ms")
	table.Returned(at(70), id(0, 1), 100*time.Millisecond, nil)
	seen.expect(t, "task.returned: doPullTask of #1 over after 70ms, run 1",
		"task.threw: it threw, 0 in a row, delay 100ms ?  no",
		"task.check-2: task #1 cancelled meanwhile ?  no",
		"task.again: pool takes task #1 again ?  YES → put back +100ms, why pull interval")
	table.Tick(at(180))
	seen.expect(t, "task.picked: a thread takes task #1 of "+name+", 10ms behind its due time, 0 of 20 run",
		"task.check-1: task #1 cancelled ?  no", "task.callback: callback of A found ?  yes",
		"task.overlap: cancelled task #0 of the queue still is in its callback ?  no",
		"task.context: context made, next delay 200ms")
	table.Returned(at(200), id(0, 1), 100*time.Millisecond, errThrown)
	seen.expect(t, "task.returned: doPullTask of #1 over after 20ms, run 2",
		"task.threw: it threw, 1 in a row, delay 1s ?  yes: thrown",
		"task.check-2: task #1 cancelled meanwhile ?  no",
		"task.again: pool takes task #1 again ?  YES → put back +1s, why exception")
}

func TestTheEndsOfTasksAreRecorded(t *testing.T) {
	table, seen := watchedTable(mq.Clustering, 20)
	table.Register("A")
	name := "A/" + tasksOf(0)[0].BrokerName + "/0"
	changed(t, table, 0, 0)
	seen.take()
	changed(t, table, 10) // its queue is taken away while it is in its callback
	seen.expect(t, "task.listener: queues of A changed: broadcasting no, 0 of 0 are mine, 0 chosen",
		"task.put: putTask of A: 0 queues, 1 tasks in the table",
		"task.cancelled: task #1 of "+name+" cancelled while in its callback, out of the table")
	changed(t, table, 20, 0) // and given back
	seen.expect(t, "task.listener: queues of A changed: broadcasting no, 1 of 0 are mine, 1 chosen",
		"task.put: putTask of A: 1 queues, 0 tasks in the table",
		"task.created: task #2 of "+name+" made, due at once",
		"task.picked: a thread takes task #2 of "+name+", 0s behind its due time, 1 of 20 run",
		"task.check-1: task #2 cancelled ?  no", "task.callback: callback of A found ?  yes",
		"task.overlap: cancelled task #1 of the queue still is in its callback ?  yes",
		"task.context: context made, next delay 200ms")
	table.Returned(at(30), id(0, 1), 0, nil)
	seen.expect(t, "task.returned: doPullTask of #1 over after 30ms, run 1", "task.threw: it threw, 0 in a row, delay 0s ?  no",
		"task.check-2: task #1 cancelled meanwhile ?  YES → the task ends",
		"task.ended: task #1 of "+name+": cancelled after, still in the table: no → the task ends")
	table.Returned(at(40), id(0, 2), time.Second, nil)
	seen.take()
	changed(t, table, 50)
	seen.take()
	table.Tick(at(2000))
	seen.expect(t, "task.picked: a thread takes task #2 of "+name+", 960ms behind its due time, 0 of 20 run",
		"task.check-1: task #2 cancelled ?  YES → the task ends",
		"task.ended: task #2 of "+name+": cancelled before, still in the table: no → the task ends")

	changed(t, table, 3000, 0)
	table.Unregister("A")
	table.Returned(at(3000), id(0, 3), 0, nil)
	got := seen.take()
	want := []string{
		"task.callback: callback of A found ?  NO → the task ends",
		"task.ended: task #3 of " + name + ": no callback, still in the table: yes → the task ends",
	}
	if diff := cmp.Diff(want, got[len(got)-2:]); diff != "" {
		t.Errorf("without a callback (-want +got):\n%s", diff)
	}
}

func TestTheEndOfThePoolIsRecorded(t *testing.T) {
	table, seen := watchedTable(mq.Broadcasting, 1)
	table.Register("A")
	if _, err := table.Changed(at(0), "A", tasksOf(0, 1), nil); err != nil {
		t.Fatal(err)
	}
	if got := seen.take()[1]; got != "task.listener: queues of A changed: broadcasting yes, 0 of 2 are mine, 2 chosen" {
		t.Error(got)
	}
	table.Stop()
	seen.expect(t, "task.pool-stopped: pool stopped: 1 tasks wait, they run once more: yes; 1 callbacks run")
	name := "A/" + tasksOf(0)[0].BrokerName + "/0"
	table.Returned(at(5), id(0, 1), time.Second, nil)
	if diff := cmp.Diff([]string{
		"task.again: pool takes task #1 again ?  NO → the task ends",
		"task.ended: task #1 of " + name + ": rejected, still in the table: yes → the task ends",
	}, seen.take()[3:5]); diff != "" {
		t.Errorf("decisions (-want +got):\n%s", diff)
	}
	if _, err := table.Changed(at(6), "A", tasksOf(0, 1, 2), nil); err == nil {
		t.Error("a stopped pool takes tasks")
	}
	got := seen.take()
	if want := "task.create-rejected: task #3 of A/" + tasksOf(2)[0].BrokerName + "/2 made, the stopped pool rejects it: it stays in the table → the task ends"; got[len(got)-1] != want {
		t.Errorf("got  %s\nwant %s", got[len(got)-1], want)
	}
	table.StopNow()
	seen.expect(t, "task.pool-stopped: pool stopped: 0 tasks wait, they run once more: no; 1 callbacks run")
	table.Unregister("A")
	seen.expect(t, "task.unregistered: callback of A removed, 0 topics have one")
}
