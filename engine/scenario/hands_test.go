package scenario_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"mqscope/engine/scenario"
	"mqscope/engine/snapshot"
	"mqscope/engine/step"
)

// anyChange is something that a person may do to a lesson, sensible or not.
func anyChange(chance *rand.Rand, queues []snapshot.MessageQueue) step.Change {
	q := queues[chance.IntN(len(queues))]
	others := []string{"192.0.2.11@billing-2", "192.0.2.12@billing-3", "m2", "m3"}
	for {
		switch chance.IntN(13) {
		case 0:
			return step.DelayTask{Queue: q, By: time.Duration(chance.IntN(3000)) * time.Millisecond}
		case 1:
			return step.FailPull{Queue: q}
		case 2:
			statuses := []string{"NO_NEW_MSG", "NO_MATCHED_MSG", "OFFSET_ILLEGAL", "FLOW_CONTROL", "SYSTEM_ERROR", "SYSTEM_BUSY"}
			return step.AnswerPull{Queue: q, Status: statuses[chance.IntN(len(statuses))]}
		case 3, 4:
			return step.MemberJoins{Name: others[chance.IntN(len(others))]}
		case 5:
			return step.MemberLeaves{Name: others[chance.IntN(len(others))]}
		case 6:
			return step.ExpireLock{Queue: q}
		case 7:
			return step.HangHandler{Queue: q, For: time.Duration(chance.IntN(5000)) * time.Millisecond}
		case 8:
			return step.FailHandler{Queue: q}
		case 9:
			return step.AdvanceClock{By: time.Duration(chance.IntN(3000)) * time.Millisecond}
		case 10:
			return step.PausePulls{}
		case 11:
			return step.ResumePulls{}
		case 12:
			return step.SendMessages{Topic: q.Topic, Queue: q, N: 1 + chance.IntN(3)}
		}
	}
}

// Whatever a person does in the midst of a lesson, it goes on: nothing breaks, and the way back
// leads to what was there.
func TestLessonsBearWhatAPersonDoes(t *testing.T) {
	for seed := range uint64(handSeeds) {
		s := scenario.Lessons()[seed%10]
		st, err := step.New(scenario.Maker(s, seed))
		if err != nil {
			t.Fatal(err)
		}
		chance := rand.New(rand.NewPCG(seed, 7))
		var done []string
		fail := func(format string, a ...any) {
			t.Helper()
			t.Fatalf("%s, seed %d, after %v: "+format, append([]any{s.Name, seed, done}, a...)...)
		}
		for range 8 {
			if stop, err := st.RunFor(time.Duration(chance.IntN(4000)) * time.Millisecond); err != nil || stop.Bad {
				fail("%+v, %v", stop, err)
			}
			picture := st.Snapshot()
			if len(picture.Queues) == 0 {
				continue
			}
			queues := make([]snapshot.MessageQueue, len(picture.Queues))
			for i := range picture.Queues {
				queues[i] = picture.Queues[i].ID
			}
			c := anyChange(chance, queues)
			if err := st.Change(c); err == nil {
				done = append(done, c.String())
			}
			if chance.IntN(3) == 0 {
				at, hash := st.Steps(), st.Hash()
				if err := st.Back(1 + chance.Uint64N(300)); err != nil {
					fail("back: %v", err)
				}
				if err := st.Goto(at); err != nil {
					fail("forth: %v", err)
				}
				if st.Hash() != hash {
					fail("back and forth led to another trace at step %d", at)
				}
			}
		}
		for {
			stop, err := st.Run()
			if err != nil || stop.Bad {
				fail("%+v, %v", stop, err)
			}
			if stop.Reason != step.Stopped {
				break
			}
		}
		st.Close()
	}
}
