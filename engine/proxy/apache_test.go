package proxy

import (
	"context"
	"fmt"
	"net"
	"slices"
	"testing"
	"time"

	"mqscope/engine"
	"mqscope/engine/apachetest"
	"mqscope/engine/capture/infer"
	"mqscope/engine/conformance"
	"mqscope/engine/consume"
	"mqscope/engine/consumer"
	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

// beforeApache starts Apache's servers and a proxy before them, which ends with the test or by stop.
func beforeApache(t *testing.T) (c *apachetest.Cluster, p *Proxy, seen *events, stop func()) {
	t.Helper()
	c = apachetest.Start(t, apachetest.Options{})
	seen = &events{}
	p, err := New(Config{NameServers: []string{c.NameServer}, Listen: "127.0.0.1:0", Sink: seen})
	if err != nil {
		t.Fatal(err)
	}
	stop = run(t, p.Run)
	<-p.Ready()
	return c, p, seen, stop
}

// TestApacheTheConformanceSuitePassesThrough runs the checks on Apache's broker but for those that
// wait for long or switch something of it.
func TestApacheTheConformanceSuitePassesThrough(t *testing.T) {
	c, p, _, _ := beforeApache(t)
	t.Run("checks", func(t *testing.T) {
		for _, check := range conformance.Checks() {
			if check.Alone() || check.Long() {
				continue
			}
			t.Run(check.ID+" "+check.Name, func(t *testing.T) {
				t.Parallel()
				check.Run(&conformance.Env{
					TB: t, NameServer: p.Addr(), Dial: new(net.Dialer).DialContext, Start: startClient(t),
					Unique: fmt.Sprintf("P%s_%x", check.ID, time.Now().Unix()), Seen: seenAt(p), Slack: 2 * time.Second,
				})
			})
		}
	})
	if s := p.Stats(); s.FromClients.Frames < 1000 || s.Unseen > 0 {
		t.Errorf("%+v", s)
	}
	if c.Broker == seenAt(p)(c.Broker) {
		t.Error("clients were told the broker's own address")
	}
}

// TestApacheAJavaMemberAndOneOfOursAreSeen: two members share a topic through the proxy; what is
// concluded is what they say.
func TestApacheAJavaMemberAndOneOfOursAreSeen(t *testing.T) {
	c, p, seen, stop := beforeApache(t)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	const ours = "127.0.0.1@ours"
	name := fmt.Sprintf("mqscope_proxied_%x", time.Now().UnixMilli())
	if err := c.CreateTopic(ctx, name, 4); err != nil {
		t.Fatal(err)
	}
	j, err := c.JavaConsumer(ctx, apachetest.Member{Group: name, Topic: name, NameServer: p.Addr(), IDs: true})
	if err != nil {
		t.Fatal(err)
	}
	live, err := engine.Open(engine.Config{
		NameServers: []string{p.Addr()}, ClientID: ours,
		Consumer: consumer.Config{
			Group: name, From: mq.FromFirstOffset, Subscriptions: []consumer.Subscription{{Topic: name}},
			Listener: func(context.Context, []mq.Message, *consume.Context) consume.Status { return consume.Success },
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	leave := run(t, live.Run)
	java, err := j.Wait(ctx, func(s apachetest.Seen) bool { return len(s.Queues) == 2 })
	if err != nil {
		t.Fatal(err)
	}
	until(ctx, t, live, func(s *snapshot.Snapshot) bool { return mine(s, name) == 2 })
	if _, err := c.Produce(ctx, apachetest.Load{Topic: name, Count: 400, Queues: 4}); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Wait(ctx, func(s apachetest.Seen) bool { return len(s.Received) >= 200 }); err != nil {
		t.Fatal(err)
	}
	until(ctx, t, live, func(s *snapshot.Snapshot) bool { return s.Counters.Consumed >= 200 })
	got := stateOf(seen.list())
	if _, err := j.Close(ctx); err != nil {
		t.Error(err)
	}
	leave()
	stop() // all was looked at then
	checkApache(t, name, ours, java, got, stateOf(seen.list()))
	if said := p.Stats(); said.Unseen > 0 || said.Refused > 0 {
		t.Errorf("%+v", said)
	}
}

// checkApache compares what was concluded while both members were there, and at the end, with
// what they said.
func checkApache(t *testing.T, name, ours string, java apachetest.Seen, during, end *infer.State) {
	t.Helper()
	g := during.Groups[name]
	if g == nil || g.Members[ours] == nil || g.Members[java.ClientID] == nil || len(g.Members) != 2 {
		t.Fatalf("group %+v", g)
	}
	var javas []string
	for _, q := range g.SortedQueues() {
		if o, _ := q.Owner(); o.Client == java.ClientID && q.Queue.Topic == name {
			javas = append(javas, fmt.Sprintf("%s@%s:%d", q.Queue.Topic, q.Queue.BrokerName, q.Queue.QueueID))
		}
	}
	if !slices.Equal(javas, java.Queues) {
		t.Errorf("the Java member was seen to pull %v, it says %v", javas, java.Queues)
	}
	committed := int64(0)
	for id, q := range end.Groups[name].Queues {
		if id.Topic == name && q.Committed.OK() {
			committed += q.Committed.V
		}
	}
	if committed != 400 || len(end.Groups[name].Members) != 0 {
		t.Errorf("at the end %d are committed and %d members there", committed, len(end.Groups[name].Members))
	}
}

func stateOf(all []infer.Event) *infer.State {
	s := infer.NewState()
	for _, e := range all {
		s.Step(e)
	}
	return s
}

func mine(s *snapshot.Snapshot, topic string) (n int) {
	for _, q := range s.Queues {
		if q.Mine && q.ID.Topic == topic {
			n++
		}
	}
	return n
}

// until waits for a picture of our member.
func until(ctx context.Context, t *testing.T, live *engine.Live, cond func(*snapshot.Snapshot) bool) {
	t.Helper()
	for !cond(live.Snapshot()) {
		select {
		case <-live.Updates():
		case <-ctx.Done():
			t.Fatalf("it did not come about: %+v", live.Snapshot().Counters)
		}
	}
}
