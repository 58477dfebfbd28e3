package consumer_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/consume"
	"mqscope/engine/consumer"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

func oneThread(c *consumer.Config) { c.Threads = 1 }

// TestS2FilterHooksOfAPushConsumer: what a hook takes out never comes to the listener and counts
// as filtered; the offset passes it, also where nothing is left.
func TestS2FilterHooksOfAPushConsumer(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 2)
		second := queueOf("broker-a", 1)
		w.put(first, 40, "AaAa", 0)
		w.put(first, 10, "BBBB", 0) // the same hash: the exact tag is compared before the hooks
		w.put(second, 40, "AaAa", 0)
		m := w.join("192.0.2.10@me", nil, tagged("AaAa"), func(c *consumer.Config) {
			c.FilterHooks = []consumer.FilterHook{func(f *consumer.Filtering) {
				f.Messages = slices.DeleteFunc(f.Messages, func(m mq.Message) bool {
					if m.Tags() != "AaAa" {
						t.Errorf("a hook sees tag %q", m.Tags())
					}
					return f.Queue == second || m.QueueOffset()%10 != 7
				})
			}}
		})
		s := m.after(7 * time.Second)
		for _, body := range []string{"0-7 ", "0-17 ", "0-27 ", "0-37 "} {
			if m.deliveries(body) != 1 {
				t.Errorf("%q was delivered %d times", body, m.deliveries(body))
			}
		}
		if distinct(m) != 4 || s.Counters.Filtered != 86 || s.Counters.Received != 4 {
			t.Errorf("%d delivered, %d filtered, %d received", distinct(m), s.Counters.Filtered, s.Counters.Received)
		}
		m.caughtUp(s, 2)
	})
}

// TestS4FilterHooksAreCalledInTheirOrder: each gets what the one before let through and is told
// whether the consumer is in unit mode, as brokers are; one that fails changes nothing
// (Java: PullAPIWrapper.registerFilterMessageHook, executeHook).
func TestS4FilterHooksAreCalledInTheirOrder(t *testing.T) {
	for _, unit := range []bool{false, true} {
		inWorld(t, 1, func(w *world) {
			w.createTopic(topic, 1)
			w.put(first, 8, "", 0)
			beats := w.watch(protocol.HeartBeat)
			var mu sync.Mutex
			var seen []string
			hook := func(name string, act func(f *consumer.Filtering)) consumer.FilterHook {
				return func(f *consumer.Filtering) {
					mu.Lock()
					if f.Queue == first {
						seen = append(seen, fmt.Sprintf("%s: %s %d, unit mode %v", name, f.Group, len(f.Messages), f.UnitMode))
					}
					mu.Unlock()
					act(f)
				}
			}
			var foreign mq.Message
			m := w.join("192.0.2.10@me", nil, func(c *consumer.Config) {
				c.UnitMode = unit
				c.FilterHooks = []consumer.FilterHook{
					hook("one", func(f *consumer.Filtering) { foreign = f.Messages[0].Clone(); f.Messages = f.Messages[2:] }),
					hook("two", func(f *consumer.Filtering) { f.Messages = nil; panic("a bad filter") }),
					hook("three", func(f *consumer.Filtering) { // out of order, twice, and one of its own
						slices.Reverse(f.Messages)
						f.Messages = append(f.Messages[:3], f.Messages[0], foreign)
					}),
				}
			})
			s := m.after(7 * time.Second)
			var want []string
			for i, name := range []string{"one", "two", "three"} {
				want = append(want, fmt.Sprintf("%s: g %d, unit mode %v", name, []int{8, 6, 6}[i], unit))
			}
			if diff := cmp.Diff(want, seen); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
			if distinct(m) != 3 || repeated(m) != 0 || m.deliveries("0-5 ") != 1 || len(told(s, "a bad filter")) == 0 {
				t.Errorf("%d messages delivered, %d again:\n%s", distinct(m), repeated(m), texts(s))
			}
			for _, b := range beats.take() {
				data, err := protocol.DecodeHeartbeatData(b.cmd.Body)
				if err != nil {
					t.Fatal(err)
				}
				for _, c := range data.ConsumerDataSet {
					if c.UnitMode != unit {
						t.Errorf("a heartbeat says unit mode %v", c.UnitMode)
					}
				}
			}
		})
	}
}

// TestHooksStandAroundTheListener: before and after each call, with how it ended
// (Java: ConsumeRequest.run of both services, ConsumeReturnType).
func TestHooksStandAroundTheListener(t *testing.T) {
	const timeout = time.Minute
	note := func(calls *[]string) consumer.ConsumeHook {
		return consumeHook{
			before: func(c *consumer.Consumption) {
				*calls = append(*calls, fmt.Sprintf("before %d of %s", len(c.Messages), c.Queue.Topic))
			},
			after: func(c *consumer.Consumption) {
				*calls = append(*calls, fmt.Sprintf("after %d: %s %s %v", len(c.Messages), c.Type, c.Status, c.Success))
				panic("a bad hook")
			},
		}
	}
	t.Run("concurrent", func(t *testing.T) {
		inWorld(t, 1, func(w *world) {
			w.createTopic(topic, 1)
			w.put(first, 5, "", 0)
			var calls []string
			m := w.join("192.0.2.10@me", func(_ context.Context, m mq.Message, _ *consume.Context) consume.Status {
				if m.ReconsumeTimes() > 0 {
					return consume.Success
				}
				switch m.QueueOffset() {
				case 1:
					return consume.ReconsumeLater
				case 2:
					panic("boom")
				case 3:
					return 9
				case 4:
					time.Sleep(timeout + time.Second)
				}
				return consume.Success
			}, oneThread, func(c *consumer.Config) {
				c.Timeout, c.ConsumeHooks = timeout, []consumer.ConsumeHook{note(&calls)}
			})
			s := m.after(4 * time.Minute)
			var want []string
			for _, end := range []string{
				"SUCCESS CONSUME_SUCCESS true", "FAILED RECONSUME_LATER false", "EXCEPTION RECONSUME_LATER false",
				"RETURNNULL RECONSUME_LATER false", "TIME_OUT CONSUME_SUCCESS true",
			} {
				want = append(want, "before 1 of orders", "after 1: "+end)
			}
			if diff := cmp.Diff(want, calls[:min(len(calls), len(want))]); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
			if len(calls) != len(want)+8 { // three that failed, and the one that was too slow, come back
				t.Errorf("%d calls in all: %v", len(calls), calls[len(want):])
			}
			if len(told(s, "a bad hook")) == 0 || s.Counters.Consumed == 0 {
				t.Errorf("told:\n%s", texts(s))
			}
		})
	})
	t.Run("orderly", func(t *testing.T) {
		inWorld(t, 1, func(w *world) {
			w.createTopic(topic, 1)
			w.put(first, 4, "", 0)
			var calls []string
			failed := false
			book := w.orderBook()
			m := w.joinInOrder("192.0.2.10@me", book, func(_ context.Context, m []mq.Message, _ *consume.OrderlyContext) consume.OrderlyStatus {
				switch off := m[0].QueueOffset(); {
				case off == 1 && !failed:
					failed = true
					return consume.SuspendCurrentQueueAMoment
				case off == 2:
					return consume.Commit
				case off == 3:
					return consume.Rollback
				}
				return consume.OrderlySuccess
			}, func(c *consumer.Config) { c.ConsumeHooks = []consumer.ConsumeHook{note(&calls)} })
			m.after(10 * time.Second)
			var want []string
			for _, end := range []string{
				"SUCCESS SUCCESS true", "FAILED SUSPEND_CURRENT_QUEUE_A_MOMENT false", "SUCCESS SUCCESS true",
				"SUCCESS COMMIT true", "SUCCESS ROLLBACK false",
			} {
				want = append(want, "before 1 of orders", "after 1: "+end)
			}
			if diff := cmp.Diff(want, calls); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
		})
	})
}
