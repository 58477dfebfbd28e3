package client

import (
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

// TestALostBrokersRouteIsReadAgain, at once and with the first dials that fail, not only at the
// next interval: what a name server knows by then is where the queues are read.
func TestALostBrokersRouteIsReadAgain(t *testing.T) {
	bubble(t, func(w *world) {
		ns := w.serve(ns1)
		both := map[string]protocol.TopicRouteData{"T": routeOf(4, "a="+ba+","+bb)}
		ns.names(both)
		master, slave := w.serve(ba), w.serve(bb)
		slave.answer(protocol.PullMessage, pullReply(protocol.PullNotFound, &protocol.PullMessageResponse{}, nil))
		i, _ := w.joined()
		time.Sleep(5 * time.Second)
		ns.forget()
		master.stop()
		w.net.Refuse(ba, errRefused)
		w.net.CutAll(ba)
		time.Sleep(700 * time.Millisecond) // the name server notices a moment later
		only := routeOf(4, "a="+ba)
		only.BrokerDatas[0].Addrs = map[int64]string{1: bb}
		ns.names(map[string]protocol.TopicRouteData{"T": only})
		time.Sleep(5 * time.Second)
		if got := pullOnce(w, i, queue("a", 0), 0); got.Status != mq.NoNewMsg || got.Broker.Addr != bb {
			t.Errorf("five seconds after the master is gone a pull goes to %+v: %v", got.Broker, got.Err)
		}
		if n := len(ns.got(protocol.GetRouteInfoByTopic)); n < 2 || n > maxLostAsks {
			t.Errorf("the route was asked for %d times, want some, and %d at most", n, maxLostAsks)
		}
		ns.forget()
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		if n := len(ns.got(protocol.GetRouteInfoByTopic)); n > 11 {
			t.Errorf("in the five minutes that it is gone the route was asked for %d times, want once an interval", n)
		}
	})
}
