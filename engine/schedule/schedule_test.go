package schedule

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

const ms = time.Millisecond

var start = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)

// step is one event at a time after the start, and what it must lead to: the turns in their
// order, as "queue@offset", and other actions in words.
type step struct {
	at   time.Duration
	e    event.Event
	want string
}

func q(id int32) mq.MessageQueue {
	return mq.MessageQueue{Topic: "t", BrokerName: fmt.Sprintf("b%d", id%2), QueueID: id}
}

func assigned(id int32, epoch uint64, delay time.Duration) event.Event {
	return event.QueueAssigned{Queue: q(id), Epoch: epoch, Start: 100, Delay: delay}
}

func back(id int32, epoch uint64, next int64, delay time.Duration, cause event.Cause) event.Event {
	return event.PutBack{Queue: q(id), Epoch: epoch, Next: next, Delay: delay, Cause: cause}
}

func sent(id int32, epoch uint64) event.Event {
	return event.PullSent{Queue: q(id), Epoch: epoch, Hold: 15 * time.Second}
}

func words(actions []Action) string {
	var all []string
	for _, a := range actions {
		switch a := a.(type) {
		case Turn:
			all = append(all, fmt.Sprintf("%d@%d", a.Request.Queue.QueueID, a.Request.Next))
		case event.Entry:
			all = append(all, fmt.Sprintf("%v %d: %s", a.Level, a.Queue.QueueID, a.What))
		default:
			all = append(all, fmt.Sprintf("unknown action %#v", a))
		}
	}
	return strings.Join(all, ", ")
}

func play(t *testing.T, s *Schedule, script []step) {
	t.Helper()
	for i, step := range script {
		if diff := cmp.Diff(step.want, words(s.Step(start.Add(step.at), step.e))); diff != "" {
			t.Fatalf("step %d, %T at %v (-want +got):\n%s", i+1, step.e, step.at, diff)
		}
	}
}

func TestS2RequestsAreDueAtOnceOrLater(t *testing.T) {
	const none, exception = event.CauseNone, event.CauseException
	tests := []struct {
		name   string
		script []step
		due    time.Duration // next, 0 for never
	}{
		{
			name: "a new queue has its turn after its delay",
			script: []step{
				{0, assigned(1, 1, 500*ms), ""},
				{499 * ms, event.Tick{}, ""},
				{500 * ms, event.Tick{}, "1@100"},
			},
			due: 500*ms + 35*time.Second,
		},
		{
			name: "a request that is put back without delay goes on at once, from its next offset",
			script: []step{
				{0, assigned(1, 1, 0), "1@100"},
				{1 * ms, sent(1, 1), ""},
				{2 * ms, back(1, 1, 132, 0, none), "1@132"},
			},
			due: 2*ms + 35*time.Second,
		},
		{
			name: "equal due times have their turns in the order they came, earlier ones before",
			script: []step{
				{0, assigned(3, 1, 20*ms), ""},
				{0, assigned(1, 2, 20*ms), ""},
				{0, assigned(2, 3, 10*ms), ""},
				{10 * ms, assigned(4, 4, 10*ms), "2@100"},
				{20 * ms, assigned(5, 5, 0), "3@100, 1@100, 4@100, 5@100"},
			},
			due: 10*ms + 35*time.Second,
		},
		{
			name: "what belongs to an earlier assignment is ignored",
			script: []step{
				{0, assigned(1, 1, 0), "1@100"},
				{1 * ms, event.QueueRevoked{Queue: q(1), Epoch: 1}, ""},
				{2 * ms, assigned(1, 2, 10*ms), ""},
				{3 * ms, back(1, 1, 132, 0, none), ""},
				{4 * ms, event.RequestDied{Queue: q(1), Epoch: 1}, ""},
				{5 * ms, event.QueueRevoked{Queue: q(1), Epoch: 1}, ""},
				{6 * ms, assigned(1, 1, 0), ""},
				{7 * ms, sent(1, 1), ""},
				{12 * ms, event.Tick{}, "1@100"},
			},
			due: 12*ms + 35*time.Second,
		},
		{
			name: "a new assignment ends the request of one that was never revoked",
			script: []step{
				{0, assigned(1, 1, 10*ms), ""},
				{1 * ms, assigned(1, 2, 20*ms), ""},
				{10 * ms, event.Tick{}, ""},
				{21 * ms, event.Tick{}, "1@100"},
			},
			due: 21*ms + 35*time.Second,
		},
		{
			name: "P17: a revoked queue has no turn any more, wherever its request was",
			script: []step{
				{0, assigned(1, 1, 0), "1@100"},
				{0, assigned(2, 2, 10*ms), ""},
				{1 * ms, event.QueueRevoked{Queue: q(1), Epoch: 1}, ""},
				{1 * ms, event.QueueRevoked{Queue: q(2), Epoch: 2}, ""},
				{2 * ms, back(1, 1, 132, 0, none), ""},
				{time.Hour, event.Tick{}, ""},
			},
		},
		{
			name: "a request that died does not come back",
			script: []step{
				{0, assigned(1, 1, 0), "1@100"},
				{1 * ms, event.RequestDied{Queue: q(1), Epoch: 1}, ""},
				{2 * ms, back(1, 1, 132, 0, none), ""},
				{time.Hour, event.Tick{}, ""},
			},
		},
		{
			name: "a request that is waiting is not put back a second time",
			script: []step{
				{0, assigned(1, 1, 0), "1@100"},
				{1 * ms, back(1, 1, 132, 50*ms, exception), ""},
				{2 * ms, back(1, 1, 164, 0, none), ""},
				{3 * ms, sent(1, 1), ""},
				{51 * ms, event.Tick{}, "1@132"},
			},
			due: 51*ms + 35*time.Second,
		},
		{
			name: "freed room wakes the queue that waits for it, not one that waits for something else",
			script: []step{
				{0, assigned(1, 1, 0), "1@100"},
				{0, assigned(3, 2, 0), "3@100"},
				{0, back(1, 1, 100, 50*ms, event.CauseFlowCount), ""},
				{0, back(3, 2, 100, time.Second, exception), ""},
				{1 * ms, event.Woken{Queue: q(1), Causes: []event.Cause{event.CauseFlowCount, event.CauseFlowSize}}, "1@100"},
				{1 * ms, event.Woken{Queue: q(3), Causes: []event.Cause{event.CauseFlowCount}}, ""},
				{1 * ms, event.Woken{Queue: q(9)}, ""},
				{1 * ms, event.Woken{Queue: q(1)}, ""},
			},
			due: time.Second,
		},
		{
			name: "a broker that is back wakes its queues in the order of their due times",
			script: []step{
				{0, assigned(1, 1, 0), "1@100"},
				{0, assigned(2, 2, 0), "2@100"},
				{0, assigned(3, 3, 0), "3@100"},
				{0, assigned(5, 4, 0), "5@100"},
				{0, back(1, 1, 100, 900*ms, exception), ""},
				{0, back(2, 2, 100, 900*ms, exception), ""},
				{0, back(3, 3, 100, 800*ms, exception), ""},
				{0, back(5, 4, 100, 900*ms, exception), ""},
				{1 * ms, event.Woken{BrokerName: "b1", Causes: []event.Cause{exception}}, "3@100, 1@100, 5@100"},
			},
			due: 900 * ms,
		},
		{
			name: "a wake-up without names wakes all that wait",
			script: []step{
				{0, assigned(1, 1, 500*ms), ""},
				{0, assigned(2, 2, 400*ms), ""},
				{1 * ms, event.Woken{}, "2@100, 1@100"},
			},
			due: 1*ms + 35*time.Second,
		},
		{
			name: "a negative delay is none",
			script: []step{
				{0, assigned(1, 1, -time.Second), "1@100"},
			},
			due: 35 * time.Second,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := New()
			play(t, s, tt.script)
			at, ok := s.NextDue()
			if got := at.Sub(start); ok != (tt.due != 0) || (ok && got != tt.due) {
				t.Errorf("next due %v (%v), want %v", got, ok, tt.due)
			}
		})
	}
}

func TestP28LostRequestIsMadeDueAgain(t *testing.T) {
	const lost = "warn 1: no answer to the pull at offset 100 for "
	play(t, New(), []step{
		{0, assigned(1, 1, 0), "1@100"},
		{time.Second, sent(1, 1), ""},
		{51*time.Second - 1, event.Tick{}, ""}, // 15 s of hold, 30 s of timeout, 5 s more
		{51 * time.Second, event.Tick{}, lost + "50s: taken for lost, pulled again, 1@100"},
		{52 * time.Second, sent(1, 1), ""},
		{53 * time.Second, back(1, 1, 132, time.Second, event.CauseException), ""}, // the first pull, after all
		{53 * time.Second, back(1, 1, 132, 0, event.CauseNone), ""},                // the second
		{54 * time.Second, event.Tick{}, "1@132"},
	})
}

func TestP29TurnThatNobodyTookIsGivenAgain(t *testing.T) {
	play(t, New(), []step{
		{0, assigned(1, 1, 0), "1@100"},
		{35*time.Second - 1, event.Tick{}, ""},
		{35 * time.Second, event.Tick{}, "warn 1: no answer to the pull at offset 100 for 35s: taken for lost, pulled again, 1@100"},
		{70 * time.Second, event.Tick{}, "warn 1: no answer to the pull at offset 100 for 35s: taken for lost, pulled again, 1@100"},
	})
}

func TestAWakeUpKeepsTheOrderOfDueTimes(t *testing.T) {
	s := New()
	delays := []time.Duration{7, 3, 9, 1, 8, 2, 6, 4, 5, 0}
	for i, d := range delays {
		s.Step(start, assigned(int32(i), uint64(i)+1, (d+1)*ms))
	}
	play(t, s, []step{{0, event.Woken{}, "9@100, 3@100, 5@100, 1@100, 7@100, 8@100, 6@100, 0@100, 4@100, 2@100"}})
}

func TestALongerCallTimeoutIsWaitedFor(t *testing.T) {
	s := New()
	s.CallTimeout = time.Minute
	play(t, s, []step{
		{0, assigned(1, 1, 0), "1@100"},
		{0, sent(1, 1), ""},
		{80*time.Second - 1, event.Tick{}, ""},
		{80 * time.Second, event.Tick{}, "warn 1: no answer to the pull at offset 100 for 1m20s: taken for lost, pulled again, 1@100"},
	})
}

func TestTaskPicture(t *testing.T) {
	s := New()
	at := func(d time.Duration) time.Time { return start.Add(d) }
	tests := []struct {
		name string
		step step
		want snapshot.Task
	}{
		{
			name: "a new queue is delayed because it was assigned",
			step: step{0, assigned(1, 1, 500*ms), ""},
			want: snapshot.Task{ID: 1, State: snapshot.TaskDelayed, Due: at(500 * ms), Cause: event.CauseAssigned, Since: at(0)},
		},
		{
			name: "a request that had its turn is running",
			step: step{500 * ms, event.Tick{}, "1@100"},
			want: snapshot.Task{ID: 1, State: snapshot.TaskRunning, Since: at(500 * ms)},
		},
		{
			name: "a pull that was sent is running since then",
			step: step{501 * ms, sent(1, 1), ""},
			want: snapshot.Task{ID: 1, State: snapshot.TaskRunning, Since: at(501 * ms)},
		},
		{
			name: "a pull that is out for long is parked at its broker, since it was sent",
			step: step{701 * ms, event.Tick{}, ""},
			want: snapshot.Task{ID: 1, State: snapshot.TaskParked, Since: at(501 * ms)},
		},
		{
			name: "a request that was put back names the cause",
			step: step{800 * ms, back(1, 1, 132, 50*ms, event.CauseFlowSpan), ""},
			want: snapshot.Task{ID: 1, State: snapshot.TaskDelayed, Due: at(850 * ms), Cause: event.CauseFlowSpan, Since: at(800 * ms)},
		},
		{
			name: "a request that died is none",
			step: step{810 * ms, event.RequestDied{Queue: q(1), Epoch: 1}, ""},
			want: snapshot.Task{},
		},
		{
			name: "the next assignment has the next id",
			step: step{820 * ms, assigned(1, 2, 0), "1@100"},
			want: snapshot.Task{ID: 2, State: snapshot.TaskRunning, Since: at(820 * ms)},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			play(t, s, []step{tt.step})
			if diff := cmp.Diff(tt.want, s.Task(q(1))); diff != "" {
				t.Errorf("task (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAPullThatBecomesParkedIsDueThen(t *testing.T) {
	s := New()
	play(t, s, []step{{0, assigned(1, 1, 0), "1@100"}, {0, sent(1, 1), ""}})
	if at, _ := s.NextDue(); !at.Equal(start.Add(200 * ms)) {
		t.Errorf("due after %v, want 200ms", at.Sub(start))
	}
	play(t, s, []step{{200 * ms, event.Tick{}, ""}})
	if at, _ := s.NextDue(); !at.Equal(start.Add(50 * time.Second)) {
		t.Errorf("due after %v, want 50s", at.Sub(start))
	}
}

func TestAPullWithoutHoldIsNeverParked(t *testing.T) {
	s := New()
	play(t, s, []step{
		{0, assigned(1, 1, 0), "1@100"},
		{0, event.PullSent{Queue: q(1), Epoch: 1}, ""},
		{10 * time.Second, event.Tick{}, ""},
	})
	if got := s.Task(q(1)).State; got != snapshot.TaskRunning {
		t.Errorf("state %v, want running", got)
	}
}
