package embedded_test

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/embedded"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

func TestPullAnswersByPositionInTheQueue(t *testing.T) {
	inBubble(t, embedded.Config{}, func(w *world) {
		w.createTopic(topicT, 1)
		c := w.client("c1")
		for _, test := range []struct {
			name   string
			offset int64
			want   pulled
		}{
			{"an empty queue is not found from offset 0", 0, pulled{protocol.PullNotFound, "NO_MESSAGE_IN_QUEUE", 0, 0, 0, nil}},
			{"an empty queue is illegal from any other offset", 5, pulled{protocol.PullOffsetMoved, "NO_MESSAGE_IN_QUEUE", 0, 0, 0, nil}},
		} {
			if diff := cmp.Diff(test.want, c.pull(pullHeader(topicT, 0, test.offset, anything))); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.name, diff)
			}
		}
		for i := range 10 {
			c.send(topicT, 0, "", strconv.Itoa(i))
		}
		for _, test := range []struct {
			name   string
			offset int64
			want   pulled
		}{
			{"all messages", 0, pulled{protocol.Success, "FOUND", 10, 0, 10, bodies(0, 10)}},
			{"the rest of the messages", 7, pulled{protocol.Success, "FOUND", 10, 0, 10, bodies(7, 10)}},
			{"the end", 10, pulled{protocol.PullNotFound, "OFFSET_OVERFLOW_ONE", 10, 0, 10, nil}},
			{"beyond the end", 11, pulled{protocol.PullOffsetMoved, "OFFSET_OVERFLOW_BADLY", 10, 0, 10, nil}},
			{"before the start", -1, pulled{protocol.PullOffsetMoved, "OFFSET_TOO_SMALL", 0, 0, 10, nil}},
		} {
			if diff := cmp.Diff(test.want, c.pull(pullHeader(topicT, 0, test.offset, anything))); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.name, diff)
			}
		}
	})
}

func TestHeldPullWakesOnArrivalWithinAHop(t *testing.T) {
	inBubble(t, embedded.Config{}, func(w *world) {
		w.createTopic(topicT, 1)
		c, producer := w.client("c1"), w.client("p")
		h := pullHeader(topicT, 0, 0, "A")
		h.SysFlag |= suspend
		held := c.goCall(addrA, protocol.PullMessage, h, nil)
		time.Sleep(3 * time.Second)
		sent := time.Now()
		producer.send(topicT, 0, "A", "hello")
		got := w.parsePull(<-held)
		if took := time.Since(sent); took != 0 {
			t.Errorf("the pull woke %v after the send", took)
		}
		want := pulled{protocol.Success, "FOUND", 1, 0, 1, []string{"hello"}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestTwoClientsHeldOnOneQueueWakeForTheirTags(t *testing.T) {
	inBubble(t, embedded.Config{}, func(w *world) {
		w.createTopic(topicT, 1)
		start := time.Now()
		type held struct {
			name   string
			answer <-chan *remoting.Command
			want   pulled
			took   time.Duration
		}
		hold := func(id, expression string) <-chan *remoting.Command {
			h := pullHeader(topicT, 0, 0, expression)
			h.SysFlag |= suspend
			return w.client(id).goCall(addrA, protocol.PullMessage, h, nil)
		}
		list := []held{
			{"all tags", hold("c1", anything), pulled{protocol.Success, "FOUND", 1, 0, 1, []string{"x"}}, time.Second},
			{"its tag", hold("c2", "B || A"), pulled{protocol.Success, "FOUND", 1, 0, 1, []string{"x"}}, time.Second},
			{"another tag, at the tick", hold("c3", "C"), pulled{protocol.PullRetryImmediately, "NO_MATCHED_MESSAGE", 1, 0, 1, nil}, 5 * time.Second},
		}
		time.Sleep(time.Second)
		w.client("p").send(topicT, 0, "A", "x")
		for _, h := range list {
			if diff := cmp.Diff(h.want, w.parsePull(<-h.answer)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", h.name, diff)
			}
			if took := time.Since(start); took != h.took {
				t.Errorf("%s: answered after %v, want %v", h.name, took, h.took)
			}
		}
		w.cluster.Inspect(func(s *embedded.State) {
			if n := s.Broker(brokerA).Held(); n != 0 {
				t.Errorf("%d pulls are still held", n)
			}
		})
	})
}

func TestHeldPullsOfAGoneClientEndAtTheirTime(t *testing.T) {
	inBubble(t, embedded.Config{}, func(w *world) {
		w.createTopic(topicT, 1)
		c := w.client("c1")
		h := pullHeader(topicT, 0, 0, anything)
		h.SysFlag |= suspend
		c.goCall(addrA, protocol.PullMessage, h, nil)
		synctest.Wait()
		c.stop()
		held := func() (n int) {
			w.cluster.Inspect(func(s *embedded.State) { n = s.Broker(brokerA).HeldOn(topicT, 0) })
			return n
		}
		if held() != 1 {
			t.Error("the pull went with its client")
		}
		time.Sleep(20 * time.Second)
		if held() != 0 {
			t.Error("the pull is held for ever")
		}
	})
}

func TestAHugeHoldingTimeIsNoOverflow(t *testing.T) {
	inBubble(t, embedded.Config{}, func(w *world) {
		w.createTopic(topicT, 1)
		c := w.client("c1")
		h := pullHeader(topicT, 0, 0, anything)
		h.SysFlag |= suspend
		h.SuspendTimeoutMillis = 1<<63 - 1
		held := c.goCall(addrA, protocol.PullMessage, h, nil)
		time.Sleep(30 * time.Second)
		c.send(topicT, 0, "", "x")
		if p := w.parsePull(<-held); len(p.Bodies) != 1 {
			t.Errorf("%+v", p)
		}
	})
}
