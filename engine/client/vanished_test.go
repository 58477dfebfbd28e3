package client

import (
	"strings"
	"testing"
	"time"

	"mqscope/engine/event"
	"mqscope/engine/protocol"
)

func TestQueuesOfABrokerThatTheNameServerForgot(t *testing.T) {
	both := map[string]protocol.TopicRouteData{"T": routeOf(4, "a="+ba, "b="+bb)}
	onlyA := map[string]protocol.TopicRouteData{"T": routeOf(4, "a="+ba)}
	type look struct {
		routes map[string]protocol.TopicRouteData
		denied bool // broker b says that the topic does not exist
		queues int  // after the refresh
	}
	tests := []struct {
		name  string
		looks []look // one refresh each, 30 s apart
		told  int    // times that queues are kept
	}{
		{"are kept over one refresh that misses it", []look{{both, false, 8}, {onlyA, false, 8}, {both, false, 8}}, 1},
		{"are given up when it is missing for 30 s", []look{{both, false, 8}, {onlyA, false, 8}, {onlyA, false, 4}, {both, false, 8}}, 1},
		{"are kept again when it vanishes a second time", []look{{onlyA, false, 8}, {both, false, 8}, {onlyA, false, 8}, {onlyA, false, 4}}, 2},
		{"are given up at once when it denies the topic", []look{{both, false, 8}, {onlyA, true, 4}}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(w *world) {
				ns, _, b := w.twoBrokers()
				b.answer(protocol.PullMessage, code(protocol.TopicNotExist, "no T here"))
				i, l := w.joined()
				time.Sleep(time.Second)
				for n, look := range tt.looks {
					ns.names(look.routes)
					if look.denied {
						i.Pull(queue("b", 0), 0, &protocol.PullMessageRequest{Topic: "T"}, time.Second, func(PullAnswer) {})
					}
					time.Sleep(30 * time.Second)
					if queues, _ := i.Queues("T"); len(queues) != look.queues {
						t.Errorf("after refresh %d there are %d queues, want %d", n+1, len(queues), look.queues)
					}
				}
				kept := 0
				for _, e := range told[event.Entry](l) {
					if e.Where == "b" && strings.Contains(e.What, "queues are kept for 30s") {
						kept++
					}
				}
				if kept != tt.told {
					t.Errorf("told %d times that queues are kept, want %d", kept, tt.told)
				}
			})
		})
	}
}

// A broker that restarts at each look at the route is missing every time, but was there in
// between.
func TestABrokerThatIsBackIsLookedUpAtOnce(t *testing.T) {
	bubble(t, func(w *world) {
		both := map[string]protocol.TopicRouteData{"T": routeOf(4, "a="+ba, "b="+bb)}
		onlyA := map[string]protocol.TopicRouteData{"T": routeOf(4, "a="+ba)}
		ns, _, b := w.twoBrokers()
		i, _ := w.joined()
		time.Sleep(29 * time.Second)
		for range 5 {
			ns.names(onlyA)
			b.stop()
			w.net.CutAll(bb)
			time.Sleep(2 * time.Second) // the route is read in between
			ns.names(both)
			b.start()
			time.Sleep(time.Second)
			if b := i.Brokers(); len(b) != 2 || !b[1].Up {
				t.Fatalf("brokers are %+v, want both up", b)
			}
			time.Sleep(27 * time.Second)
			if queues, _ := i.Queues("T"); len(queues) != 8 {
				t.Fatalf("there are %d queues, want 8", len(queues))
			}
		}
	})
}
