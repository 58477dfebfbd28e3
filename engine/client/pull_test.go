package client

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
	"mqscope/engine/route"
)

func pullHeader(q mq.MessageQueue) *protocol.PullMessageRequest {
	return &protocol.PullMessageRequest{ConsumerGroup: "G", Topic: q.Topic, QueueID: q.QueueID, QueueOffset: 100,
		MaxMsgNums: 32, SysFlag: protocol.PullSuspend | protocol.PullCommitOffset, CommitOffset: 90, SuspendTimeoutMillis: 15000}
}

// pullOnce pulls and waits for the answer.
func pullOnce(w *world, i *Instance, q mq.MessageQueue, brokerID int64) PullAnswer {
	w.t.Helper()
	done := make(chan PullAnswer, 2)
	i.Pull(q, brokerID, pullHeader(q), 30*time.Second, func(a PullAnswer) { done <- a })
	return <-done
}

func pullReply(c protocol.ResponseCode, h *protocol.PullMessageResponse, body []byte) handler {
	return func(*remoting.Command) *remoting.Command {
		r := &remoting.Command{Code: int32(c), Body: body}
		if h != nil {
			r.Fields = protocol.Encode(h)
		}
		return r
	}
}

// storedMessages is the bytes of n stored messages.
func storedMessages(t testing.TB, n int) []byte {
	t.Helper()
	var data []byte
	for k := range n {
		var err error
		data, err = protocol.AppendMessage(data, &protocol.StoredMessage{
			QueueOffset: 100 + int64(k), PhysicalOffset: 4096 + int64(k)*200, Topic: "T", Body: fmt.Appendf(nil, "body %d", k),
			BornHost: netip.MustParseAddrPort("10.1.2.9:5555"), StoreHost: netip.MustParseAddrPort("10.1.2.3:10911"),
			BornTime: 1700000000000, StoreTime: 1700000000001, Properties: []byte("UNIQ_KEY\x01ID\x02TAGS\x01A\x02"),
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return data
}

func TestS2PullAnswers(t *testing.T) {
	body := storedMessages(t, 2)
	next := &protocol.PullMessageResponse{SuggestWhichBrokerID: 1, NextBeginOffset: 102, MinOffset: 5, MaxOffset: 150}
	delta := *next
	delta.OffsetDelta = protocol.Some(int64(7))
	tests := []struct {
		name   string
		answer handler
		want   PullAnswer // without Err, Broker and Owner
		err    string
	}{
		{"messages", pullReply(protocol.Success, next, body),
			PullAnswer{Status: mq.Found, Next: 102, Min: 5, Max: 150, Suggest: 1, Data: body}, ""},
		{"messages of a static topic", pullReply(protocol.Success, &delta, body),
			PullAnswer{Status: mq.Found, Next: 102, Min: 5, Max: 150, Suggest: 1, OffsetDelta: 7, Data: body}, ""},
		{"nothing new", pullReply(protocol.PullNotFound, next, nil),
			PullAnswer{Status: mq.NoNewMsg, Next: 102, Min: 5, Max: 150, Suggest: 1, Code: 19}, ""},
		{"nothing matched", pullReply(protocol.PullRetryImmediately, next, nil),
			PullAnswer{Status: mq.NoMatchedMsg, Next: 102, Min: 5, Max: 150, Suggest: 1, Code: 20}, ""},
		{"offset out of range", pullReply(protocol.PullOffsetMoved, next, nil),
			PullAnswer{Status: mq.OffsetIllegal, Next: 102, Min: 5, Max: 150, Suggest: 1, Code: 21}, ""},
		{"flow control of the broker", pullReply(protocol.FlowControl, nil, nil),
			PullAnswer{Status: mq.PullFailed, Next: 100, Min: -1, Max: -1, Code: 215}, "FLOW_CONTROL (215)"},
		{"busy", pullReply(protocol.SystemBusy, nil, nil),
			PullAnswer{Status: mq.PullFailed, Next: 100, Min: -1, Max: -1, Code: 2}, "SYSTEM_BUSY (2)"},
		{"an error that has a body", pullReply(protocol.SystemError, next, body),
			PullAnswer{Status: mq.PullFailed, Next: 100, Min: -1, Max: -1, Code: 1}, "SYSTEM_ERROR (1)"},
		{"success without the header", pullReply(protocol.Success, nil, body),
			PullAnswer{Status: mq.PullFailed, Next: 100, Min: -1, Max: -1}, "suggestWhichBrokerId"},
		{"success without messages", pullReply(protocol.Success, next, nil),
			PullAnswer{Status: mq.PullFailed, Next: 100, Min: -1, Max: -1}, "without messages"},
		{"a negative next offset", pullReply(protocol.PullOffsetMoved, &protocol.PullMessageResponse{NextBeginOffset: -1}, nil),
			PullAnswer{Status: mq.PullFailed, Next: 100, Min: -1, Max: -1, Code: 21}, "next offset -1"},
		{"no answer", silent,
			PullAnswer{Status: mq.PullFailed, Next: 100, Min: -1, Max: -1}, "no answer in time"},
	}
	bubble(t, func(w *world) {
		_, a, _ := w.twoBrokers()
		i, _ := w.joined()
		synctest.Wait()
		for _, tt := range tests {
			a.answer(protocol.PullMessage, tt.answer)
			got := pullOnce(w, i, queue("a", 0), 0)
			if (got.Err != nil) != (tt.err != "") || got.Err != nil && !strings.Contains(got.Err.Error(), tt.err) {
				t.Errorf("%s: error is %v, want %q", tt.name, got.Err, tt.err)
			}
			if got.Err != nil && !strings.Contains(got.Err.Error(), "pull T/a/0 at 100 from "+ba) {
				t.Errorf("%s: error %q does not say what was tried", tt.name, got.Err)
			}
			if (got.Owner != nil) != (len(tt.want.Data) > 0) {
				t.Errorf("%s: owner is %v", tt.name, got.Owner)
			}
			owner := got.Owner
			tt.want.Broker = route.Found{BrokerName: "a", Addr: ba}
			got.Err, got.Owner, got.Took = nil, nil, 0
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("%s: %s", tt.name, d)
			}
			if owner != nil {
				owner.Release()
			}
		}
	})
}

// TestPulledBytesAreHandedOver keeps the bytes of many answers while more arrive: a buffer
// that was given away must not be used for another frame before its owner is released.
func TestPulledBytesAreHandedOver(t *testing.T) {
	bubble(t, func(w *world) {
		_, a, _ := w.twoBrokers()
		n := int64(0)
		a.answer(protocol.PullMessage, func(*remoting.Command) *remoting.Command {
			n++
			return pullReply(protocol.Success, &protocol.PullMessageResponse{NextBeginOffset: n}, storedMessages(t, int(n)))(nil)
		})
		i, _ := w.joined()
		synctest.Wait()
		var batches []*mq.Batch
		for range 20 {
			got := pullOnce(w, i, queue("a", 0), 0)
			b := &mq.Batch{}
			b.Reset(got.Data, got.Owner)
			if err := protocol.IndexMessages(b, got.OffsetDelta); err != nil {
				t.Fatal(err)
			}
			batches = append(batches, b)
		}
		for k, b := range batches {
			if b.Len() != k+1 || string(b.At(k).Body()) != fmt.Sprintf("body %d", k) {
				t.Errorf("batch %d was overwritten: %d messages, last %q", k, b.Len(), b.At(b.Len()-1).Body())
			}
			b.Release(1)
		}
	})
}

func TestS2PullRequest(t *testing.T) {
	bubble(t, func(w *world) {
		w.serve(ns1).names(map[string]protocol.TopicRouteData{"T": routeOf(4, "a="+ba+","+bb)})
		master, slave := w.serve(ba), w.serve(bb)
		i, _ := w.joined()
		synctest.Wait()

		h := pullHeader(queue("a", 3))
		before := *h
		done := make(chan PullAnswer, 1)
		i.Pull(queue("a", 3), 0, h, time.Second, func(a PullAnswer) { done <- a })
		<-done
		if d := cmp.Diff(before, *h); d != "" {
			t.Errorf("the caller's header was changed: %s", d)
		}
		want := before
		want.BName = "a"
		if d := cmp.Diff(want, decode[protocol.PullMessageRequest](t, master.got(protocol.PullMessage)[0])); d != "" {
			t.Error(d)
		}

		if got := pullOnce(w, i, queue("a", 3), 1); got.Broker.ID != 1 || got.Broker.Addr != bb {
			t.Errorf("asked %+v, want the slave", got.Broker)
		}
		sent := decode[protocol.PullMessageRequest](t, slave.got(protocol.PullMessage)[0])
		if sent.SysFlag != protocol.PullSuspend || sent.CommitOffset != 0 {
			t.Errorf("flags %d and commit offset %d went to a slave", sent.SysFlag, sent.CommitOffset)
		}

		h.SysFlag = protocol.PullLite
		i.Pull(queue("a", 3), 0, h, time.Second, func(a PullAnswer) { done <- a })
		<-done
		if len(master.got(protocol.LitePullMessage)) != 1 {
			t.Error("a lite pull has the wrong request code")
		}
	})
}

func TestPullStandsInForAMissingSlave(t *testing.T) {
	bubble(t, func(w *world) {
		_, a, _ := w.twoBrokers()
		a.answer(protocol.PullMessage, pullReply(protocol.PullNotFound, &protocol.PullMessageResponse{}, nil))
		i, _ := w.joined()
		synctest.Wait()
		if got := pullOnce(w, i, queue("a", 0), 1); got.Broker.ID != 0 || got.Status != mq.NoNewMsg {
			t.Errorf("got %+v, want the master to stand in", got)
		}
	})
}

func TestPullFromAnUnknownBroker(t *testing.T) {
	bubble(t, func(w *world) {
		ns, _, _ := w.twoBrokers()
		i, _ := w.joined()
		time.Sleep(5 * time.Second)
		ns.forget()
		// Unbuffered: an answer on the goroutine that calls Pull would block it for ever.
		done := make(chan PullAnswer)
		i.Pull(queue("new", 0), 0, pullHeader(queue("new", 0)), time.Second, func(a PullAnswer) { done <- a })
		if a := <-done; !errors.Is(a.Err, ErrNoBroker) || Classify(a.Err) != Missing {
			t.Errorf("error is %v", a.Err)
		}
		synctest.Wait()
		if n := len(ns.got(protocol.GetRouteInfoByTopic)); n != 1 {
			t.Errorf("the route was asked for %d times, want once", n)
		}
		for range 100 {
			pullOnce(w, i, queue("new", 0), 0)
		}
		synctest.Wait()
		if n := len(ns.got(protocol.GetRouteInfoByTopic)); n != 1 {
			t.Errorf("a hundred failed pulls at once asked for the route %d times, want at most once a second", n)
		}
	})
}

func TestPullFailsAtOnceWhenItsConnectionEnds(t *testing.T) {
	bubble(t, func(w *world) {
		_, a, _ := w.twoBrokers()
		a.answer(protocol.PullMessage, silent)
		i, _ := w.joined()
		synctest.Wait()
		done := make(chan PullAnswer, 1)
		i.Pull(queue("a", 0), 0, pullHeader(queue("a", 0)), 30*time.Second, func(a PullAnswer) { done <- a })
		synctest.Wait()
		began := time.Now()
		w.net.CutAll(ba)
		got := <-done
		if time.Since(began) != 0 || !errors.Is(got.Err, remoting.ErrLost) || Classify(got.Err) != Lost {
			t.Errorf("after %v: %v of class %v", time.Since(began), got.Err, Classify(got.Err))
		}
	})
}

func BenchmarkPullAnswer(b *testing.B) {
	i, err := New(Config{NameServers: []string{ns1}, ClientID: "c"})
	if err != nil {
		b.Fatal(err)
	}
	cmd := &remoting.Command{Body: storedMessages(b, 32), Fields: protocol.Encode(&protocol.PullMessageResponse{NextBeginOffset: 132, MaxOffset: 1000})}
	a := remoting.Answer{Cmd: cmd}
	q, from := queue("a", 0), route.Found{BrokerName: "a", Addr: ba}
	b.SetBytes(int64(len(cmd.Body)))
	b.ReportAllocs()
	for b.Loop() {
		if p := i.pulled(q, 100, from, &a); len(p.Data) != len(cmd.Body) {
			b.Fatal(p.Err)
		}
	}
}
