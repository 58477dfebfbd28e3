package processqueue

import (
	"testing"
	"time"

	"mqscope/engine/mq"
)

// TestSweptMessage walks through the orders in which a listener's return and the end of the
// sweep's send-back may come.
func TestSweptMessage(t *testing.T) {
	const (
		retry   = "waits for another attempt"
		free    = "resolved"
		running = "the listener's"
	)
	returns := func(ok bool) func(*Queue, mq.Message) {
		return func(q *Queue, m mq.Message) {
			if ok {
				q.Finish(q.born, []mq.Message{m})
			} else if q.Failed(m) {
				panic("a swept message was given back to its taker")
			}
		}
	}
	sweep := func(sent bool) func(*Queue, mq.Message) {
		return func(q *Queue, m mq.Message) { q.Expired(q.born, m, sent) }
	}
	for _, c := range []struct {
		name  string
		steps []func(*Queue, mq.Message)
		want  string
	}{
		{"sent back, the listener still runs", []func(*Queue, mq.Message){sweep(true)}, free},
		{"not sent back, the listener still runs", []func(*Queue, mq.Message){sweep(false)}, running},
		{"sent back, then the listener fails", []func(*Queue, mq.Message){sweep(true), returns(false)}, free},
		{"sent back, then the listener succeeds", []func(*Queue, mq.Message){sweep(true), returns(true)}, free},
		{"the listener fails, then it is sent back", []func(*Queue, mq.Message){returns(false), sweep(true)}, free},
		{"the listener fails, then it can not be sent back", []func(*Queue, mq.Message){returns(false), sweep(false)}, retry},
		{"the listener succeeds, then it is sent back", []func(*Queue, mq.Message){returns(true), sweep(true)}, free},
		{"the listener succeeds, then it can not be sent back", []func(*Queue, mq.Message){returns(true), sweep(false)}, free},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := New(testQueue, 1)
			owner := &counter{}
			b := batchOf(t, owner, stored{5, 1})
			q.Put(b, nil)
			b.Release(1)
			taken, _ := q.Take(q.born, nil, 1)
			if early := q.Expire(q.born.Add(time.Minute-time.Millisecond), time.Minute, nil); len(early) != 0 {
				t.Fatal("expired a millisecond early")
			}
			swept := q.Expire(q.born.Add(time.Minute), time.Minute, nil)
			if len(swept) != 1 || swept[0] != taken[0] {
				t.Fatalf("swept %v", offsetsOf(swept))
			}
			if again := q.Expire(q.born.Add(time.Hour), time.Minute, nil); len(again) != 0 {
				t.Fatal("swept twice")
			}
			for _, step := range c.steps {
				step(q, taken[0])
			}
			got := free
			if count, _, _ := q.Load(); count > 0 {
				if q.Again(5) {
					got = retry
				} else if len(q.Expire(q.born.Add(time.Hour), time.Minute, nil)) == 1 {
					got = running
				}
			}
			if got != c.want {
				t.Errorf("the message is %s, want %s", got, c.want)
			}
			if c.want == free && len(c.steps) > 1 && owner.released != 1 {
				t.Errorf("bytes released %d times", owner.released)
			}
		})
	}
}

// TestTakerThatReadTheTimeLater: the sweep reads the time, a worker takes a message a little
// later, and only then the sweep gets the mutex.
func TestTakerThatReadTheTimeLater(t *testing.T) {
	q := New(testQueue, 1)
	put(t, q, stored{5, 1})
	q.Take(q.born.Add(time.Second), nil, 1)
	if got := q.Expire(q.born.Add(time.Second-time.Millisecond), time.Minute, nil); len(got) != 0 {
		t.Error("a message was swept before it was taken")
	}
	if got := q.Expire(q.born.Add(time.Hour), 1000*time.Hour, nil); len(got) != 0 {
		t.Error("swept long before a timeout of weeks")
	}
}
