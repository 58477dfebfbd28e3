package client

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

func stored(c protocol.ResponseCode) handler {
	return func(req *remoting.Command) *remoting.Command {
		var h protocol.SendMessageRequestV2
		if err := protocol.Decode(req.Fields, &h); err != nil {
			return &remoting.Command{Code: 1, Remark: err.Error()}
		}
		return &remoting.Command{Code: int32(c), Fields: protocol.Encode(&protocol.SendMessageResponse{
			MsgID: "OFFSETID", QueueID: h.QueueID, QueueOffset: 12,
		})}
	}
}

// sends returns the headers of the sends that f got.
func (f *fake) sends() []protocol.SendMessageRequestV2 {
	var out []protocol.SendMessageRequestV2
	for _, r := range f.got(protocol.SendMessageV2) {
		out = append(out, decode[protocol.SendMessageRequestV2](f.w.t, r))
	}
	return out
}

func TestSend(t *testing.T) {
	bubble(t, func(w *world) {
		_, a := w.oneBroker()
		a.answer(protocol.SendMessageV2, stored(protocol.Success))
		i := w.client(Config{})
		r, err := i.Send(w.ctx, OutMessage{
			Topic: "T", Body: []byte("hello"), Tags: "A", Keys: "k1 k2", DelayLevel: 3, Flag: 9, Group: "PG",
			Properties: []protocol.Property{{Name: "colour", Value: "red"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		req := a.got(protocol.SendMessageV2)[0]
		h := a.sends()[0]
		if string(req.Body) != "hello" || h.ProducerGroup != "PG" || h.Topic != "T" || h.DefaultTopic != "TBW102" ||
			h.DefaultTopicQueueNums != 4 || h.Flag != 9 || h.SysFlag != 0 || h.BName != "a" || h.BornTimestamp != time.Now().UnixMilli() {
			t.Errorf("request is %+v with body %q", h, req.Body)
		}
		props := map[string]string{}
		for _, p := range protocol.ParseProperties([]byte(h.Properties)) {
			props[p.Name] = p.Value
		}
		want := map[string]string{"UNIQ_KEY": r.UniqueID, "WAIT": "true", "TAGS": "A", "KEYS": "k1 k2", "DELAY": "3", "colour": "red"}
		if d := cmp.Diff(want, props); d != "" {
			t.Error(d)
		}
		if id, err := protocol.ParseUniqueID(r.UniqueID); err != nil || id.IP.String() != "10.1.2.9" {
			t.Errorf("unique id %s: %+v, %v", r.UniqueID, id, err)
		}
		if r.Status != SendOK || r.Queue != queue("a", h.QueueID) || r.QueueOffset != 12 || r.OffsetID != "OFFSETID" || r.Attempts != 1 {
			t.Errorf("result is %+v", r)
		}
	})
}

func TestSendTakesQueuesInTurn(t *testing.T) {
	bubble(t, func(w *world) {
		_, a, b := w.twoBrokers()
		a.answer(protocol.SendMessageV2, stored(protocol.Success))
		b.answer(protocol.SendMessageV2, stored(protocol.Success))
		i := w.client(Config{})
		got := map[mq.MessageQueue]int{}
		for range 24 {
			r, err := i.Send(w.ctx, OutMessage{Topic: "T", Body: []byte("x")})
			if err != nil {
				t.Fatal(err)
			}
			got[r.Queue]++
		}
		if len(got) != 8 {
			t.Errorf("%d of 8 queues were used", len(got))
		}
		for q, n := range got {
			if n != 3 {
				t.Errorf("%v got %d of 24 messages, want 3", q, n)
			}
		}
	})
}

func TestSendCodesThatMeanStored(t *testing.T) {
	bubble(t, func(w *world) {
		w.serve(ns1).names(map[string]protocol.TopicRouteData{"T": routeOf(1, "a="+ba)})
		a := w.serve(ba)
		i := w.client(Config{})
		for _, tt := range []struct {
			code protocol.ResponseCode
			want SendStatus
		}{
			{protocol.Success, SendOK},
			{protocol.FlushDiskTimeout, FlushDiskTimeout},
			{protocol.SlaveNotAvailable, SlaveNotAvailable},
			{protocol.FlushSlaveTimeout, FlushSlaveTimeout},
		} {
			a.answer(protocol.SendMessageV2, stored(tt.code))
			a.forget()
			r, err := i.Send(w.ctx, OutMessage{Topic: "T", Body: []byte("x")})
			if err != nil || r.Status != tt.want || len(a.sends()) != 1 {
				t.Errorf("code %v: %+v, %v after %d sends", tt.code, r, err, len(a.sends()))
			}
		}
		// Stored is stored, also when the answer lacks where.
		a.answer(protocol.SendMessageV2, code(protocol.Success, ""))
		if r, err := i.Send(w.ctx, OutMessage{Topic: "T", Body: []byte("x")}); err != nil || r.QueueOffset != -1 {
			t.Errorf("answer without fields: %+v, %v", r, err)
		}
	})
}

func TestSendCreatesTheTopic(t *testing.T) {
	bubble(t, func(w *world) {
		ns := w.serve(ns1)
		tbw := routeOf(8, "a="+ba)
		tbw.QueueDatas[0].Perm = 7
		routes := map[string]protocol.TopicRouteData{"TBW102": tbw}
		ns.names(routes)
		a := w.serve(ba)
		a.answer(protocol.SendMessageV2, func(req *remoting.Command) *remoting.Command {
			ns.names(map[string]protocol.TopicRouteData{"TBW102": tbw, "T": routeOf(4, "a="+ba)})
			return stored(protocol.Success)(req)
		})
		i := w.client(Config{})
		for range 8 {
			if _, err := i.Send(w.ctx, OutMessage{Topic: "T", Body: []byte("x")}); err != nil {
				t.Fatal(err)
			}
		}
		for _, h := range a.sends() {
			if h.Topic != "T" || h.QueueID < 0 || h.QueueID > 3 {
				t.Errorf("sent to %s queue %d: a new topic has four queues", h.Topic, h.QueueID)
			}
		}
		if q, ok := i.Queues("T"); !ok || len(q) != 4 {
			t.Errorf("after the send the topic has %d queues, %v", len(q), ok)
		}
	})
}

func TestSendToATopicThatIsNotThere(t *testing.T) {
	bubble(t, func(w *world) {
		w.serve(ns1).names(nil)
		i := w.client(Config{})
		_, err := i.Send(w.ctx, OutMessage{Topic: "T", Body: []byte("x")})
		if !errors.Is(err, ErrNoRoute) || !strings.Contains(err.Error(), "create it first") {
			t.Errorf("error is %v, want the remedy", err)
		}
	})
}

func TestSendToATopicThatMayNotBeWritten(t *testing.T) {
	bubble(t, func(w *world) {
		r := routeOf(4, "a="+ba)
		r.QueueDatas[0].Perm = protocol.PermRead
		w.serve(ns1).names(map[string]protocol.TopicRouteData{"T": r})
		i := w.client(Config{})
		if _, err := i.Send(w.ctx, OutMessage{Topic: "T", Body: []byte("x")}); !errors.Is(err, ErrNotWritable) {
			t.Errorf("error is %v", err)
		}
	})
}

func TestSendTriesAnotherBroker(t *testing.T) {
	tests := []struct {
		name   string
		break_ handler
	}{
		{"that failed", code(protocol.SystemError, "oops")},
		{"whose disk is full", code(protocol.ServiceNotAvailable, "disk full")},
		{"that may not be written", code(protocol.NoPermission, "")},
		{"that is busy", code(protocol.SystemBusy, "[PC_SYNCHRONIZED]broker busy")},
		{"that does not answer", silent},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(w *world) {
				_, a, b := w.twoBrokers()
				a.answer(protocol.SendMessageV2, tt.break_)
				b.answer(protocol.SendMessageV2, stored(protocol.Success))
				i := w.client(Config{})
				for range 4 {
					began := time.Now()
					r, err := i.Send(w.ctx, OutMessage{Topic: "T", Body: []byte("x")})
					if err != nil || r.Queue.BrokerName != "b" {
						t.Fatalf("%+v, %v", r, err)
					}
					if took := time.Since(began); took > sendTimeout {
						t.Errorf("took %v", took)
					}
				}
				if n := len(a.sends()); n == 0 || n > 4 {
					t.Errorf("a was tried %d times", n)
				}
			})
		})
	}
}

func TestSendThatFailsEverywhere(t *testing.T) {
	bubble(t, func(w *world) {
		_, a, b := w.twoBrokers()
		a.answer(protocol.SendMessageV2, code(protocol.ServiceNotAvailable, "disk of a full"))
		b.answer(protocol.SendMessageV2, code(protocol.ServiceNotAvailable, "disk of b full"))
		i := w.client(Config{})
		_, err := i.Send(w.ctx, OutMessage{Topic: "T", Body: []byte("x")})
		if err == nil || !strings.Contains(err.Error(), "disk of a full") || !strings.Contains(err.Error(), "disk of b full") {
			t.Errorf("error is %v, want what both said", err)
		}
		if errors.Is(err, ErrOutcomeUnknown) {
			t.Errorf("both brokers refused, so the outcome is known: %v", err)
		}
		if n := len(a.sends()) + len(b.sends()); n != 2 {
			t.Errorf("%d tries, want 2", n)
		}
	})
}

func TestSendThatWillNeverDoIsNotRepeated(t *testing.T) {
	bubble(t, func(w *world) {
		_, a, b := w.twoBrokers()
		for _, f := range []*fake{a, b} {
			f.answer(protocol.SendMessageV2, code(protocol.MessageIllegal, "too large"))
		}
		i := w.client(Config{})
		if _, err := i.Send(w.ctx, OutMessage{Topic: "T", Body: []byte("x")}); Classify(err) != Invalid {
			t.Errorf("error is %v", err)
		}
		if n := len(a.sends()) + len(b.sends()); n != 1 {
			t.Errorf("%d tries, want 1", n)
		}
	})
}

func TestSendWithoutAnswerHasAnUnknownOutcome(t *testing.T) {
	bubble(t, func(w *world) {
		_, a, b := w.twoBrokers()
		a.answer(protocol.SendMessageV2, silent)
		b.answer(protocol.SendMessageV2, silent)
		i := w.client(Config{})
		if _, err := i.Send(w.ctx, OutMessage{Topic: "T", Body: []byte("x")}); !errors.Is(err, ErrOutcomeUnknown) || Classify(err) != Lost {
			t.Errorf("error is %v of class %v", err, Classify(err))
		}
	})
}

func TestBusyBrokerIsNotSentToInATightLoop(t *testing.T) {
	bubble(t, func(w *world) {
		_, a := w.oneBroker()
		a.answer(protocol.SendMessageV2, code(protocol.SystemBusy, "[REJECTREQUEST]system busy"))
		i := w.client(Config{})
		_, err := i.Send(w.ctx, OutMessage{Topic: "T", Body: []byte("x")})
		if Classify(err) != Busy {
			t.Errorf("error is %v", err)
		}
		at := a.times(protocol.SendMessageV2)
		if len(at) != sendBusies {
			t.Errorf("%d tries, want %d", len(at), sendBusies)
		}
		for n := 1; n < len(at); n++ {
			if d := at[n].Sub(at[n-1]); d < busyPause {
				t.Errorf("try %d came %v after the one before", n, d)
			}
		}
		// The next message waits too: the broker is known to be busy.
		began := time.Now()
		a.answer(protocol.SendMessageV2, stored(protocol.Success))
		r, err := i.Send(w.ctx, OutMessage{Topic: "T", Body: []byte("x")})
		if err != nil || r.Attempts != 1 || time.Since(began) != busyPause {
			t.Errorf("after %v: %+v, %v", time.Since(began), r, err)
		}
	})
}

func TestBusyWaitEndsWithItsCaller(t *testing.T) {
	bubble(t, func(w *world) {
		w.serve(ns1).names(map[string]protocol.TopicRouteData{"T": routeOf(4, "a="+ba)})
		w.serve(ba).answer(protocol.SendMessageV2, code(protocol.SystemBusy, ""))
		i := w.client(Config{})
		began := time.Now()
		_, err := i.Send(within(w, 700*time.Millisecond), OutMessage{Topic: "T", Body: []byte("x")})
		if err == nil || time.Since(began) != 700*time.Millisecond {
			t.Errorf("ended after %v: %v", time.Since(began), err)
		}
	})
}

func TestSendToAGivenQueue(t *testing.T) {
	bubble(t, func(w *world) {
		_, a, b := w.twoBrokers()
		a.answer(protocol.SendMessageV2, code(protocol.SystemError, "oops"))
		i := w.client(Config{})
		_, err := i.Send(w.ctx, OutMessage{Topic: "T", Body: []byte("x"), Queue: queue("a", 2)})
		if err == nil || len(b.sends()) != 0 || len(a.sends()) != 2 || a.sends()[0].QueueID != 2 {
			t.Errorf("%v after %d tries at a and %d at b", err, len(a.sends()), len(b.sends()))
		}
		if _, err := i.Send(w.ctx, OutMessage{Topic: "T", Body: []byte("x"), Queue: queue("x", 2)}); !errors.Is(err, ErrNoBroker) {
			t.Errorf("to a broker that is not there: %v", err)
		}
	})
}

func TestBrokerThatIsDownIsPassedOver(t *testing.T) {
	bubble(t, func(w *world) {
		_, a, b := w.twoBrokers()
		b.answer(protocol.SendMessageV2, stored(protocol.Success))
		i, _ := w.joined()
		time.Sleep(2 * time.Second)
		a.stop()
		w.net.Refuse(ba, errRefused)
		w.net.CutAll(ba)
		synctest.Wait()
		for range 8 {
			if r, err := i.Send(w.ctx, OutMessage{Topic: "T", Body: []byte("x")}); err != nil || r.Attempts != 1 {
				t.Errorf("%+v, %v", r, err)
			}
		}
	})
}

func TestMessagesThatCannotBeSent(t *testing.T) {
	bubble(t, func(w *world) {
		ns := w.serve(ns1)
		ns.names(nil)
		i := w.client(Config{})
		tests := []struct {
			name string
			m    OutMessage
			want string
		}{
			{"no topic", OutMessage{Body: []byte("x")}, "topic is blank"},
			{"an illegal topic", OutMessage{Topic: "a b", Body: []byte("x")}, "topic"},
			{"no body", OutMessage{Topic: "T"}, "0 bytes"},
			{"a huge body", OutMessage{Topic: "T", Body: make([]byte, maxBodyBytes+1)}, "4194305 bytes"},
			{"an illegal producer group", OutMessage{Topic: "T", Body: []byte("x"), Group: "p g"}, "producer group"},
			{"a separator in a tag", OutMessage{Topic: "T", Body: []byte("x"), Tags: "a\x01b"}, "0x01"},
			{"a property without a value", OutMessage{Topic: "T", Body: []byte("x"), Properties: []protocol.Property{{Name: "n"}}}, "no value"},
			{"too many properties", OutMessage{Topic: "T", Body: []byte("x"), Keys: strings.Repeat("k", 1<<15)}, "at most 32767"},
		}
		for _, tt := range tests {
			if _, err := i.Send(w.ctx, tt.m); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: error is %v, want it to say %q", tt.name, err, tt.want)
			}
		}
		if n := len(ns.got(protocol.GetRouteInfoByTopic)); n != 0 {
			t.Errorf("%d route questions for messages that cannot be sent", n)
		}
	})
}

func TestProducerGroupsAreInHeartbeats(t *testing.T) {
	bubble(t, func(w *world) {
		w.serve(ns1).names(map[string]protocol.TopicRouteData{"T": routeOf(1, "a="+ba)})
		a := w.serve(ba)
		a.answer(protocol.SendMessageV2, stored(protocol.Success))
		i := w.client(Config{})
		if _, err := i.Send(w.ctx, OutMessage{Topic: "T", Body: []byte("x"), Group: "PG"}); err != nil {
			t.Fatal(err)
		}
		if _, err := i.HeartbeatAll(w.ctx); err != nil {
			t.Fatal(err)
		}
		beats := a.got(protocol.HeartBeat)
		h, err := protocol.DecodeHeartbeatData(beats[len(beats)-1].Body)
		if err != nil || fmt.Sprint(h.ProducerDataSet) != "[{CLIENT_INNER_PRODUCER} {PG}]" {
			t.Errorf("producers are %v, %v", h.ProducerDataSet, err)
		}
	})
}
