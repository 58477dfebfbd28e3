package embedded_test

import (
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine/embedded"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

func TestInterceptDecidesWhatBecomesOfARequest(t *testing.T) {
	type outcome struct {
		Code     protocol.ResponseCode // −1: no answer
		Remark   string
		Took     time.Duration
		Stored   int64
		NewConns int // connections made again
	}
	for _, test := range []struct {
		name    string
		verdict embedded.Verdict
		want    outcome
	}{
		{"nothing happens without a verdict", nil, outcome{Stored: 1}},
		{"pass", embedded.Pass, outcome{Stored: 1}},
		{"drop", embedded.Drop, outcome{Code: -1, Took: 40 * time.Second}},
		{"the answer is dropped", embedded.DropReply, outcome{Code: -1, Took: 40 * time.Second, Stored: 1}},
		{"the connection is closed before", embedded.CloseConn, outcome{Code: -1}},
		{"the connection is closed after", embedded.CloseAfter, outcome{Code: -1, Stored: 1}},
		{"a failure", embedded.Fail(protocol.SystemBusy, "busy"), outcome{Code: protocol.SystemBusy, Remark: "busy"}},
		{"an answer", embedded.Answer(&remoting.Command{Code: 0, Remark: "made up"}), outcome{Remark: "made up"}},
		{"a delayed request", embedded.Delay(3 * time.Second), outcome{Took: 3 * time.Second, Stored: 1}},
		{"a delayed answer", embedded.DelayReply(2 * time.Second), outcome{Took: 2 * time.Second, Stored: 1}},
		{"an edited answer", embedded.Edit(func(resp *remoting.Command) { resp.Remark = "edited" }), outcome{Remark: "edited", Stored: 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			inBubble(t, embedded.Config{}, func(w *world) {
				w.createTopic(topicT, 1)
				c := w.client("c1")
				seen := 0
				remove := w.cluster.Intercept(int32(protocol.SendMessageV2), func(r *embedded.Request) embedded.Verdict {
					if seen++; r.Broker != brokerA || r.Outgoing || r.From == "" || r.Cmd.Code != int32(protocol.SendMessageV2) {
						t.Errorf("request %+v", r)
					}
					return test.verdict
				})
				start := time.Now()
				got := outcome{Code: -1}
				if resp, err := c.try(addrA, protocol.SendMessageV2, sendHeader(topicT, 0), []byte("x")); err == nil {
					got.Code, got.Remark = protocol.ResponseCode(resp.Code), resp.Remark
				}
				got.Took = time.Since(start)
				w.cluster.Inspect(func(s *embedded.State) { got.Stored = s.Broker(brokerA).MaxOffset(topicT, 0) })
				if got != test.want || seen != 1 {
					t.Errorf("seen %d times, %+v, want %+v", seen, got, test.want)
				}
				remove()
				w.client("c2").send(topicT, 0, "", "y")
				if seen != 1 {
					t.Error("a removed function was called")
				}
			})
		})
	}
}

func TestInterceptSeesWhatBrokersSend(t *testing.T) {
	inBubble(t, embedded.Config{}, func(w *world) {
		w.createTopic(topicT, 1)
		c := w.client("c1")
		w.cluster.Intercept(int32(protocol.NotifyConsumerIDsChanged), func(r *embedded.Request) embedded.Verdict {
			if !r.Outgoing {
				t.Errorf("request %+v", r)
			}
			return embedded.Drop
		})
		c.heartbeat(sub(t, topicT, anything, 1))
		synctest.Wait()
		if len(c.requests) != 0 {
			t.Error("the notice was sent all the same")
		}
	})
}

func TestTheFirstVerdictOtherThanPassCounts(t *testing.T) {
	inBubble(t, embedded.Config{}, func(w *world) {
		c := w.client("c1")
		w.cluster.Intercept(embedded.AnyCode, func(*embedded.Request) embedded.Verdict { return embedded.Pass })
		w.cluster.Intercept(embedded.AnyCode, func(*embedded.Request) embedded.Verdict { return embedded.Fail(protocol.SystemBusy, "") })
		w.cluster.Intercept(int32(protocol.GetMaxOffset), func(*embedded.Request) embedded.Verdict { return embedded.Fail(protocol.FlowControl, "") })
		c.want(protocol.SystemBusy, addrA, protocol.GetMaxOffset, &protocol.GetMaxOffsetRequest{Topic: topicT}, nil)
		c.want(protocol.SystemBusy, nsAddr, protocol.GetBrokerClusterInfo, &protocol.HeartbeatRequest{}, nil)
	})
}

func TestAHeldPullIsEditedWhenItIsAnswered(t *testing.T) {
	inBubble(t, embedded.Config{}, func(w *world) {
		w.createTopic(topicT, 1)
		c := w.client("c1")
		w.cluster.Intercept(int32(protocol.PullMessage), func(*embedded.Request) embedded.Verdict {
			return embedded.Edit(func(resp *remoting.Command) { resp.Body = resp.Body[:len(resp.Body)-1] })
		})
		h := pullHeader(topicT, 0, 0, anything)
		h.SysFlag |= suspend
		held := c.goCall(addrA, protocol.PullMessage, h, nil)
		synctest.Wait()
		sent := c.send(topicT, 0, "", "cut")
		resp := <-held
		var stored int
		w.cluster.Inspect(func(s *embedded.State) {
			m, ok := s.Broker(brokerA).Message(topicT, 0, sent.QueueOffset)
			if !ok {
				t.Fatal("the message is not stored")
			}
			stored = m.StoreSize()
		})
		if len(resp.Body) != stored-1 {
			t.Errorf("%d bytes of a record of %d", len(resp.Body), stored)
		}
	})
}
