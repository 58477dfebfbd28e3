package client

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

// asks sends a request to the client as a broker that wants an answer.
func (w *world) asks(p *remoting.Peer, code protocol.RequestCode, h protocol.Header, body []byte) *remoting.Command {
	w.t.Helper()
	resp, err := p.Call(within(w, time.Minute), &remoting.Command{Code: int32(code), Fields: protocol.Encode(h), Body: body})
	if err != nil {
		w.t.Fatal(err)
	}
	return resp
}

func TestOffsetResetReachesTheConsumerInEachForm(t *testing.T) {
	want := ResetOffsets{From: ba, Topic: "T", Targets: map[mq.MessageQueue]int64{queue("a", 0): 5, queue("a", 3): 100}}
	tests := []struct {
		name    string
		body    string
		targets map[mq.MessageQueue]int64
		skipped int
	}{
		{"queues as keys", `{"offsetTable":{{"brokerName":"a","queueId":3,"topic":"T"}:100,{"brokerName":"a","queueId":0,"topic":"T"}:5}}`, want.Targets, 0},
		{"queues as text keys", `{"offsetTable":{"{\"brokerName\":\"a\",\"queueId\":3,\"topic\":\"T\"}":100,"{\"brokerName\":\"a\",\"queueId\":0,\"topic\":\"T\"}":5}}`, want.Targets, 0},
		{"the list that follows a C++ tool", `{"offsetTable":[{"brokerName":"a","offset":100,"queueId":3,"topic":"T"},{"brokerName":"a","offset":5,"queueId":0,"topic":"T"}]}`, want.Targets, 0},
		{"pairs as Gson writes them", `{"offsetTable":[[{"topic":"T","brokerName":"a","queueId":3},100],[{"topic":"T","brokerName":"a","queueId":0},5]]}`, want.Targets, 0},
		{"entries of another topic or below 0 are left out", `{"offsetTable":[{"brokerName":"a","offset":100,"queueId":3,"topic":"T"},{"brokerName":"a","offset":5,"queueId":0,"topic":"T"},{"brokerName":"a","offset":5,"queueId":1,"topic":"U"},{"brokerName":"a","offset":-1,"queueId":2,"topic":"T"}]}`, want.Targets, 2},
		{"a key that refers to nothing", `{"offsetTable":{{"$ref":"$.x"}:1}}`, map[mq.MessageQueue]int64{}, 1},
		{"an empty table", `{"offsetTable":{}}`, map[mq.MessageQueue]int64{}, 0},
	}
	bubble(t, func(w *world) {
		var got []ResetOffsets
		_, _, p := w.connected(func(r *Registration) {
			r.ResetOffsets = func(_ context.Context, r ResetOffsets) error {
				got = append(got, r)
				return nil
			}
		})
		h := &protocol.ResetOffsetRequest{Topic: "T", Group: "G", QueueID: -1, Timestamp: -1}
		for _, tt := range tests {
			got = nil
			if resp := w.asks(p, protocol.ResetConsumerClientOffset, h, []byte(tt.body)); resp.Code != 0 {
				t.Errorf("%s: answered %d %q", tt.name, resp.Code, resp.Remark)
			}
			want := ResetOffsets{From: ba, Topic: "T", Targets: tt.targets, Skipped: tt.skipped}
			if d := cmp.Diff([]ResetOffsets{want}, got); d != "" {
				t.Errorf("%s: %s", tt.name, d)
			}
		}
	})
}

func TestOffsetResetThatIsNotDoneIsTold(t *testing.T) {
	h := &protocol.ResetOffsetRequest{Topic: "T", Group: "G", QueueID: -1, Timestamp: -1}
	send := func(t *testing.T, p *remoting.Peer, body string) { // as brokers do, one-way
		t.Helper()
		if err := p.Send(&remoting.Command{Code: int32(protocol.ResetConsumerClientOffset), Fields: protocol.Encode(h), Body: []byte(body)}); err != nil {
			t.Fatal(err)
		}
	}
	bubble(t, func(w *world) {
		_, l, p := w.connected(nil)
		send(t, p, `{"offsetTable":{}}`)
		if e := last[event.Entry](t, l); e.Level != event.Warn || e.Where != ba || !strings.Contains(e.What, "does not reset") {
			t.Errorf("told %+v", e)
		}
		send(t, p, `{"offsetTable":{{{`)
		if e := last[event.Entry](t, l); e.Level != event.Warn || !strings.Contains(e.What, "can not be read") {
			t.Errorf("told %+v", e)
		}
	})
}

func TestConsumerStatus(t *testing.T) {
	bubble(t, func(w *world) {
		_, _, p := w.connected(func(r *Registration) {
			r.Offsets = func(ctx context.Context, topic string) (map[mq.MessageQueue]int64, error) {
				switch topic {
				case "slow":
					<-ctx.Done()
					return nil, ctx.Err()
				case "bad":
					return nil, errors.New("no offsets today")
				}
				return map[mq.MessageQueue]int64{{Topic: topic, BrokerName: "a", QueueID: 1}: 42}, nil
			}
		})
		ask := func(topic string) *remoting.Command {
			return w.asks(p, protocol.GetConsumerStatusFromClient, &protocol.GetConsumerStatusRequest{Topic: topic, Group: "G"}, nil)
		}
		resp := ask("T")
		got, err := protocol.DecodeConsumerStatus(resp.Body)
		if resp.Code != 0 || err != nil {
			t.Fatalf("%+v, %v", resp, err)
		}
		if d := cmp.Diff(map[mq.MessageQueue]int64{queue("a", 1): 42}, got.MessageQueueTable); d != "" {
			t.Error(d)
		}
		if resp := ask("bad"); resp.Code != int32(protocol.SystemError) || resp.Remark != "no offsets today" {
			t.Errorf("answered %d %q", resp.Code, resp.Remark)
		}
		start := time.Now()
		if resp := ask("slow"); resp.Code != int32(protocol.ConsumeMsgTimeout) || time.Since(start) != statusWithin {
			t.Errorf("answered %d %q after %v", resp.Code, resp.Remark, time.Since(start))
		}
	})
}

func TestATransactionCheckIsLeftToProducers(t *testing.T) {
	bubble(t, func(w *world) {
		_, l, p := w.connected(nil)
		for _, req := range []*remoting.Command{
			{Fields: protocol.Encode(&protocol.CheckTransactionStateRequest{Topic: "T"}), Body: []byte("junk")},
			{Body: []byte("junk")},
		} {
			req.Code = int32(protocol.CheckTransactionState)
			if resp, err := p.Call(within(w, time.Second), req); !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, remoting.ErrTimeout) {
				t.Errorf("answered %+v, %v, want no answer", resp, err)
			}
		}
		wantTold[event.Entry](t, l, 0)
	})
}
