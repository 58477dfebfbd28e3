package client

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

func TestConsumerList(t *testing.T) {
	list := func(ids ...string) handler {
		return func(*remoting.Command) *remoting.Command {
			return &remoting.Command{Body: protocol.ConsumerList{ConsumerIDs: ids}.Encode()}
		}
	}
	tests := []struct {
		name   string
		answer handler // of the only broker
		want   []string
		class  Class
	}{
		{"members", list("c1", "c2"), []string{"c1", "c2"}, OK},
		{"an empty list is no error", list(), nil, OK},
		{"nobody online is what the broker says", code(protocol.SystemError, "no consumer for this group"), nil, Failed},
		{"busy", code(protocol.SystemBusy, ""), nil, Busy},
		{"no answer", silent, nil, Lost},
		{"a body that is no list", func(*remoting.Command) *remoting.Command {
			return &remoting.Command{Body: []byte(`{"consumerIdList":`)}
		}, nil, Broken},
	}
	bubble(t, func(w *world) {
		_, a := w.oneBroker()
		i := w.client(Config{})
		for _, tt := range tests {
			a.answer(protocol.GetConsumerListByGroup, tt.answer)
			got, err := i.ConsumerList(w.ctx, "T", "G")
			if Classify(err) != tt.class {
				t.Errorf("%s: error is %v of class %v, want %v", tt.name, err, Classify(err), tt.class)
			}
			if d := cmp.Diff(tt.want, got, cmpopts.EquateEmpty()); d != "" {
				t.Errorf("%s: %s", tt.name, d)
			}
		}
		if h := decode[protocol.GetConsumerListByGroupRequest](t, a.got(protocol.GetConsumerListByGroup)[0]); h.ConsumerGroup != "G" || h.BName != "a" {
			t.Errorf("header is %+v", h)
		}
		if _, err := i.ConsumerList(w.ctx, "U", "G"); !errors.Is(err, ErrNoRoute) {
			t.Errorf("of a topic without a route: %v", err)
		}
	})
}

func TestConsumerListPassesOverBrokersThatAreDown(t *testing.T) {
	bubble(t, func(w *world) {
		_, a, b := w.twoBrokers()
		a.stop()
		w.net.Refuse(ba, errRefused)
		b.answer(protocol.GetConsumerListByGroup, func(*remoting.Command) *remoting.Command {
			return &remoting.Command{Body: protocol.ConsumerList{ConsumerIDs: []string{"c1"}}.Encode()}
		})
		i, _ := w.joined()
		synctest.Wait()
		for range 8 {
			if got, err := i.ConsumerList(w.ctx, "T", "G"); err != nil || len(got) != 1 {
				t.Errorf("got %v, %v", got, err)
			}
		}
	})
}

func TestSubscriptionCheck(t *testing.T) {
	bubble(t, func(w *world) {
		_, a := w.oneBroker()
		i := w.client(Config{})
		s := protocol.SubscriptionData{Topic: "T", SubString: "x > 1", ExpressionType: "SQL92", SubVersion: 7}
		if err := i.SubscriptionCheck(w.ctx, "G", s); err != nil {
			t.Fatal(err)
		}
		got, err := protocol.DecodeCheckClientRequestBody(a.got(protocol.CheckClientConfig)[0].Body)
		if err != nil {
			t.Fatal(err)
		}
		want := protocol.CheckClientRequestBody{ClientID: "10.1.2.9@test", Group: "G", Subscription: s}
		if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
			t.Error(d)
		}
		a.answer(protocol.CheckClientConfig, code(protocol.SystemError, "The broker does not support consumer to filter message by SQL92"))
		if err := i.SubscriptionCheck(w.ctx, "G", s); err == nil || !strings.Contains(err.Error(), "by SQL92") || !strings.Contains(err.Error(), "set enablePropertyFilter=true") {
			t.Errorf("a broker that has it switched off: %v", err)
		}
		a.answer(protocol.CheckClientConfig, code(protocol.SubscriptionParseFailed, "near >"))
		if err := i.SubscriptionCheck(w.ctx, "G", s); Classify(err) != Invalid || !strings.Contains(err.Error(), "near >") {
			t.Errorf("error is %v", err)
		}
	})
}
