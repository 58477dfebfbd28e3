package client

import (
	"errors"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

// pulledMessage is one message as a consumer of group G has it.
func pulledMessage(t *testing.T, s protocol.StoredMessage) mq.Message {
	t.Helper()
	s.BornHost, s.StoreHost = netip.MustParseAddrPort("10.1.2.9:5555"), netip.MustParseAddrPort("10.1.2.3:10911")
	data, err := protocol.AppendMessage(nil, &s)
	if err != nil {
		t.Fatal(err)
	}
	b := &mq.Batch{}
	b.Reset(data, nil)
	b.BrokerName, b.RetryTopic = "a", "%RETRY%G"
	if err := protocol.IndexMessages(b, 0); err != nil {
		t.Fatal(err)
	}
	return b.At(0)
}

func properties(pairs ...string) []byte {
	var p []protocol.Property
	for n := 0; n < len(pairs); n += 2 {
		p = append(p, protocol.Property{Name: pairs[n], Value: pairs[n+1]})
	}
	return protocol.AppendProperties(nil, p)
}

func propertyMap(text string) map[string]string {
	m := map[string]string{}
	for _, p := range protocol.ParseProperties([]byte(text)) {
		m[p.Name] = p.Value
	}
	return m
}

func TestSendBack(t *testing.T) {
	bubble(t, func(w *world) {
		_, a, b := w.twoBrokers()
		i, _ := w.joined()
		synctest.Wait()
		m := pulledMessage(t, protocol.StoredMessage{Topic: "T", PhysicalOffset: 8192, QueueID: 2, Body: []byte("x"), Properties: properties("UNIQ_KEY", "ID")})
		if err := i.SendBack(w.ctx, "G", m, 5, 16); err != nil {
			t.Fatal(err)
		}
		want := protocol.ConsumerSendMsgBackRequest{
			Base: protocol.Base{BName: "a"}, Offset: 8192, Group: "G", DelayLevel: 5,
			OriginMsgID: "ID", OriginTopic: "T", MaxReconsumeTimes: protocol.Some(int32(16)),
		}
		if d := cmp.Diff(want, decode[protocol.ConsumerSendMsgBackRequest](t, a.got(protocol.ConsumerSendMsgBack)[0])); d != "" {
			t.Error(d)
		}
		if n := len(a.sends()) + len(b.sends()); n != 0 {
			t.Errorf("%d messages were sent besides", n)
		}
	})
}

func TestP06SendBackErrorCodeFallsBack(t *testing.T) {
	refusals := []struct {
		name   string
		answer handler
	}{
		{"an error code", code(protocol.SystemError, "look message by offset failed")},
		{"a missing group", code(protocol.SubscriptionGroupNotExist, "")},
		{"no permission", code(protocol.NoPermission, "")},
		{"busy", code(protocol.SystemBusy, "")},
		{"a lost answer", silent},
	}
	for _, tt := range refusals {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(w *world) {
				ns := w.serve(ns1)
				ns.names(map[string]protocol.TopicRouteData{"T": routeOf(4, "a="+ba), "%RETRY%G": routeOf(1, "a="+ba)})
				a := w.serve(ba)
				a.answer(protocol.ConsumerSendMsgBack, tt.answer)
				a.answer(protocol.SendMessageV2, stored(protocol.Success))
				i := w.client(Config{})
				w.register(i, "G", "T", "%RETRY%G")
				synctest.Wait()
				m := pulledMessage(t, protocol.StoredMessage{
					Topic: "T", PhysicalOffset: 8192, QueueID: 2, Flag: 7, ReconsumeTimes: 2, Body: []byte("hello"),
					Properties: properties("UNIQ_KEY", "ID", "TAGS", "A", "TRAN_MSG", "true", "DELAY", "4", "RECONSUME_TIME", "2", "colour", "red"),
				})
				if err := i.SendBack(w.ctx, "G", m, 0, 16); err != nil {
					t.Fatal(err)
				}
				if n := len(a.got(protocol.ConsumerSendMsgBack)); n != 1 {
					t.Errorf("%d send-backs", n)
				}
				h := a.sends()[0]
				if h.Topic != "%RETRY%G" || h.ProducerGroup != "CLIENT_INNER_PRODUCER" || h.Flag != 7 ||
					h.ReconsumeTimes.Or(-1) != 3 || h.MaxReconsumeTimes.Or(-1) != 16 || h.SysFlag != 0 {
					t.Errorf("header is %+v", h)
				}
				want := map[string]string{"UNIQ_KEY": "ID", "TAGS": "A", "colour": "red", "DELAY": "5", "RETRY_TOPIC": "T", "ORIGIN_MESSAGE_ID": "ID"}
				if d := cmp.Diff(want, propertyMap(h.Properties)); d != "" {
					t.Error(d)
				}
				if body := a.got(protocol.SendMessageV2)[0].Body; string(body) != "hello" {
					t.Errorf("body is %q", body)
				}
			})
		})
	}
}

func TestFallbackOfARetriedMessageKeepsItsOrigin(t *testing.T) {
	bubble(t, func(w *world) {
		w.serve(ns1).names(map[string]protocol.TopicRouteData{"%RETRY%G": routeOf(1, "a="+ba)})
		a := w.serve(ba)
		a.answer(protocol.ConsumerSendMsgBack, code(protocol.SystemError, ""))
		a.answer(protocol.SendMessageV2, stored(protocol.Success))
		i := w.client(Config{})
		compressed := []byte{0x78, 0x9c, 1, 2, 3} // no valid stream: it is passed on as it is
		m := pulledMessage(t, protocol.StoredMessage{
			Topic: "%RETRY%G", ReconsumeTimes: 4, Body: compressed, SysFlag: mq.CompressedFlag | 0x300,
			Properties: properties("UNIQ_KEY", "NEW", "ORIGIN_MESSAGE_ID", "FIRST", "RETRY_TOPIC", "T"),
		})
		if err := i.SendBack(w.ctx, "G", m, 0, 16); err != nil {
			t.Fatal(err)
		}
		back := decode[protocol.ConsumerSendMsgBackRequest](t, a.got(protocol.ConsumerSendMsgBack)[0])
		if back.OriginTopic != "T" || back.OriginMsgID != "NEW" {
			t.Errorf("send-back header is %+v", back)
		}
		h := a.sends()[0]
		want := map[string]string{"UNIQ_KEY": "NEW", "DELAY": "7", "RETRY_TOPIC": "T", "ORIGIN_MESSAGE_ID": "FIRST"}
		if d := cmp.Diff(want, propertyMap(h.Properties)); d != "" {
			t.Error(d)
		}
		if h.SysFlag != mq.CompressedFlag|0x300 || string(a.got(protocol.SendMessageV2)[0].Body) != string(compressed) {
			t.Errorf("sysFlag %#x: the stored body must go with its compression flags", h.SysFlag)
		}
	})
}

func TestFallbackToTheDeadLetterTopic(t *testing.T) {
	bubble(t, func(w *world) {
		w.serve(ns1).names(map[string]protocol.TopicRouteData{"T": routeOf(1, "a="+ba), "%RETRY%G": routeOf(1, "a="+ba)})
		a := w.serve(ba)
		a.answer(protocol.ConsumerSendMsgBack, code(protocol.SystemError, ""))
		a.answer(protocol.SendMessageV2, stored(protocol.Success))
		i := w.client(Config{})
		m := pulledMessage(t, protocol.StoredMessage{Topic: "T", Body: []byte("x")})
		if err := i.SendBack(w.ctx, "G", m, -1, 16); err != nil {
			t.Fatal(err)
		}
		if h := a.sends()[0]; h.ReconsumeTimes.Or(-1) != 17 {
			t.Errorf("reconsume times %v: the broker would retry once more", h.ReconsumeTimes)
		}
	})
}

func TestSendBackWhenTheBrokerIsDownGoesToAnother(t *testing.T) {
	bubble(t, func(w *world) {
		ns := w.serve(ns1)
		ns.names(map[string]protocol.TopicRouteData{"T": routeOf(4, "a="+ba, "b="+bb), "%RETRY%G": routeOf(1, "a="+ba, "b="+bb)})
		a, b := w.serve(ba), w.serve(bb)
		b.answer(protocol.SendMessageV2, stored(protocol.Success))
		i := w.client(Config{})
		w.register(i, "G", "T", "%RETRY%G")
		time.Sleep(2 * time.Second)
		a.stop()
		w.net.Refuse(ba, errRefused)
		w.net.CutAll(ba)
		synctest.Wait()
		m := pulledMessage(t, protocol.StoredMessage{Topic: "T", Body: []byte("x"), Properties: properties("UNIQ_KEY", "ID")})
		if err := i.SendBack(w.ctx, "G", m, 0, 16); err != nil {
			t.Fatal(err)
		}
		if n := len(b.sends()); n != 1 {
			t.Errorf("b got %d messages", n)
		}
	})
}

func TestFallbackWithoutARetryTopicLetsTheBrokerMakeIt(t *testing.T) {
	bubble(t, func(w *world) {
		_, a := w.oneBroker()
		a.answer(protocol.ConsumerSendMsgBack, code(protocol.SystemError, ""))
		a.answer(protocol.SendMessageV2, stored(protocol.Success))
		i := w.client(Config{})
		m := pulledMessage(t, protocol.StoredMessage{Topic: "T", Body: []byte("x"), Properties: properties("UNIQ_KEY", "ID")})
		if err := i.SendBack(w.ctx, "G", m, 0, 16); err != nil {
			t.Fatal(err)
		}
		if h := a.sends()[0]; h.QueueID != -1 || h.BName != "a" {
			t.Errorf("header is %+v, want a queue of the broker's choice", h)
		}
	})
}

func TestP07SendBackThatFailsBothWaysIsAnError(t *testing.T) {
	bubble(t, func(w *world) {
		w.serve(ns1).names(map[string]protocol.TopicRouteData{"T": routeOf(4, "a="+ba), "%RETRY%G": routeOf(1, "a="+ba)})
		a := w.serve(ba)
		a.answer(protocol.ConsumerSendMsgBack, code(protocol.SystemError, "first refusal"))
		a.answer(protocol.SendMessageV2, code(protocol.ServiceNotAvailable, "second refusal"))
		i := w.client(Config{})
		m := pulledMessage(t, protocol.StoredMessage{Topic: "T", Body: []byte("x"), Properties: properties("UNIQ_KEY", "ID")})
		err := i.SendBack(w.ctx, "G", m, 0, 16)
		if err == nil || !strings.Contains(err.Error(), "first refusal") || !strings.Contains(err.Error(), "second refusal") {
			t.Errorf("error is %v, want both refusals", err)
		}
	})
}

func TestSendBackOfACallerThatGivesUp(t *testing.T) {
	bubble(t, func(w *world) {
		_, a, _ := w.twoBrokers()
		a.answer(protocol.ConsumerSendMsgBack, silent)
		i := w.client(Config{})
		m := pulledMessage(t, protocol.StoredMessage{Topic: "T", Body: []byte("x"), Properties: properties("UNIQ_KEY", "ID")})
		began := time.Now()
		err := i.SendBack(within(w, time.Second), "G", m, 0, 16)
		if !errors.Is(err, remoting.ErrTimeout) || time.Since(began) != time.Second || len(a.sends()) != 0 {
			t.Errorf("after %v: %v and %d sends", time.Since(began), err, len(a.sends()))
		}
	})
}
