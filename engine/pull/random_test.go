package pull

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/mq"
)

func randomTurn(r *rand.Rand, next int64) Turn {
	return turnAt(next, func(t *Turn) {
		t.Dropped = r.IntN(40) == 0
		t.Running = r.IntN(10) > 0
		t.Paused = r.IntN(10) == 0
		t.Subscribed = r.IntN(10) > 0
		t.CommitOffset = r.Int64N(20) - 2
		t.Load = Load{Count: r.IntN(1100), Bytes: r.Int64N(110 << 20), Span: r.Int64N(2200)}
	})
}

func randomAnswer(r *rand.Rand, asked int64) event.PullDone {
	d := done(mq.PullStatus(r.IntN(5)), asked+r.Int64N(60)-20)
	d.Offset = asked
	d.Min, d.Max = r.Int64N(50)-1, r.Int64N(500)-1
	d.Suggest = int64(r.IntN(3))
	d.Took = time.Duration(r.Int64N(int64(20 * time.Second)))
	if d.Status == mq.Found && r.IntN(3) > 0 {
		d.Count, d.First = r.IntN(33), asked+r.Int64N(3)-1
	}
	if d.Status == mq.PullFailed {
		d.Code, d.Err = []int32{0, 1, 2, 24, 25, 215}[r.IntN(6)], errBoom
	}
	return d
}

// checkTurn checks I14 and that a turn has one outcome.
func checkTurn(t *testing.T, turn Turn, actions []Action) (sent bool) {
	t.Helper()
	outcomes := 0
	for _, a := range actions {
		switch a := a.(type) {
		case Send:
			outcomes, sent = outcomes+1, true
			over := (Limits{}).Flow(turn.Load) != event.CauseNone
			if over || turn.Dropped || turn.Paused || !turn.Running || !turn.Subscribed || a.Offset < 0 {
				t.Fatalf("I14: sends %+v for %+v", a, turn)
			}
			if commits := a.SysFlag&flagCommitOffset != 0; commits != (a.Commit > 0) || (commits && a.BrokerID != mq.MasterID) {
				t.Fatalf("commits %d with flags %d at broker %d", a.Commit, a.SysFlag, a.BrokerID)
			}
		case Back:
			outcomes++
			if a.Next != turn.Next || a.Delay <= 0 || a.Cause == event.CauseNone {
				t.Fatalf("puts back %+v for a turn at %d", a, turn.Next)
			}
		case Die:
			outcomes++
		}
	}
	if outcomes != 1 {
		t.Fatalf("%d outcomes of a turn: %v", outcomes, actions)
	}
	return sent
}

// checkAnswer checks that an answer has one outcome and never takes the queue back.
func checkAnswer(t *testing.T, d event.PullDone, actions []Action) (next int64) {
	t.Helper()
	outcomes := 0
	for _, a := range actions {
		switch a := a.(type) {
		case Back:
			outcomes, next = outcomes+1, a.Next
			if a.Next < d.Offset {
				t.Fatalf("goes back to %d after %+v", a.Next, d)
			}
		case RepairOffset:
			outcomes, next = outcomes+1, a.Next
			if d.Status != mq.OffsetIllegal || a.Next < 0 || a.Next == d.Offset {
				t.Fatalf("repairs %+v after %+v", a, d)
			}
		case CorrectOffset:
			if a.Offset < d.Offset || d.Count > 0 {
				t.Fatalf("I24: corrects to %d after %+v", a.Offset, d)
			}
		}
	}
	if outcomes != 1 {
		t.Fatalf("%d outcomes of an answer: %v", outcomes, actions)
	}
	return next
}

func TestEachTurnAndEachAnswerHasOneOutcome(t *testing.T) {
	for seed := range uint64(30) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			r, p, next := rand.New(rand.NewPCG(seed, 3)), New(Config{}), int64(0)
			var events []event.Event
			var actions []Action
			step := func(e event.Event) []Action {
				events = append(events, e)
				got := p.Step(start, e)
				actions = append(actions, got...)
				return got
			}
			for range 2_000 {
				turn := randomTurn(r, next)
				if !checkTurn(t, turn, step(turn)) {
					continue
				}
				d := randomAnswer(r, next)
				next = checkAnswer(t, d, step(d))
				if again := step(d); again != nil {
					t.Fatalf("an answer that came twice led to %v", again)
				}
			}
			p, again := New(Config{}), []Action(nil)
			for _, e := range events {
				again = append(again, p.Step(start, e)...)
			}
			if !slices.Equal(actions, again) {
				t.Error("the same events led to other actions")
			}
		})
	}
}

// BenchmarkPull is the decisions on one pull of one of 4,096 queues.
func BenchmarkPull(b *testing.B) { benchmarkPull(b, New(Config{})) }

// BenchmarkDecisions is BenchmarkPull, with messages of one pull counted one by one, without a
// recorder of decisions, with one that nobody watches, and with one that is watched.
func BenchmarkDecisions(b *testing.B) {
	unwatched, watchedOne := New(Config{}), New(Config{})
	unwatched.Decisions = decision.NewRecorder("me", time.Now)
	watchedOne.Decisions = decision.NewRecorder("me", time.Now)
	watchedOne.Decisions.Watch(nowhere{})
	for _, c := range []struct {
		name string
		pull *Pull
	}{{"no recorder", New(Config{})}, {"nobody watches", unwatched}, {"watched", watchedOne}} {
		b.Run(c.name, func(b *testing.B) {
			benchmarkPull(b, c.pull)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/32, "ns/msg")
		})
	}
}

type nowhere struct{}

func (nowhere) Decided(*decision.Decision) {}

func benchmarkPull(b *testing.B, p *Pull) {
	b.Helper()
	turns, answers := make([]event.Event, 4096), make([]event.Event, 4096)
	for i := range turns {
		turn, answer := turnAt(100), done(mq.Found, 132, count(32))
		turn.Queue.QueueID, answer.Queue.QueueID = int32(i), int32(i)
		turns[i], answers[i] = turn, answer
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		p.Step(start, turns[i])
		p.Step(start, answers[i])
		i = (i + 1) % len(turns)
	}
}
