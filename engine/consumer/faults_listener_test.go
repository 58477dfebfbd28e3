package consumer_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"mqscope/engine/consume"
	"mqscope/engine/consumer"
	"mqscope/engine/embedded"
	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/snapshot"
)

// deadLetters is the queue that messages of the group end in.
var deadLetters = mq.MessageQueue{Topic: mq.DeadLetterTopic(group), BrokerName: "broker-a"}

func everything(request) bool { return true }

func TestP54ListenerThatPanicsEveryThirdCall(t *testing.T) {
	ends := map[string]func(){
		"panics":              func() { panic("nil map, sort of") },
		"ends its goroutine":  runtime.Goexit,
		"divides by zero":     func() { var zero int; panic(fmt.Sprint(1 / zero)) },
		"asks to be retried":  nil,
		"answers what is not": nil,
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			inWorld(t, 1, func(w *world) {
				w.createTopic(topic, 4)
				books := w.ledger()
				var mu sync.Mutex
				calls, succeeded := 0, map[string]bool{}
				m := w.join("192.0.2.10@me", func(_ context.Context, msg mq.Message, _ *consume.Context) consume.Status {
					mu.Lock()
					defer mu.Unlock()
					if calls++; calls%3 == 0 {
						switch {
						case end != nil:
							end()
						case name == "answers what is not":
							return consume.Status(99)
						}
						return consume.ReconsumeLater
					}
					succeeded[string(msg.Body())] = true
					return consume.Success
				})
				w.send(100, "x")
				s := m.after(30 * time.Minute)
				if len(succeeded) != 100 {
					t.Errorf("%d of 100 messages were consumed", len(succeeded))
				}
				if busy := s.Group.Threads.Busy; busy != 0 || s.Group.Threads.Max != 20 {
					t.Errorf("threads %+v, want all 20 idle", s.Group.Threads)
				}
				if s.Counters.SentBack < 40 {
					t.Errorf("%d were sent back, want a third of all calls", s.Counters.SentBack)
				}
				if panics := told(s, "listener panicked at offset", "goroutine"); name == "panics" && (len(panics) == 0 || panics[0].Level != event.Error) {
					t.Errorf("no error brings the stack:\n%s", texts(s))
				}
				m.caughtUp(s, 4)
				books.check()
			})
		})
	}
}

// TestP26ListenerThatNeverReturns (FH1): screens can name the message and how long it has
// been there; the slot it takes is the only thing that stands still.
func TestP26ListenerThatNeverReturns(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		w.put(first, 50, "", 0)
		back := w.record(protocol.ConsumerSendMsgBack)
		release := make(chan struct{})
		m := w.join("192.0.2.10@me", func(_ context.Context, msg mq.Message, _ *consume.Context) consume.Status {
			if msg.QueueOffset() == 17 && msg.ReconsumeTimes() == 0 {
				<-release
			}
			return consume.Success
		})
		m.after(time.Second)
		w.put(first, 50, "", 0)
		s := m.after(10 * time.Minute)
		threads := s.Group.Threads
		if threads.Busy != 1 || threads.OldestAt != 17 || threads.OldestOn != first || threads.Oldest < 10*time.Minute {
			t.Errorf("threads %+v, want the oldest to be offset 17 for ten minutes", threads)
		}
		meta := s.Windows[first].Meta
		if len(meta) != 1 || meta[0].Offset != 17 || meta[0].State != snapshot.Consuming || s.At.Sub(meta[0].Started) < 10*time.Minute {
			t.Errorf("the window shows %+v, want offset 17 and when it began", meta)
		}
		q := queue(s, first)
		if q.InListener != 1 || q.Committed.V != 17 || distinct(m) != 100 {
			t.Errorf("%d in the listener, %d committed, %d delivered, want 1, 17, 100", q.InListener, q.Committed.V, distinct(m))
		}
		if len(back.all(everything)) != 0 {
			t.Error("it was sent back before its time")
		}
		s = m.after(6 * time.Minute)
		if len(back.all(everything)) != 1 || len(told(s, "listener has offset 17 for over 15m0s")) != 1 {
			t.Errorf("sent back %v:\n%s", back.all(everything), texts(s))
		}
		m.caughtUp(s, 1)
		close(release)
		s = m.after(time.Minute)
		if n := m.deliveries("0-17 "); n != 2 || len(back.all(everything)) != 1 {
			t.Errorf("offset 17 was delivered %d times and sent back %d times, want 2 and 1", n, len(back.all(everything)))
		}
		if s.Group.Threads.Busy != 0 {
			t.Errorf("threads %+v", s.Group.Threads)
		}
	})
}

// TestFH1ListenerThatIsSlowerThanItsTimeout: the answer that comes too late changes nothing.
func TestFH1ListenerThatIsSlowerThanItsTimeout(t *testing.T) {
	for _, late := range []consume.Status{consume.Success, consume.ReconsumeLater} {
		t.Run(fmt.Sprint("and then answers ", late), func(t *testing.T) {
			inWorld(t, 1, func(w *world) {
				w.createTopic(topic, 1)
				w.put(first, 3, "", 0)
				back := w.record(protocol.ConsumerSendMsgBack)
				m := w.join("192.0.2.10@me", func(_ context.Context, msg mq.Message, _ *consume.Context) consume.Status {
					if msg.QueueOffset() == 1 && msg.ReconsumeTimes() == 0 {
						time.Sleep(90 * time.Second)
						return late
					}
					return consume.Success
				}, func(c *consumer.Config) { c.Timeout = time.Minute })
				m.after(58 * time.Second)
				if got := w.committed(first); got != 1 {
					t.Errorf("%d committed while 1 is in the listener", got)
				}
				m.after(10 * time.Second)
				if got := w.committed(first); got != 3 {
					t.Errorf("%d committed after 1 was sent back, want 3", got)
				}
				s := m.after(3 * time.Minute)
				if n := len(back.all(everything)); n != 1 || m.deliveries("0-1 ") != 2 {
					t.Errorf("sent back %d times, delivered %d times, want 1 and 2", n, m.deliveries("0-1 "))
				}
				m.caughtUp(s, 1)
			})
		})
	}
}

func TestFH4MessageThatAlwaysFailsEndsInTheDeadLetterTopic(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		books := w.ledger()
		began := time.Now()
		var mu sync.Mutex
		var at []time.Duration
		m := w.join("192.0.2.10@me", func(_ context.Context, msg mq.Message, _ *consume.Context) consume.Status {
			if msg.Tags() != "bad" {
				return consume.Success
			}
			mu.Lock()
			defer mu.Unlock()
			if int(msg.ReconsumeTimes()) != len(at) || msg.Topic() != topic {
				t.Errorf("delivery %d says %d times, topic %s", len(at), msg.ReconsumeTimes(), msg.Topic())
			}
			at = append(at, time.Since(began))
			return consume.ReconsumeLater
		}, func(c *consumer.Config) { c.MaxReconsume = 5 })
		m.after(time.Second)
		began = time.Now()
		w.put(first, 1, "good", 0)
		w.put(first, 1, "bad", 0)
		w.put(first, 1, "good", 0)
		s := m.after(time.Hour)
		// Levels 3 to 7 of the delays: 10 s, 30 s, 1, 2 and 3 minutes.
		want := []time.Duration{0, 10 * time.Second, 40 * time.Second, 100 * time.Second, 220 * time.Second, 400 * time.Second}
		for i, d := range at {
			if i < len(want) && (d < want[i] || d > want[i]+time.Second) {
				t.Errorf("delivery %d came after %v, want %v", i, d, want[i])
			}
		}
		if len(at) != 6 || w.end(deadLetters) != 1 {
			t.Errorf("%d deliveries and %d dead letters, want 6 and 1", len(at), w.end(deadLetters))
		}
		if s.Counters.SentBack != 6 || len(told(s, "message sent back")) != 6 {
			t.Errorf("%d sent back:\n%s", s.Counters.SentBack, texts(s))
		}
		m.caughtUp(s, 1)
		books.check()
	})
}

// TestP07OnlyResolvedMessagesLeaveTheWindow: of ten messages the third fails, and nobody
// takes it back.
func TestP07OnlyResolvedMessagesLeaveTheWindow(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		w.put(first, 10, "", 0)
		timeout := func(*embedded.Request) embedded.Verdict { return embedded.Drop }
		remove := []func(){w.onCode(protocol.ConsumerSendMsgBack, timeout), w.onCode(protocol.SendMessageV2, timeout)}
		seen := w.record(protocol.PullMessage, protocol.UpdateConsumerOffset)
		m := w.join("192.0.2.10@me", func(_ context.Context, msg mq.Message, _ *consume.Context) consume.Status {
			if msg.QueueOffset() == 3 && msg.ReconsumeTimes() == 0 {
				return consume.ReconsumeLater
			}
			return consume.Success
		})
		m.after(time.Second)
		w.put(first, 200, "", 0) // what comes later does not move it either
		s := m.after(5 * time.Minute)
		for _, c := range seen.commits(first) {
			if c.Commit > 3 {
				t.Fatalf("%d was committed while 3 is only here", c.Commit)
			}
		}
		runs := s.Windows[first].Runs
		if len(runs) != 2 || runs[0].From != 3 || runs[0].To != 3 || runs[1].From != 4 || runs[1].State != snapshot.Done {
			t.Errorf("the window has %v, want 3 unresolved and the rest done", runs)
		}
		for _, fn := range remove {
			fn()
		}
		m.caughtUp(m.after(45*time.Second), 1)
	})
}

// TestP06SendBackThatIsRefused (FB9): neither the broker nor the retry topic takes the
// message at first. It stays here, is consumed again, and nothing behind it is committed.
func TestP06SendBackThatIsRefused(t *testing.T) {
	tests := []struct {
		name    string
		verdict embedded.Verdict
		apart   time.Duration // between two deliveries: five seconds, and how long a try takes
	}{
		{"SYSTEM_ERROR", embedded.Fail(protocol.SystemError, "no"), 5 * time.Second},
		{"no answer", embedded.Drop, 5*time.Second + 5*time.Second + 10*time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inWorld(t, 1, func(w *world) {
				w.createTopic(topic, 1)
				var mu sync.Mutex
				var at []time.Time
				refused := 0
				refuse := func(*embedded.Request) embedded.Verdict {
					mu.Lock()
					defer mu.Unlock()
					if len(at) > 3 {
						return embedded.Pass
					}
					refused++
					return tt.verdict
				}
				w.put(first, 10, "", 0)
				w.onCode(protocol.ConsumerSendMsgBack, refuse)
				w.onCode(protocol.SendMessageV2, refuse)
				seen := w.record(protocol.PullMessage, protocol.UpdateConsumerOffset)
				m := w.join("192.0.2.10@me", func(_ context.Context, msg mq.Message, _ *consume.Context) consume.Status {
					if msg.QueueOffset() != 3 || msg.ReconsumeTimes() > 0 {
						return consume.Success
					}
					mu.Lock()
					defer mu.Unlock()
					at = append(at, time.Now())
					return consume.ReconsumeLater
				})
				m.after(3 * time.Minute)
				if len(at) != 4 || refused < 6 {
					t.Fatalf("delivered %d times before it was taken, refused %d times", len(at), refused)
				}
				for i := range at[1:] {
					if gap := at[i+1].Sub(at[i]); gap < 5*time.Second || gap > tt.apart+time.Second {
						t.Errorf("%v between two deliveries, want 5 s at least and %v at most", gap, tt.apart)
					}
				}
				for _, c := range seen.commits(first) {
					if c.Commit > 3 && c.At.Before(at[3]) {
						t.Errorf("%d was committed while 3 was nowhere else", c.Commit)
					}
				}
				s := m.after(20 * time.Second)
				if m.deliveries("0-3 ") < 5 || s.Counters.SendBackFailed != 3 || len(told(s, "offset 3 could not be sent back, stays here")) != 3 {
					t.Errorf("%d deliveries, %d failed send-backs:\n%s", m.deliveries("0-3 "), s.Counters.SendBackFailed, texts(s))
				}
				m.caughtUp(s, 1)
			})
		})
	}
}

func TestFB9SendBackWhoseAnswerIsLost(t *testing.T) {
	tests := []struct {
		name    string
		verdict embedded.Verdict // on the first send-back
		here    int              // deliveries from its own queue
		copies  int              // that come back through the retry topic
		failed  uint64           // send-backs of which nothing came
	}{
		{"refused: the retry topic takes it", embedded.Fail(protocol.SystemError, "no"), 1, 1, 0},
		{"lost on the way there", embedded.Drop, 1, 1, 0},
		{"carried out, the answer is lost: it comes twice", embedded.DropReply, 1, 2, 0},
		// Nothing can be sent until the connection is there again; it stays here for five seconds.
		{"carried out, then the connection ends", embedded.CloseAfter, 2, 2, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inWorld(t, 1, func(w *world) {
				w.createTopic(topic, 1)
				w.put(first, 10, "", 0)
				var mu sync.Mutex
				var safe time.Time // when the member knows that a broker has the message
				asked := 0
				w.onCode(protocol.ConsumerSendMsgBack, func(*embedded.Request) embedded.Verdict {
					mu.Lock()
					defer mu.Unlock()
					if asked++; asked == 1 {
						return tt.verdict
					}
					safe = time.Now()
					return embedded.Pass
				})
				w.onCode(protocol.SendMessageV2, func(*embedded.Request) embedded.Verdict {
					mu.Lock()
					defer mu.Unlock()
					safe = time.Now()
					return embedded.Pass
				})
				seen := w.record(protocol.PullMessage, protocol.UpdateConsumerOffset)
				m := w.join("192.0.2.10@me", func(_ context.Context, msg mq.Message, _ *consume.Context) consume.Status {
					if msg.QueueOffset() == 3 && msg.ReconsumeTimes() == 0 {
						return consume.ReconsumeLater
					}
					if msg.Topic() != topic {
						t.Errorf("the topic is %q", msg.Topic())
					}
					return consume.Success
				})
				s := m.after(time.Minute)
				if n := m.deliveries("0-3 "); n != tt.here+tt.copies {
					t.Errorf("delivered %d times, want %d", n, tt.here+tt.copies)
				}
				for _, c := range seen.commits(first) {
					if c.Commit > 3 && (safe.IsZero() || c.At.Before(safe)) {
						t.Errorf("%d was committed before the message was safe", c.Commit)
					}
				}
				if s.Counters.SendBackFailed != tt.failed {
					t.Errorf("%d send-backs failed, want %d", s.Counters.SendBackFailed, tt.failed)
				}
				m.caughtUp(s, 1)
			})
		})
	}
}

// TestP32ListenerThatChangesWhatItIsGiven (FH3): ten thousand messages pass a cap of one MiB.
func TestP32ListenerThatChangesWhatItIsGiven(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 2)
		for id := range int32(2) {
			w.put(queueOf("broker-a", id), 5000, "", 500)
		}
		var mu sync.Mutex
		wrong := 0
		m := w.join("192.0.2.10@me", nil, func(c *consumer.Config) {
			c.Batch = 4
			c.Pull.Limits.MiBPerQueue = 1
			c.Listener = func(_ context.Context, msgs []mq.Message, cc *consume.Context) consume.Status {
				for i, msg := range msgs {
					if want := fmt.Sprintf("%d-%d ", cc.Queue.QueueID, msg.QueueOffset()); !strings.HasPrefix(string(msg.Body()), want) {
						mu.Lock()
						wrong++
						mu.Unlock()
					}
					clear(msg.Body())
					_ = append(msg.Body()[:0], "short"...)
					_ = append(msg.Body(), strings.Repeat("and far too long ", 100)...)
					msgs[i] = mq.Message{}
				}
				return consume.Success
			}
		})
		s := m.after(7 * time.Second)
		if wrong != 0 || s.Counters.Consumed != 10_000 {
			t.Errorf("%d consumed, %d of them with a body that another call had changed", s.Counters.Consumed, wrong)
		}
		for _, id := range owned(s) {
			if q := queue(s, id); q.Count.V != 0 || q.Bytes.V != 0 {
				t.Errorf("%v holds %d messages of %d bytes", id, q.Count.V, q.Bytes.V)
			}
		}
		m.caughtUp(s, 2)
	})
}

// TestFH5SlowConsumer: a producer ten times faster fills what flow control allows, and one
// answer more; the threads never wait meanwhile.
func TestFH5SlowConsumer(t *testing.T) {
	tests := []struct {
		name               string
		change             func(*consumer.Config)
		count, bytes, span int64 // that may be cached; what is done behind a slow message widens the span, not the count
		cause              event.Cause
	}{
		// The size is cut to whole MiB: one MiB trips at two.
		{"by size", func(c *consumer.Config) { c.Pull.Limits.MiBPerQueue = 1 }, 1 << 20, 2<<20 + 256<<10, 1 << 20, event.CauseFlowSize},
		{"by count", func(c *consumer.Config) { c.Pull.Limits.CountPerQueue = 100 }, 100 + 32, 1 << 30, 1 << 20, event.CauseFlowCount},
		{"by span", func(c *consumer.Config) { c.Pull.Limits.Span = 150 }, 150 + 33, 1 << 30, 150 + 33, event.CauseFlowSpan},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inWorld(t, 1, func(w *world) {
				w.createTopic(topic, 4)
				m := w.join("192.0.2.10@me", takes(200*time.Millisecond), tt.change)
				m.after(time.Second)
				tripped := false
				for range 100 { // 10 s: 20 threads do 1,000 of 10,000 messages
					for id := range int32(4) {
						w.put(queueOf("broker-a", id), 25, "", 8<<10)
					}
					time.Sleep(100 * time.Millisecond)
					s := m.push.Snapshot()
					for _, id := range owned(s) {
						q := queue(s, id)
						if int64(q.Count.V) > tt.count || q.Bytes.V > tt.bytes || q.Span.V > tt.span {
							t.Fatalf("%v holds %d messages, %d bytes, span %d", id, q.Count.V, q.Bytes.V, q.Span.V)
						}
						tripped = tripped || q.Flow.Cause == tt.cause
					}
				}
				if !tripped {
					t.Errorf("%s never tripped", tt.cause)
				}
				if n := distinct(m); n < 960 {
					t.Errorf("%d consumed in 10 s, threads waited", n)
				}
			})
		})
	}
}
