package consumer_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/client"
	"mqscope/engine/embedded"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/snapshot"
)

// TestP39TheSlaveIsReadWhenTheMasterDiesUnderLoad: the master ends in the middle of many messages;
// all of them come, from the slave, without a pause that a person would see, and offsets wait
// for the master.
func TestP39TheSlaveIsReadWhenTheMasterDiesUnderLoad(t *testing.T) {
	inKind(t, []string{"concurrent", "scheduled", "lite"}, 2, func(w *mode) {
		w.createTopic(topic, 1)
		alive := make(chan bool, 1)
		alive <- true
		w.slaved(func() bool { b := <-alive; alive <- b; return b })
		w.put(first, 6_000, "", 0)
		w.put(queueOf("broker-b", 0), 6_000, "", 0) // what the slave has of it
		kill := func() {
			<-alive
			alive <- false
			w.stopBroker("broker-a")
		}
		killed := false
		w.pulls(first, func(_ *embedded.Request, offset int64) embedded.Verdict {
			if offset > 2_000 && !killed {
				killed = true
				go kill()
			}
			return embedded.Pass
		})
		w.takes = 20 * time.Millisecond
		p := w.start("192.0.2.10@me", "*")
		defer p.stop()
		s := p.after(time.Minute)
		if !killed {
			t.Fatal("the master was not killed")
		}
		if list := w.missing("", first, 0, 6_000); len(list) != 0 {
			w.errorf("%d messages were not delivered, the first is %d\n%s", len(list), list[0], texts(s))
		}
		gap := time.Duration(0)
		for i := 1; i < len(w.list); i++ {
			gap = max(gap, w.list[i].At.Sub(w.list[i-1].At))
		}
		if gap > 5*time.Second {
			w.errorf("nothing was delivered for %v", gap)
		}
		if at := w.committed(queueOf("broker-b", 0)); at != -1 {
			w.errorf("offset %d was committed at the slave", at)
		}
		<-alive
		alive <- true
		w.startBroker("broker-a")
		p.after(75 * time.Second)
		if at := w.committed(first); at != 6_000 {
			w.errorf("the master, back again, has %d committed, want 6000", at)
		}
	})
}

// TestP43ALagThatCouldNotBeReadIsUnknown: one of three brokers answers neither pulls nor questions
// for the end of a queue. Its queues have no lag, and say why; it is not 0.
func TestP43ALagThatCouldNotBeReadIsUnknown(t *testing.T) {
	inKind(t, []string{"concurrent", "orderly", "broadcasting", "scheduled", "lite"}, 3, func(w *mode) {
		w.createTopic(topic, 2)
		for _, b := range w.brokers {
			w.put(queueOf(b, 0), 10, "", 0)
		}
		for _, code := range []protocol.RequestCode{protocol.PullMessage, protocol.LitePullMessage, protocol.GetMaxOffset} {
			w.onCode(code, func(r *embedded.Request) embedded.Verdict {
				if r.Broker == "broker-c" {
					return embedded.Fail(protocol.SystemError, "no stats")
				}
				return embedded.Pass
			})
		}
		p := w.start("192.0.2.10@me", "*")
		defer p.stop()
		s := p.after(20 * time.Second)
		known := 0
		for _, id := range owned(s) {
			q := queue(s, id)
			switch {
			case id.BrokerName == "broker-c":
				if q.Lag.OK() || q.Lag.State != snapshot.Unknown || q.Lag.Reason == "" {
					w.errorf("%v: lag %+v, want it unknown, with a reason", id, q.Lag)
				}
			case q.Lag.OK() && q.Lag.V == 0:
				known++
			default:
				w.errorf("%v: lag %+v, want 0", id, q.Lag)
			}
		}
		if known != 4 || len(owned(s)) != 6 {
			w.errorf("%d queues of %d have a lag, want 4 of 6", known, len(owned(s)))
		}
	})
}

// TestP45MessagesByTimeStayInTheRange: brokers find messages by the second, and offsets by the
// nearest one. What comes back has been stored in the range, its ends included.
func TestP45MessagesByTimeStayInTheRange(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		p, r := w.puller("192.0.2.10@me")
		defer r.stop()
		r.after(time.Second)
		time.Sleep(time.Until(time.Now().Truncate(time.Second).Add(10*time.Second + 100*time.Millisecond)))
		zero := time.Now()
		at := func(ms int) time.Time { return zero.Add(time.Duration(ms) * time.Millisecond) }
		for _, ms := range []int{0, 300, 300, 301, 6_000, 6_400} { // equal times, neighbours, a gap
			time.Sleep(time.Until(at(ms)))
			if _, err := w.producer.Send(w.ctx, client.OutMessage{Topic: topic, Keys: "k", Body: []byte("x")}); err != nil {
				t.Fatal(err)
			}
		}
		for _, c := range []struct {
			name       string
			begin, end int
			want       []int64 // offsets
		}{
			{"all", 0, 6_400, []int64{0, 1, 2, 3, 4, 5}},
			{"both ends are included", 300, 6_000, []int64{1, 2, 3, 4}},
			{"one moment", 300, 300, []int64{1, 2}},
			{"within one second", 301, 899, []int64{3}},
			{"a millisecond before, and one after", 1, 299, nil},
			{"in the gap", 302, 5_999, nil},
			{"behind the end", 6_401, 60_000, nil},
			{"before the beginning", -5_000, -1, nil},
			{"the wrong way round", 6_400, 0, nil},
		} {
			found, err := p.QueryMessage(w.ctx, topic, "k", 32, at(c.begin), at(c.end))
			if err != nil && len(c.want) != 0 {
				t.Errorf("%s: %v", c.name, err)
			}
			var got []int64
			for _, m := range found {
				got = append(got, m.QueueOffset())
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.name, diff)
			}
		}
		for ms, want := range map[int]int64{-1: 0, 0: 0, 1: 1, 300: 1, 301: 3, 302: 4, 6_000: 4, 6_001: 5, 6_400: 5} {
			if got, err := p.SearchOffset(w.ctx, mq.MessageQueue{Topic: topic, BrokerName: "broker-a"}, at(ms)); err != nil || got != want {
				t.Errorf("the offset at %d ms is %d, %v, want %d: the first stored then or later", ms, got, err, want)
			}
		}
	})
}
