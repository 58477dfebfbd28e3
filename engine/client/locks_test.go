package client

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

// What Apache's client 5.3.3 sends for one queue, and what its broker answers: from a capture
// of two orderly members on the loopback interface.
const (
	javaLockBody   = `{"clientId":"192.0.2.2@c5402","consumerGroup":"g_ord2","mqSet":[{"brokerName":"broker-a","queueId":2,"topic":"orders"}],"onlyThisBroker":false}`
	javaLockAnswer = `{"lockOKMQSet":[{"brokerName":"broker-a","queueId":2,"topic":"orders"}]}`
)

func body(text string) handler {
	return func(*remoting.Command) *remoting.Command { return &remoting.Command{Body: []byte(text)} }
}

func TestS4LockBatchSpeaksLikeJava(t *testing.T) {
	bubble(t, func(w *world) {
		w.serve(ns1).names(map[string]protocol.TopicRouteData{"orders": routeOf(4, "broker-a="+ba)})
		a := w.serve(ba)
		a.answer(protocol.LockBatchMQ, body(javaLockAnswer))
		i := w.client(Config{ClientID: "192.0.2.2@c5402"})
		q := mq.MessageQueue{Topic: "orders", BrokerName: "broker-a", QueueID: 2}
		got, err := i.LockBatch(w.ctx, "g_ord2", "broker-a", []mq.MessageQueue{q})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]mq.MessageQueue{q}, got); diff != "" {
			t.Errorf("granted (-want +got):\n%s", diff)
		}
		if err := i.UnlockBatch(w.ctx, "g_ord2", "broker-a", []mq.MessageQueue{q}); err != nil {
			t.Error(err)
		}
		if err := i.UnlockBatchOneWay("g_ord2", "broker-a", []mq.MessageQueue{q}); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		locks, unlocks := a.got(protocol.LockBatchMQ), a.got(protocol.UnlockBatchMQ)
		if len(locks) != 1 || len(unlocks) != 2 {
			t.Fatalf("%d lock and %d unlock requests", len(locks), len(unlocks))
		}
		for _, req := range []*remoting.Command{locks[0], unlocks[0], unlocks[1]} {
			if diff := cmp.Diff(javaLockBody, string(req.Body)); diff != "" || len(req.Fields) != 0 {
				t.Errorf("fields %v, body (-java +ours):\n%s", req.Fields, diff)
			}
		}
		if locks[0].IsOneWay() || unlocks[0].IsOneWay() || !unlocks[1].IsOneWay() {
			t.Error("only the last request is one-way")
		}
	})
}

func TestLockBatchCountsOnlyWhatWasAskedFor(t *testing.T) {
	bubble(t, func(w *world) {
		_, a, _ := w.twoBrokers()
		asked := []mq.MessageQueue{queue("a", 0), queue("a", 1), queue("a", 2)}
		a.answer(protocol.LockBatchMQ, func(*remoting.Command) *remoting.Command {
			r := protocol.LockBatchResponse{Locked: []mq.MessageQueue{queue("a", 2), queue("a", 9), queue("b", 0), queue("a", 0), queue("a", 0)}}
			return &remoting.Command{Body: r.Encode()}
		})
		i := w.client(Config{})
		got, err := i.LockBatch(w.ctx, "G", "a", asked)
		if diff := cmp.Diff([]mq.MessageQueue{queue("a", 0), queue("a", 2)}, got); diff != "" || err != nil {
			t.Errorf("error %v, granted (-want +got):\n%s", err, diff)
		}
		if got, err := i.LockBatch(w.ctx, "G", "a", nil); got != nil || err != nil || len(a.got(protocol.LockBatchMQ)) != 1 {
			t.Errorf("no queues: %v, %v", got, err)
		}
	})
}

func TestLockFailuresAreErrors(t *testing.T) {
	for _, c := range []struct {
		name   string
		answer handler
		class  Class
	}{
		{"refused by the broker", code(protocol.SystemError, "no"), Failed},
		{"no answer", silent, Lost},
		{"an answer that is no JSON", body("locked"), Broken},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(w *world) {
				_, a, _ := w.twoBrokers()
				i, _ := w.joined()
				synctest.Wait()
				a.answer(protocol.LockBatchMQ, c.answer)
				began := time.Now()
				got, err := i.LockBatch(w.ctx, "G", "a", []mq.MessageQueue{queue("a", 0), queue("a", 1)})
				if got != nil || Classify(err) != c.class || time.Since(began) > time.Second {
					t.Errorf("granted %v after %v, error %v", got, time.Since(began), err)
				}
			})
		})
	}
}

func TestS4LocksAreAMatterOfTheMasterOnly(t *testing.T) {
	bubble(t, func(w *world) {
		r := routeOf(4, "a="+bb)
		r.BrokerDatas[0].Addrs = map[int64]string{1: bb} // the master is gone
		w.serve(ns1).names(map[string]protocol.TopicRouteData{"T": r})
		slave := w.serve(bb)
		i, _ := w.joined()
		synctest.Wait()
		queues := []mq.MessageQueue{queue("a", 0)}
		if _, err := i.LockBatch(w.ctx, "G", "a", queues); !errors.Is(err, ErrNoBroker) {
			t.Errorf("lock: %v", err)
		}
		if err := i.UnlockBatch(w.ctx, "G", "a", queues); !errors.Is(err, ErrNoBroker) {
			t.Errorf("unlock: %v", err)
		}
		if err := i.UnlockBatchOneWay("G", "a", queues); !errors.Is(err, ErrNoBroker) {
			t.Errorf("one-way unlock: %v", err)
		}
		synctest.Wait()
		if n := len(slave.got(protocol.LockBatchMQ)) + len(slave.got(protocol.UnlockBatchMQ)); n != 0 {
			t.Errorf("the slave got %d requests", n)
		}
	})
}

func TestLocksNeedARunningInstance(t *testing.T) {
	bubble(t, func(w *world) {
		w.twoBrokers()
		i, stop := w.stoppable(Config{})
		stop()
		synctest.Wait()
		queues := []mq.MessageQueue{queue("a", 0)}
		if _, err := i.LockBatch(w.ctx, "G", "a", queues); !errors.Is(err, ErrNotRunning) {
			t.Errorf("lock: %v", err)
		}
		if err := i.UnlockBatchOneWay("G", "a", queues); !errors.Is(err, ErrNotRunning) {
			t.Errorf("one-way unlock: %v", err)
		}
	})
}
