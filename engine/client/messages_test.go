package client

import (
	"errors"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

func TestEarliestStoreTime(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer handler
		ms     int64
		err    error
		class  Class
	}{
		{"the time of the first message", fields(&protocol.GetEarliestMsgStoreTimeResponse{Timestamp: 1700000000123}), 1700000000123, nil, OK},
		{"an empty queue", fields(&protocol.GetEarliestMsgStoreTimeResponse{Timestamp: -1}), 0, ErrNoMessage, Failed},
		{"the broker fails", code(protocol.SystemError, "oops"), 0, nil, Failed},
		{"success without a time", code(protocol.Success, ""), 0, ErrBadAnswer, Broken},
		{"no answer", silent, 0, remoting.ErrTimeout, Lost},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(w *world) {
				_, a, _ := w.twoBrokers()
				i := w.client(Config{})
				a.answer(protocol.GetEarliestMsgStoreTime, tt.answer)
				at, err := i.EarliestStoreTime(w.ctx, queue("a", 1))
				if Classify(err) != tt.class || tt.err != nil && !errors.Is(err, tt.err) {
					t.Fatalf("error %v of class %v, want %v", err, Classify(err), tt.class)
				}
				if err == nil && at.UnixMilli() != tt.ms {
					t.Errorf("got %v, want %d", at, tt.ms)
				}
			})
		})
	}
}

// storedAt is one stored message of topic T at a broker's address and commit-log offset.
func storedAt(t *testing.T, host netip.AddrPort, physical int64, props ...protocol.Property) []byte {
	t.Helper()
	record, err := protocol.AppendMessage(nil, &protocol.StoredMessage{
		Topic: "T", QueueOffset: 3, PhysicalOffset: physical, BornHost: host, StoreHost: host,
		StoreTime: 1700000000000 + physical, Body: []byte("hello"), Properties: protocol.AppendProperties(nil, props),
	})
	if err != nil {
		t.Fatal(err)
	}
	return record
}

func records(b []byte) handler {
	return func(*remoting.Command) *remoting.Command { return &remoting.Command{Body: b} }
}

func TestAMessageIsFoundByItsOffsetID(t *testing.T) {
	host := netip.MustParseAddrPort("192.0.2.1:10911")
	bubble(t, func(w *world) {
		w.serve(ns1).names(map[string]protocol.TopicRouteData{"T": routeOf(4, "a="+host.String())})
		a := w.serve(host.String())
		i := w.client(Config{})
		record := storedAt(t, host, 4096)
		a.answer(protocol.ViewMessageByID, records(record))
		m, err := i.ViewMessage(w.ctx, "T", protocol.OffsetID(host, 4096))
		if err != nil || string(m.Body()) != "hello" || m.Batch().BrokerName != "a" {
			t.Fatalf("got %v", err)
		}
		if h := decode[protocol.ViewMessageRequest](t, a.got(protocol.ViewMessageByID)[0]); h.Offset != 4096 || h.Topic != "T" {
			t.Errorf("asked for %+v", h)
		}
		for _, tt := range []struct {
			name   string
			answer handler
			class  Class
		}{
			{"another message", records(storedAt(t, host, 8192)), Broken},
			{"two messages", records(append(append([]byte(nil), record...), record...)), Broken},
			{"a cut record", records(record[:50]), Broken},
			{"nothing", records(nil), Broken},
			{"none there", code(protocol.SystemError, "can not find message"), Failed},
		} {
			a.answer(protocol.ViewMessageByID, tt.answer)
			if _, err := i.ViewMessage(w.ctx, "T", protocol.OffsetID(host, 4096)); Classify(err) != tt.class {
				t.Errorf("%s: %v of class %v, want %v", tt.name, err, Classify(err), tt.class)
			}
		}
	})
}

func TestNoAddressIsCalledThatNoRouteNames(t *testing.T) {
	bubble(t, func(w *world) {
		_, a, _ := w.twoBrokers()
		i := w.client(Config{})
		stranger := w.serve("192.0.2.66:10911")
		a.answer(protocol.QueryMessage, code(protocol.QueryNotFound, ""))
		_, err := i.ViewMessage(w.ctx, "T", protocol.OffsetID(netip.MustParseAddrPort("192.0.2.66:10911"), 1))
		synctest.Wait()
		if err == nil || len(stranger.seen) != 0 {
			t.Errorf("got %v, and %d requests went to an address that is not ours", err, len(stranger.seen))
		}
	})
}

func TestAMessageIsFoundByItsUniqueID(t *testing.T) {
	host := netip.MustParseAddrPort("192.0.2.1:10911")
	unique := func(id string) protocol.Property { return protocol.Property{Name: mq.PropertyUniqueKey, Value: id} }
	bubble(t, func(w *world) {
		_, a, b := w.twoBrokers()
		i := w.client(Config{})
		a.answer(protocol.QueryMessage, code(protocol.QueryNotFound, "none"))
		b.answer(protocol.QueryMessage, records(append(storedAt(t, host, 1, unique("same hash")), storedAt(t, host, 2, unique("ID"))...)))
		m, err := i.ViewMessage(w.ctx, "T", "ID")
		if err != nil || m.PhysicalOffset() != 2 || m.Batch().BrokerName != "b" {
			t.Errorf("got %v", err)
		}
		h := decode[protocol.QueryMessageRequest](t, a.got(protocol.QueryMessage)[0])
		if h.Key != "ID" || !h.UniqueKeyQuery.Or(false) || h.BName != "a" {
			t.Errorf("asked for %+v", h)
		}
		if _, err := i.ViewMessage(w.ctx, "T", "OTHER"); !errors.Is(err, ErrNoMessage) {
			t.Errorf("a message that is not there: %v", err)
		}
		a.answer(protocol.QueryMessage, silent)
		if m, err = i.ViewMessage(w.ctx, "T", "ID"); err != nil || m.PhysicalOffset() != 2 {
			t.Errorf("with one silent broker: %v", err)
		}
		b.answer(protocol.QueryMessage, code(protocol.SystemError, "index is broken"))
		if _, err := i.ViewMessage(w.ctx, "T", "ID"); err == nil || errors.Is(err, ErrNoMessage) || !strings.Contains(err.Error(), "index is broken") {
			t.Errorf("when no broker can say: %v", err)
		}
	})
}

func TestMessagesAreFoundByKey(t *testing.T) {
	host := netip.MustParseAddrPort("192.0.2.1:10911")
	keys := func(k string) protocol.Property { return protocol.Property{Name: mq.PropertyKeys, Value: k} }
	bubble(t, func(w *world) {
		_, a, b := w.twoBrokers()
		i := w.client(Config{})
		a.answer(protocol.QueryMessage, records(append(storedAt(t, host, 9, keys("k1 k2")), storedAt(t, host, 5, keys("k12"))...)))
		b.answer(protocol.QueryMessage, records(append(storedAt(t, host, 7, keys("k1")), storedAt(t, host, 11, keys("k1"))...)))
		const zero = 1700000000000
		found, err := i.QueryMessages(w.ctx, "T", "k1", 2, time.UnixMilli(zero+7), time.UnixMilli(zero+11))
		if err != nil || len(found) != 2 || found[0].PhysicalOffset() != 9 || found[1].PhysicalOffset() != 11 {
			t.Errorf("got %d messages and %v, want the two newest with exactly this key", len(found), err)
		}
		// Brokers compare times by the second.
		if found, err = i.QueryMessages(w.ctx, "T", "k1", 9, time.UnixMilli(zero+8), time.UnixMilli(zero+10)); err != nil || len(found) != 1 || found[0].PhysicalOffset() != 9 {
			t.Errorf("got %d messages and %v, want the one that was stored in time", len(found), err)
		}
		h := decode[protocol.QueryMessageRequest](t, a.got(protocol.QueryMessage)[0])
		if h.BeginTimestamp != zero+7 || h.EndTimestamp != zero+11 || h.MaxNum != 2 || h.UniqueKeyQuery.Or(false) {
			t.Errorf("asked for %+v", h)
		}
	})
}
