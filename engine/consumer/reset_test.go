package consumer_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mqscope/engine/consumer"
	"mqscope/engine/embedded"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/snapshot"
)

func TestAResetOfABrokerMovesEveryQueue(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 4)
		m := w.join("192.0.2.10@me", nil)
		w.send(100, "a")
		m.after(10 * time.Second)
		pulls := w.record(protocol.PullMessage, protocol.UpdateConsumerOffset)
		w.admin().reset(time.Unix(0, 0))

		s := m.after(9 * time.Second)
		if got := repeated(m); got != 0 {
			t.Errorf("%d messages were delivered again before the ten seconds were over", got)
		}
		for _, id := range owned(s) {
			if q := queue(s, id); q.State != snapshot.Dropped || q.Count.V != 0 || q.Note != "dropped, its offset is being reset to 0" {
				t.Errorf("%v: %v (%s) with %d cached, want dropped and empty", id, q.State, q.Note, q.Count.V)
			}
			for _, c := range pulls.commits(id) {
				if c.Commit != w.end(id) {
					t.Errorf("%v: %d was committed during the wait, want the old offset", id, c.Commit)
				}
			}
			if n := len(pulls.pulls(id)); n != 0 {
				t.Errorf("%v was pulled %d times while it was dropped", id, n)
			}
		}
		if n := len(pulls.pulls(mq.MessageQueue{Topic: mq.RetryTopic(group), BrokerName: "broker-a"})); n > 0 {
			t.Errorf("the retry topic was pulled %d times, want all pulling to pause", n)
		}

		s = m.after(15 * time.Second)
		if distinct(m) != 100 || repeated(m) != 100 {
			t.Errorf("%d messages, %d deliveries again, want each of 100 once more", distinct(m), repeated(m))
		}
		m.caughtUp(s, 4)
		for _, id := range owned(s) {
			want := fmt.Sprintf("%d → 0, %[1]d come again", w.end(id))
			if !said(s, "offset", func(what string) bool { return strings.Contains(what, want) }) {
				t.Errorf("no event tells %q:\n%s", want, texts(s))
			}
		}
		if n := len(told(s, "pulling goes on after a reset")); n != 1 {
			t.Errorf("told %d times that pulling goes on, want once:\n%s", n, texts(s))
		}
	}, resetByClients)
}

func TestAResetForwardSkipsWhatIsLeft(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		release := make(chan struct{})
		m := w.join("192.0.2.10@me", holds(release), func(c *consumer.Config) { c.Threads = 2 })
		w.sendTo(first, 10)
		m.after(5 * time.Second) // two are with the listener, eight are cached
		w.orderTargets("broker-a", map[mq.MessageQueue]int64{first: 10})
		m.after(5 * time.Second)
		close(release) // what the listener says now is discarded
		s := m.after(15 * time.Second)
		if got := distinct(m); got != 2 {
			t.Errorf("%d messages were delivered, want the two that ran already", got)
		}
		if at := w.committed(first); at != 10 {
			t.Errorf("committed %d, want 10", at)
		}
		if len(told(s, "→ 10")) != 1 {
			t.Errorf("no event has the new offset:\n%s", texts(s))
		}
		w.sendTo(first, 5)
		m.after(5 * time.Second)
		if got := distinct(m); got != 7 {
			t.Errorf("%d messages were delivered, want the two and five new ones", got)
		}
	})
}

func TestFormsOfAReset(t *testing.T) {
	for _, c := range []struct{ name, body string }{
		{"objects as keys", `{"offsetTable":{{"brokerName":"broker-a","queueId":0,"topic":"orders"}:3}}`},
		{"list for C++", `{"offsetTable":[{"brokerName":"broker-a","offset":3,"queueId":0,"topic":"orders"}]}`},
		{"pairs of Gson", `{"offsetTable":[[{"topic":"orders","brokerName":"broker-a","queueId":0},3]]}`},
		{"with junk beside it", `{"offsetTable":[{"brokerName":"broker-a","offset":3,"queueId":0,"topic":"orders"},{"brokerName":"broker-a","offset":-5,"queueId":1,"topic":"orders"},{"offset":1}]}`},
	} {
		inWorld(t, 1, func(w *world) {
			w.createTopic(topic, 1)
			m := w.join("192.0.2.10@me", nil)
			w.sendTo(first, 10)
			m.after(10 * time.Second)
			w.order("broker-a", []byte(c.body))
			s := m.after(20 * time.Second)
			if got := repeated(m); got != 7 {
				t.Errorf("%s: %d deliveries again, want those of offsets 3 to 9:\n%s", c.name, got, texts(s))
			}
			m.caughtUp(s, 1)
		})
	}
}

func TestResetsThatChangeNothingAreTold(t *testing.T) {
	refuse := func(c *consumer.Config) { c.AllowBrokerRequests.Reset = consumer.Refused }
	for _, c := range []struct {
		name   string
		body   string
		change func(*consumer.Config)
		told   string
	}{
		{"refused by configuration", `{"offsetTable":{{"brokerName":"broker-a","queueId":0,"topic":"orders"}:3}}`, refuse, "refused by configuration"},
		{"queues of others", `{"offsetTable":{{"brokerName":"broker-z","queueId":0,"topic":"orders"}:3}}`, nil, "0 of 1 queues are ours"},
		{"another topic", `{"offsetTable":{{"brokerName":"broker-a","queueId":0,"topic":"other"}:3}}`, nil, "no queue of the topic"},
		{"an offset below 0", `{"offsetTable":{{"brokerName":"broker-a","queueId":0,"topic":"orders"}:-1}}`, nil, "no queue of the topic"},
		{"no queue", `{"offsetTable":{}}`, nil, "0 of 0 queues are ours"},
		{"junk", `{"offsetTable":{{{`, nil, "can not be read"},
		{"no body", ``, nil, "can not be read"},
	} {
		inWorld(t, 1, func(w *world) {
			w.createTopic(topic, 1)
			m := w.join("192.0.2.10@me", nil, func(cfg *consumer.Config) {
				if c.change != nil {
					c.change(cfg)
				}
			})
			w.sendTo(first, 10)
			m.after(10 * time.Second)
			w.order("broker-a", []byte(c.body))
			s := m.after(time.Second)
			if q := queue(s, first); q.State == snapshot.Dropped {
				t.Errorf("%s: the queue was dropped", c.name)
			}
			w.sendTo(first, 5)
			s = m.after(20 * time.Second)
			if distinct(m) != 15 || repeated(m) != 0 {
				t.Errorf("%s: %d messages, %d again, want 15 once", c.name, distinct(m), repeated(m))
			}
			if e := told(s, c.told); len(e) != 1 || e[0].Level != snapshot.Warn {
				t.Errorf("%s: told %d times %q:\n%s", c.name, len(e), c.told, texts(s))
			}
		})
	}
}

func TestASecondResetWhileTheFirstIsUnderWayCounts(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 2)
		second := queueOf("broker-a", 1)
		m := w.join("192.0.2.10@me", nil)
		w.sendTo(first, 10)
		w.sendTo(second, 10)
		m.after(10 * time.Second)
		w.orderTargets("broker-a", map[mq.MessageQueue]int64{first: 0})
		m.after(4 * time.Second)
		w.orderTargets("broker-a", map[mq.MessageQueue]int64{first: 8, second: 5})
		s := m.after(7 * time.Second)
		if at := w.committed(first); at != 8 {
			t.Errorf("11 s after the first reset %d is committed, want 8", at)
		}
		if q := queue(s, second); q.State != snapshot.Dropped {
			t.Errorf("the other queue is %v, want its own ten seconds", q.State)
		}
		s = m.after(10 * time.Second)
		if got := repeated(m); got != 7 {
			t.Errorf("%d deliveries again, want 2 of the first and 5 of the second queue", got)
		}
		m.caughtUp(s, 2)
		if len(told(s, "changed the reset under way: to 8")) != 1 {
			t.Errorf("the change was not told:\n%s", texts(s))
		}
	})
}

func TestAResetOutlastsABrokerThatIsAway(t *testing.T) {
	inWorld(t, 2, func(w *world) {
		w.createTopic(topic, 1)
		other := queueOf("broker-b", 0)
		m := w.join("192.0.2.10@me", nil)
		w.sendTo(first, 10)
		m.after(10 * time.Second)
		w.orderTargets("broker-a", map[mq.MessageQueue]int64{first: 4})
		m.after(5 * time.Second)
		w.stopBroker("broker-a")
		w.sendTo(other, 10)
		m.after(12 * time.Second)
		if got := distinct(m); got != 20 {
			t.Errorf("%d messages, want those of the other broker too: only the first try may hold it up", got)
		}
		w.startBroker("broker-a")
		s := m.after(30 * time.Second)
		if got := repeated(m); got != 6 {
			t.Errorf("%d deliveries again, want those of 4 to 9:\n%s", got, texts(s))
		}
		m.caughtUp(s, 2)
	})
}

func TestAQueueGivenUpDuringItsResetIsCommittedWhereTheResetWantsIt(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 2)
		second := queueOf("broker-a", 1)
		a := w.join("192.0.2.10@a", nil)
		w.sendTo(first, 10)
		w.sendTo(second, 10)
		a.after(10 * time.Second)
		w.orderTargets("broker-a", map[mq.MessageQueue]int64{first: 2, second: 4})
		a.after(2 * time.Second)
		commits := w.record(protocol.UpdateConsumerOffset)
		b := w.join("192.0.2.11@b", nil) // takes the second queue over
		s := a.after(2 * time.Second)
		list := commits.commits(second)
		if len(list) == 0 || slices.ContainsFunc(list, func(r request) bool { return r.Commit != 4 }) {
			t.Errorf("commits of the queue that was given up: %v, want 4", list)
		}
		if len(told(s, "10 → 4, 6 come again, sent as the queue is given up")) != 1 {
			t.Errorf("no event tells of it:\n%s", texts(s))
		}
		s = a.after(20 * time.Second)
		if got := repeated(a); got != 8 {
			t.Errorf("the old owner got %d again, want 2 to 9 of the queue it kept:\n%s", got, texts(s))
		}
		a.caughtUp(s, 1)
		b.caughtUp(b.after(0), 1)
	})
}

func TestAResetIsNotLostWhenItsMemberLeaves(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		a := w.join("192.0.2.10@a", nil)
		w.sendTo(first, 10)
		a.after(10 * time.Second)
		w.orderTargets("broker-a", map[mq.MessageQueue]int64{first: 3})
		a.after(2 * time.Second)
		a.stop()
		if at := w.committed(first); at != 3 {
			t.Errorf("committed %d, want 3", at)
		}
	})
}

func TestAResetBeyondTheEndIsRepaired(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		m := w.join("192.0.2.10@me", nil)
		w.sendTo(first, 10)
		m.after(10 * time.Second)
		w.orderTargets("broker-a", map[mq.MessageQueue]int64{first: 1 << 62})
		m.after(20 * time.Second)
		w.sendTo(first, 5)
		s := m.after(20 * time.Second)
		if distinct(m) != 15 {
			t.Errorf("%d messages, want all 15:\n%s", distinct(m), texts(s))
		}
		m.caughtUp(s, 1)
	})
}

func TestAResetMeetsARepairOfTheSameQueue(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		m := w.join("192.0.2.10@me", nil)
		w.sendTo(first, 10)
		m.after(10 * time.Second)
		// The pull that is out is answered with OFFSET_ILLEGAL after the reset has begun.
		w.on("broker-a", func(b *embedded.Broker) { b.ResetOffset(group, topic, 0, 8) })
		w.orderTargets("broker-a", map[mq.MessageQueue]int64{first: 3})
		m.after(2 * time.Second)
		w.sendTo(first, 1)
		s := m.after(60 * time.Second)
		if distinct(m) != 11 || m.deliveries("broker-a-0-1") != 1 {
			t.Errorf("%d messages", distinct(m))
		}
		if got := repeated(m); got < 7 {
			t.Errorf("%d deliveries again, want those of 3 to 9 at least:\n%s", got, texts(s))
		}
		m.caughtUp(s, 1)
	})
}

func TestABroadcastingMemberResetsItsFile(t *testing.T) {
	dir := t.TempDir()
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		m := w.join("192.0.2.10@me", nil, broadcasting(dir))
		w.sendTo(first, 10)
		m.after(10 * time.Second)
		w.orderTargets("broker-a", map[mq.MessageQueue]int64{first: 6})
		s := m.after(20 * time.Second)
		if got := repeated(m); got != 4 {
			t.Errorf("%d deliveries again, want those of 6 to 9:\n%s", got, texts(s))
		}
		m.stop()
		again := w.join("192.0.2.10@me", nil, broadcasting(dir))
		again.after(10 * time.Second)
		if got := distinct(again); got != 0 {
			t.Errorf("after a restart %d messages came again", got)
		}
	})
}

// TestABrokerThatResetsAgainAndAgainBlocksNothing: resets at wire speed are held up by the
// loop; all of them end, and the member goes on.
func TestABrokerThatResetsAgainAndAgainBlocksNothing(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		m := w.join("192.0.2.10@me", nil)
		w.sendTo(first, 10)
		m.after(10 * time.Second)
		for n := range int64(2000) {
			w.orderTargets("broker-a", map[mq.MessageQueue]int64{first: n % 10})
		}
		s := m.after(30 * time.Second)
		if got := repeated(m); got > 10 {
			t.Errorf("%d deliveries again, want those of one reset at most", got)
		}
		m.caughtUp(s, 1)
		w.sendTo(first, 5)
		m.after(5 * time.Second)
		if distinct(m) != 15 {
			t.Errorf("%d messages, want 15", distinct(m))
		}
	})
}
