package consumer_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"mqscope/engine/consume"
	"mqscope/engine/consumer"
	"mqscope/engine/decision"
	"mqscope/engine/embedded"
	traces "mqscope/engine/internal/tape"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

// decidedHere tells the lines of the consumer itself from those of its parts, which have traces of
// their own.
func decidedHere(id string) bool {
	switch id {
	case "offset.withheld", "offset.sent", "offset.committed", "offset.reset", "offset.reset-done", "offset.reset-handed",
		"rebalance.thresholds", "consume.hooked":
		return true
	}
	return strings.HasPrefix(id, "shutdown.") || strings.HasPrefix(id, "start.")
}

// TestDecisions looks for what is to be told of whole consumers, from start to end. Members run on
// goroutines, so other decisions may come in between.
func TestDecisions(t *testing.T) {
	all := ""
	for _, story := range stories {
		t.Run(story.name, func(t *testing.T) {
			k := &traces.Tape{}
			inWorld(t, 1, func(w *world) {
				w.sink = k
				story.run(w)
			}, story.change...)
			var got []string
			for _, d := range k.Take() {
				got = append(got, d.Line.ID+" "+decision.Words(&d))
			}
			for _, want := range []string{story.starts, story.shares, story.decides, story.ends} {
				next := 0
				for line := range strings.Lines(want) {
					if line = strings.TrimSpace(line); line == "" {
						continue
					}
					at := slices.Index(got[next:], line)
					if at < 0 {
						t.Fatalf("not told in its place: %s\nall of it:\n%s", line, strings.Join(got, "\n"))
					}
					next += at + 1
				}
			}
		})
		all += story.starts + story.shares + story.decides + story.ends
	}
	traces.AllIn(t, all, decidedHere)
}

const started = `
	start.routes routes of 1 subscribed topics read ?  yes
	start.checked a broker accepts the expressions ?  yes
	start.heartbeat a broker took the first heartbeat ?  yes
	start.done consumer is RUNNING, first pass wanted
`

func oneThreadInOrder(c *consumer.Config) {
	c.Orderly, c.Listener, c.Threads = true, nil, 1
	c.OrderlyListener = func(context.Context, []mq.Message, *consume.OrderlyContext) consume.OrderlyStatus {
		return consume.OrderlySuccess
	}
}

type noHook struct{}

func (noHook) Before(*consumer.Consumption) {}
func (noHook) After(*consumer.Consumption)  {}

// stories are what members do, and lines that are to be told of it, each list in its order.
var stories = []struct {
	name                  string
	run                   func(w *world)
	change                []func(*embedded.Config)
	starts, decides, ends string
	shares                string // among decisions of others: the queue of the retry topic may come late
}{
	{
		name: "concurrent",
		run: func(w *world) {
			w.createTopic(topic, 2)
			w.sendTo(first, 3)
			m := w.join("192.0.2.10@me", nil, oneThread, func(c *consumer.Config) {
				c.Pull.Limits.CountPerTopic, c.Pull.Limits.MiBPerTopic = 600, 60
				c.ConsumeHooks = []consumer.ConsumeHook{noHook{}}
			})
			m.after(12 * time.Second)
			m.stop()
		},
		starts: started,
		shares: `
			rebalance.thresholds limits of one queue among 1: count 600, 60 MiB
			rebalance.thresholds limits of one queue among 2: count 300, 30 MiB
			rebalance.thresholds limits of one queue among 3: count 200, 20 MiB
		`,
		decides: `
			consume.hooked 1 hooks are called after the listener, type SUCCESS
			offset.withheld 3 kept back, known to the broker no, beyond the end no, lock missing no ?  no
			offset.sent 3 sent to its broker one-way ?  yes
			offset.withheld 3 kept back, known to the broker yes, beyond the end no, lock missing no ?  yes
		`,
		ends: `
			shutdown.begin shutdown of 3 queues: scheduling stopped, listeners have 3s
			shutdown.drained listeners returned within 3s ?  yes
			shutdown.threads consume threads ended within 2s after that ?  yes
			shutdown.persisted offsets of 3 queues persisted
			shutdown.given-up 3 queues given up
			shutdown.unregistered all brokers took the goodbye within 2s ?  yes
			shutdown.done consumer is SHUTDOWN_ALREADY
		`,
	},
	{
		name: "in order",
		run: func(w *world) {
			w.createTopic(topic, 1)
			w.sendTo(first, 3)
			a := w.join("192.0.2.10@a", nil, oneThreadInOrder)
			a.after(6 * time.Second)
			w.sink = nil
			b := w.join("192.0.2.09@b", nil, oneThreadInOrder) // it comes first: a hands its queue over
			a.after(30 * time.Second)
			b.stop()
			a.after(30 * time.Second)
			w.sendTo(first, 2)
			a.after(time.Second)
			a.stop()
		},
		starts:  started,
		decides: "offset.committed 3 stored, says its broker ?  yes",
		ends: `
			shutdown.begin shutdown of 2 queues: scheduling stopped, listeners have 3s
			shutdown.drained listeners returned within 3s ?  yes
			shutdown.threads consume threads ended within 2s after that ?  yes
			shutdown.committed last offset 5 committed before the lock goes back ?  yes
			shutdown.persisted offsets of 2 queues persisted
			shutdown.given-up 2 queues given up
			shutdown.hung a listener still has messages, its lock is left to expire ?  no
			shutdown.unlocked broker-a has 2 locks back ?  yes
			shutdown.unregistered all brokers took the goodbye within 2s ?  yes
			shutdown.done consumer is SHUTDOWN_ALREADY
		`,
	},
	{
		name: "hung",
		run: func(w *world) {
			w.createTopic(topic, 1)
			w.sendTo(first, 1)
			release := make(chan struct{})
			m := w.join("192.0.2.10@me", nil, oneThreadInOrder, func(c *consumer.Config) {
				c.OrderlyListener = func(context.Context, []mq.Message, *consume.OrderlyContext) consume.OrderlyStatus {
					<-release
					return consume.OrderlySuccess
				}
			})
			m.after(10 * time.Second)
			if _, hung := errors.AsType[*consumer.HungError](m.end()); !hung {
				w.t.Error("the listener did not hang")
			}
			close(release)
		},
		ends: `
			shutdown.begin shutdown of 2 queues: scheduling stopped, listeners have 3s
			shutdown.drained listeners returned within 3s ?  no
			shutdown.threads consume threads ended within 2s after that ?  no
			shutdown.hung a listener still has messages, its lock is left to expire ?  yes
			shutdown.unlocked broker-a has 1 locks back ?  yes
			shutdown.done consumer is SHUTDOWN_ALREADY
		`,
	},
	{
		name: "broadcasting",
		run: func(w *world) {
			w.createTopic(topic, 1)
			w.sendTo(first, 1)
			m := w.join("192.0.2.10@me", nil, oneThread, broadcasting(w.t.TempDir()))
			m.after(6 * time.Second)
			m.stop()
		},
		ends: `
			shutdown.begin shutdown of 1 queues: scheduling stopped, listeners have 3s
			shutdown.taken 0 late events taken in, 0 left out
			shutdown.persisted offsets of 1 queues persisted
			shutdown.given-up 1 queues given up
			shutdown.flushed offset file written and closed
			shutdown.unregistered all brokers took the goodbye within 2s ?  yes
		`,
	},
	{
		name: "reset",
		run: func(w *world) {
			w.createTopic(topic, 1)
			w.sendTo(first, 10)
			m := w.join("192.0.2.10@me", nil, oneThread)
			m.after(10 * time.Second)
			w.orderTargets("broker-a", map[mq.MessageQueue]int64{first: 3})
			m.after(15 * time.Second)
			w.orderTargets("broker-a", map[mq.MessageQueue]int64{first: 4})
			m.after(2 * time.Second)
			m.stop()
		},
		change: []func(*embedded.Config){resetByClients},
		decides: `
			offset.reset reset 10 → 3 wanted, committed in 10s
			offset.reset-done reset to 3 committed ?  yes
			offset.reset reset 10 → 4 wanted, committed in 10s
			offset.reset-handed given up while it is reset, the next owner begins at 4
			offset.sent 4 sent to its broker one-way ?  yes
		`,
	},
	{
		name: "start",
		run: func(w *world) {
			w.createTopic(topic, 1)
			refuse := 3
			w.cluster.Intercept(int32(protocol.HeartBeat), func(*embedded.Request) embedded.Verdict {
				if refuse--; refuse >= 0 {
					return embedded.Drop
				}
				return embedded.Pass
			})
			m := w.join("192.0.2.10@me", nil, oneThread)
			m.after(20 * time.Second)
		},
		starts: `
			start.routes routes of 1 subscribed topics read ?  yes
			start.checked a broker accepts the expressions ?  yes
			start.heartbeat a broker took the first heartbeat ?  no
			start.again start tried again in 500ms: no broker took the heartbeat: are the brokers of the topic up and reachable from here?
		` + started,
	},
}
