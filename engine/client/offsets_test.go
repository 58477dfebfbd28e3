package client

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

func offset(n int64) handler { return fields(&protocol.OffsetResponse{Offset: n}) }

func TestP01OffsetQueryFailureIsNotZero(t *testing.T) {
	tests := []struct {
		name   string
		answer handler
		offset int64
		found  bool
		class  Class // of the error, OK for none
	}{
		{"an offset", offset(42), 42, true, OK},
		{"offset zero is an offset", offset(0), 0, true, OK},
		{"the broker has none", code(protocol.QueryNotFound, "not found"), 0, false, OK},
		{"the broker fails", code(protocol.SystemError, "oops"), 0, false, Failed},
		{"the broker is busy", code(protocol.SystemBusy, "[OVERLOAD]system busy"), 0, false, Busy},
		{"no permission", code(protocol.NoPermission, ""), 0, false, Refused},
		{"no answer", silent, 0, false, Lost},
		{"success without an offset", code(protocol.Success, ""), 0, false, Broken},
		{"success with minus one", offset(-1), 0, false, Broken},
		{"success with an offset that is no number", func(*remoting.Command) *remoting.Command {
			return &remoting.Command{Fields: remoting.Fields{{Key: "offset", Value: "many"}}}
		}, 0, false, Broken},
	}
	bubble(t, func(w *world) {
		_, a, _ := w.twoBrokers()
		i, _ := w.joined()
		synctest.Wait()
		for _, tt := range tests {
			a.answer(protocol.QueryConsumerOffset, tt.answer)
			n, found, err := i.QueryOffset(w.ctx, "G", queue("a", 1))
			if n != tt.offset || found != tt.found || Classify(err) != tt.class {
				t.Errorf("%s: %d, found %v, %v of class %v", tt.name, n, found, err, Classify(err))
			}
			if err != nil && !strings.Contains(err.Error(), "committed offset of G in T/a/1") {
				t.Errorf("%s: error %q does not say what was tried", tt.name, err)
			}
		}
		h := decode[protocol.QueryConsumerOffsetRequest](t, a.got(protocol.QueryConsumerOffset)[0])
		want := protocol.QueryConsumerOffsetRequest{ConsumerGroup: "G", Topic: "T", QueueID: 1}
		want.BName = "a"
		if d := cmp.Diff(want, h); d != "" {
			t.Error(d)
		}
	})
}

func TestP01OffsetQueryToBrokerThatIsDown(t *testing.T) {
	bubble(t, func(w *world) {
		_, a, _ := w.twoBrokers()
		i, _ := w.joined()
		time.Sleep(5 * time.Second)
		a.stop()
		w.net.Refuse(ba, errRefused)
		w.net.CutAll(ba)
		time.Sleep(time.Second)
		_, found, err := i.QueryOffset(w.ctx, "G", queue("a", 0))
		if found || Classify(err) != Unreachable {
			t.Errorf("found %v, %v of class %v", found, err, Classify(err))
		}
	})
}

func TestOffsetsOfAQueue(t *testing.T) {
	bubble(t, func(w *world) {
		_, a := w.oneBroker()
		a.answer(protocol.GetMaxOffset, offset(100))
		a.answer(protocol.GetMinOffset, offset(3))
		a.answer(protocol.SearchOffsetByTimestamp, offset(50))
		i := w.client(Config{})
		// The route is read by the first call that needs it.
		if n, err := i.MaxOffset(w.ctx, queue("a", 1)); n != 100 || err != nil {
			t.Errorf("max %d, %v", n, err)
		}
		if n, err := i.MinOffset(w.ctx, queue("a", 1)); n != 3 || err != nil {
			t.Errorf("min %d, %v", n, err)
		}
		at := time.UnixMilli(1700000000123)
		if n, err := i.SearchOffset(w.ctx, queue("a", 1), at); n != 50 || err != nil {
			t.Errorf("by time %d, %v", n, err)
		}
		if h := decode[protocol.GetMaxOffsetRequest](t, a.got(protocol.GetMaxOffset)[0]); h.Topic != "T" || h.QueueID != 1 || !h.Committed || h.BName != "a" {
			t.Errorf("header is %+v", h)
		}
		if h := decode[protocol.SearchOffsetRequest](t, a.got(protocol.SearchOffsetByTimestamp)[0]); h.Timestamp != 1700000000123 || h.QueueID != 1 {
			t.Errorf("header is %+v", h)
		}
		a.answer(protocol.GetMaxOffset, code(protocol.SystemError, ""))
		a.answer(protocol.GetMinOffset, silent)
		a.answer(protocol.SearchOffsetByTimestamp, offset(-1))
		for n, call := range []func() (int64, error){
			func() (int64, error) { return i.MaxOffset(w.ctx, queue("a", 0)) },
			func() (int64, error) { return i.MinOffset(w.ctx, queue("a", 0)) },
			func() (int64, error) { return i.SearchOffset(w.ctx, queue("a", 0), at) },
		} {
			if _, err := call(); err == nil {
				t.Errorf("call %d: a failure is no error", n)
			}
		}
	})
}

func TestCommitOffset(t *testing.T) {
	bubble(t, func(w *world) {
		_, a, _ := w.twoBrokers()
		i, _ := w.joined()
		synctest.Wait()
		if err := i.CommitOffset("G", queue("a", 2), 77); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		reqs := a.got(protocol.UpdateConsumerOffset)
		if len(reqs) != 1 || !reqs[0].IsOneWay() {
			t.Fatalf("%d requests, want a one-way one", len(reqs))
		}
		want := protocol.UpdateConsumerOffsetRequest{ConsumerGroup: "G", Topic: "T", QueueID: 2, CommitOffset: 77}
		want.BName = "a"
		if d := cmp.Diff(want, decode[protocol.UpdateConsumerOffsetRequest](t, reqs[0])); d != "" {
			t.Error(d)
		}
		if err := i.CommitOffsetSync(w.ctx, "G", queue("a", 2), 78); err != nil {
			t.Error(err)
		}
		a.answer(protocol.UpdateConsumerOffset, code(protocol.SubscriptionGroupNotExist, "no group"))
		if err := i.CommitOffsetSync(w.ctx, "G", queue("a", 2), 79); Classify(err) != Missing {
			t.Errorf("error is %v", err)
		}
		if err := i.CommitOffset("G", queue("x", 2), 77); !errors.Is(err, ErrNoBroker) {
			t.Errorf("commit to an unknown broker: %v", err)
		}
	})
}

func TestOffsetsAreNotCommittedToASlave(t *testing.T) {
	bubble(t, func(w *world) {
		r := routeOf(4, "a="+bb)
		r.BrokerDatas[0].Addrs = map[int64]string{1: bb} // the master is gone
		w.serve(ns1).names(map[string]protocol.TopicRouteData{"T": r})
		slave := w.serve(bb)
		slave.answer(protocol.QueryConsumerOffset, offset(5))
		i, _ := w.joined()
		synctest.Wait()
		if err := i.CommitOffset("G", queue("a", 0), 9); !errors.Is(err, ErrNoBroker) {
			t.Errorf("error is %v", err)
		}
		if err := i.CommitOffsetSync(w.ctx, "G", queue("a", 0), 9); !errors.Is(err, ErrNoBroker) {
			t.Errorf("error is %v", err)
		}
		if _, err := i.MaxOffset(w.ctx, queue("a", 0)); !errors.Is(err, ErrNoBroker) {
			t.Errorf("a slave was asked for the max offset: %v", err)
		}
		if n, found, err := i.QueryOffset(w.ctx, "G", queue("a", 0)); n != 5 || !found || err != nil {
			t.Errorf("query from the slave: %d, %v, %v", n, found, err)
		}
		synctest.Wait()
		if n := len(slave.got(protocol.UpdateConsumerOffset)); n != 0 {
			t.Errorf("the slave got %d commits", n)
		}
	})
}
