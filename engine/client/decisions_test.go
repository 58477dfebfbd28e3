package client

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/internal/tape"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

// TestDecisions compares what is told of the life of an instance with a golden trace.
func TestDecisions(t *testing.T) {
	bubble(t, func(w *world) {
		both := map[string]protocol.TopicRouteData{"T": routeOf(4, "a="+ba, "b="+bb)}
		onlyA := map[string]protocol.TopicRouteData{"T": routeOf(4, "a="+ba)}
		ns, a, b := w.twoBrokers()
		a.answer(protocol.PullMessage, code(protocol.TopicNotExist, "no T here"))
		a.answer(protocol.ConsumerSendMsgBack, code(protocol.SystemError, "disk full"))
		b.answer(protocol.HeartBeat, code(protocol.SystemError, "no more clients"))
		k := &tape.Tape{Start: time.Now()}
		i, stop := w.stoppable(Config{Decisions: k.Recorder("me")})
		synctest.Wait() // the first refresh finds nobody
		w.register(i, "G", "T")
		time.Sleep(1500 * time.Millisecond)
		for _, group := range []string{"G", "unknown"} {
			if err := a.lastPeer().Send(&remoting.Command{Code: int32(protocol.NotifyConsumerIDsChanged),
				Fields: protocol.Encode(&protocol.NotifyConsumerIDsChangedRequest{ConsumerGroup: group})}); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		ctx, cancel := context.WithTimeout(w.ctx, time.Second)
		defer cancel()
		m := pulledMessage(t, protocol.StoredMessage{Topic: "T", Body: []byte("x"), QueueOffset: 7})
		_ = i.SendBack(ctx, "G", m, 0, 16) // that it fails as well is another test's
		time.Sleep(time.Second)
		ns.names(onlyA)
		b.stop()
		w.net.CutAll(bb)
		time.Sleep(61 * time.Second) // two refreshes without b
		ns.names(nil)
		i.Pull(queue("a", 0), 0, &protocol.PullMessageRequest{Topic: "T"}, time.Second, func(PullAnswer) {})
		time.Sleep(30 * time.Second) // nobody knows the topic now
		ns.names(both)
		stop()
		synctest.Wait()
		// Whether the first words to both brokers go out in one round or in two is chance.
		list := slices.DeleteFunc(k.Take(), func(d decision.Decision) bool {
			return d.Line == decision.InstanceBeat && d.At.Sub(k.Start) == time.Second && d.N[1] < 2
		})
		tape.Sort(list)
		list = slices.CompactFunc(list, func(a, b decision.Decision) bool {
			return a.Line == decision.InstanceBeat && a.At.Equal(b.At) && a.N == b.N && b.Line == a.Line
		})
		tape.Golden(t, "life", k.Text(list, nil))
	})
	tape.AllSeen(t, func(id string) bool { return strings.HasPrefix(id, "instance.") })
}
