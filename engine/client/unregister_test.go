package client

import (
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine/protocol"
)

// A heartbeat that was written while the group was still there must not follow the goodbye:
// it would make the group a member again, which nobody serves.
func TestNoHeartbeatWithTheGroupFollowsItsGoodbye(t *testing.T) {
	bubble(t, func(w *world) {
		_, a, _ := w.twoBrokers()
		i := w.client(Config{HeartbeatInterval: time.Hour})
		var leave atomic.Bool
		l := &listener{}
		r := l.registration("G")
		subscriptions := r.Subscriptions
		r.Subscriptions = func() []protocol.SubscriptionData {
			if leave.CompareAndSwap(true, false) { // a heartbeat is being written
				w.wg.Go(func() {
					if err := i.Unregister(w.ctx, "G"); err != nil {
						t.Error(err)
					}
				})
				synctest.Wait()
			}
			return subscriptions()
		}
		if err := i.Register(r); err != nil {
			t.Fatal(err)
		}
		if err := i.RefreshRoutes(w.ctx, "T"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second)
		a.forget()
		leave.Store(true)
		if _, err := i.HeartbeatAll(w.ctx); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		var order []protocol.RequestCode
		a.mu.Lock()
		defer a.mu.Unlock()
		for _, req := range a.seen {
			order = append(order, protocol.RequestCode(req.Code))
		}
		if want := []protocol.RequestCode{protocol.HeartBeat, protocol.UnregisterClient}; !slices.Equal(order, want) {
			t.Errorf("the broker got %v, want %v", order, want)
		}
	})
}
