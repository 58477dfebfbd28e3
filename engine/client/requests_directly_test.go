package client

import (
	"bufio"
	"context"
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

// capturedDirectly is a request that Apache's broker sent to a Java client: its fields and
// the stored message.
func capturedDirectly(t testing.TB) (fields remoting.Fields, body []byte) {
	t.Helper()
	f, err := os.Open("../../testdata/vectors/bodies/captured.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c struct {
			Code   int
			Answer *int
			Fields map[string]string
			Body   string
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		if c.Code != int(protocol.ConsumeMessageDirectly) || c.Answer != nil {
			continue
		}
		for k, v := range c.Fields {
			fields.Set(k, v)
		}
		if body, err = hex.DecodeString(c.Body); err != nil {
			t.Fatal(err)
		}
		return fields, body
	}
	t.Fatal("no such request was captured")
	return nil, nil
}

func TestAMessageOfApachesBrokerIsConsumedDirectly(t *testing.T) {
	fields, body := capturedDirectly(t)
	bubble(t, func(w *world) {
		var got []string
		_, _, p := w.connected(func(r *Registration) {
			r.ConsumeDirectly = func(_ context.Context, d ConsumeDirectly) (protocol.ConsumeMessageDirectlyResult, error) {
				m := d.Message
				got = append(got, d.From, d.MsgID, m.Topic(), m.Keys(), m.Tags(), m.Batch().BrokerName, string(m.Body()[:9]))
				return protocol.ConsumeMessageDirectlyResult{AutoCommit: true, ConsumeResult: protocol.ResultSuccess, SpentMillis: 2}, nil
			}
		})
		fields.Set("consumerGroup", "G")
		resp, err := p.Call(within(w, time.Second), &remoting.Command{Code: int32(protocol.ConsumeMessageDirectly), Fields: fields, Body: body})
		if err != nil || resp.Code != 0 {
			t.Fatalf("%+v, %v", resp, err)
		}
		if want := `{"autoCommit":true,"consumeResult":"CR_SUCCESS","order":false,"spentTimeMills":2}`; string(resp.Body) != want {
			t.Errorf("answered %s, Java answers %s", resp.Body, want)
		}
		want := []string{ba, "7F000001000051AF0000000000001621", "orders", "k15", "TagA", "broker-a", "order-15 "}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	})
}

// record is one message as brokers store it.
func record(t testing.TB, m protocol.StoredMessage) []byte {
	t.Helper()
	body, err := protocol.AppendMessage(nil, &m)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func TestMessagesToBeConsumedDirectlyAreReadWithCare(t *testing.T) {
	plain := protocol.StoredMessage{Topic: "T", Body: []byte("b")}
	retried := protocol.StoredMessage{Topic: mq.RetryTopic("G"), Body: []byte("b"),
		Properties: protocol.AppendProperties(nil, []protocol.Property{{Name: mq.PropertyRetryTopic, Value: "T"}})}
	squeezed := protocol.StoredMessage{Topic: "T", Body: []byte("this is not zlib"), SysFlag: mq.CompressedFlag}
	one := record(t, plain)
	tests := []struct {
		name   string
		body   []byte
		topic  string // of the message, when it is given to the consumer
		remark string // when it is not
	}{
		{"a message", one, "T", ""},
		{"one from the retry topic shows where it came from", record(t, retried), "T", ""},
		{"one that can not be decompressed is the consumer's to judge", record(t, squeezed), "T", ""},
		{"no message", nil, "", "there is none"},
		{"two messages", append(one[:len(one):len(one)], one...), "", "there are 2"},
		{"half a message", one[:len(one)/2], "", "can not be read"},
		{"junk", []byte("junk"), "", "can not be read"},
		{"a size beyond all bytes", []byte{0x7f, 0xff, 0xff, 0xff, 0xda, 0xa3, 0x20, 0xa7}, "", "can not be read"},
	}
	bubble(t, func(w *world) {
		var got []mq.Message
		_, _, p := w.connected(func(r *Registration) {
			r.ConsumeDirectly = func(_ context.Context, d ConsumeDirectly) (protocol.ConsumeMessageDirectlyResult, error) {
				got = append(got, d.Message)
				return protocol.ConsumeMessageDirectlyResult{ConsumeResult: protocol.ResultLater}, nil
			}
		})
		for _, tt := range tests {
			got = nil
			resp := w.asks(p, protocol.ConsumeMessageDirectly, &protocol.ConsumeMessageDirectlyRequest{ConsumerGroup: "G"}, tt.body)
			switch {
			case tt.remark != "":
				if resp.Code != int32(protocol.SystemError) || !strings.Contains(resp.Remark, tt.remark) || got != nil {
					t.Errorf("%s: answered %d %q, %d messages were consumed", tt.name, resp.Code, resp.Remark, len(got))
				}
			case resp.Code != 0 || len(got) != 1 || got[0].Topic() != tt.topic:
				t.Errorf("%s: answered %d %q, consumed %v", tt.name, resp.Code, resp.Remark, got)
			}
		}
	})
}

func TestNobodyConsumesDirectlyForAnUnknownGroupOrWithoutAHook(t *testing.T) {
	bubble(t, func(w *world) {
		_, _, p := w.connected(nil)
		body := record(t, protocol.StoredMessage{Topic: "T", Body: []byte("b")})
		for group, remark := range map[string]string{"X": `no consumer of group "X"`, "G": "does not consume a message on request"} {
			resp := w.asks(p, protocol.ConsumeMessageDirectly, &protocol.ConsumeMessageDirectlyRequest{ConsumerGroup: group}, body)
			if resp.Code != int32(protocol.SystemError) || !strings.Contains(resp.Remark, remark) {
				t.Errorf("group %s: answered %d %q", group, resp.Code, resp.Remark)
			}
		}
	})
}

func TestConsumerThatTakesTooLongIsAnsweredForInTime(t *testing.T) {
	bubble(t, func(w *world) {
		_, _, p := w.connected(func(r *Registration) {
			r.ConsumeDirectly = func(ctx context.Context, _ ConsumeDirectly) (protocol.ConsumeMessageDirectlyResult, error) {
				<-ctx.Done()
				return protocol.ConsumeMessageDirectlyResult{}, ctx.Err()
			}
		})
		start := time.Now()
		resp := w.asks(p, protocol.ConsumeMessageDirectly, &protocol.ConsumeMessageDirectlyRequest{ConsumerGroup: "G"},
			record(t, protocol.StoredMessage{Topic: "T", Body: []byte("b")}))
		if resp.Code != int32(protocol.ConsumeMsgTimeout) || time.Since(start) != directlyWithin {
			t.Errorf("answered %d %q after %v", resp.Code, resp.Remark, time.Since(start))
		}
	})
}

// FuzzReadOne looks for bodies that break what reads them, or come out as other than one
// message.
func FuzzReadOne(f *testing.F) {
	_, body := capturedDirectly(f)
	f.Add(body)
	f.Add(body[:40])
	f.Add(append(body[:len(body):len(body)], body...))
	f.Add(record(f, protocol.StoredMessage{Topic: mq.RetryTopic("G"), Body: []byte("b"), SysFlag: mq.CompressedFlag}))
	f.Fuzz(func(t *testing.T, body []byte) {
		m, err := readOne(body, "a", "G")
		if err != nil {
			return
		}
		if m.BodyError() == nil && m.SysFlag()&mq.CompressedFlag == 0 && len(m.Body()) > len(body) {
			t.Errorf("a body of %d bytes came out of %d", len(m.Body()), len(body))
		}
		m.Topic()
		m.Keys()
		m.ID()
		for range m.Properties() {
		}
	})
}
