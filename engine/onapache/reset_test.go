package onapache_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"mqscope/engine/apachetest"
	"mqscope/engine/client"
	"mqscope/engine/consumer"
	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

// reset is a topic whose groups are reset to where its last messages begin.
type reset struct {
	t      *testing.T
	ctx    context.Context
	c      *apachetest.Cluster
	topic  string
	at     time.Time
	target map[int]int64 // offsets of that time
	end    map[int]int64
}

// group is one that a member of ours consumes in.
type group struct {
	name  string
	got   *deliveries
	until func(what string, cond func(*snapshot.Snapshot) bool) *snapshot.Snapshot
	says  string // in the event of each queue that is reset
}

const resetQueues, resetBefore, resetAfter = 4, 30_000, 400

func prepareReset(ctx context.Context, t *testing.T, topic string) *reset {
	t.Helper()
	r := &reset{t: t, ctx: ctx, c: apachetest.Start(t, quickRetries()), topic: topic, target: map[int]int64{}, end: map[int]int64{}}
	if _, err := r.c.Produce(ctx, apachetest.Load{Topic: topic, Count: resetBefore, Queues: resetQueues, Batch: 32}); err != nil {
		t.Fatal(err)
	}
	time.Sleep(10 * time.Millisecond) // the broker's clock has milliseconds
	r.at = time.Now()
	sent, err := r.c.Produce(ctx, apachetest.Load{Topic: topic, Count: resetAfter, First: resetBefore})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range sent.Acks {
		if at, ok := r.target[a.Queue]; !ok || a.Offset < at {
			r.target[a.Queue] = a.Offset
		}
		r.end[a.Queue] = max(r.end[a.Queue], a.Offset+int64(a.Count))
	}
	return r
}

// push is a group with a push consumer.
func (r *reset) push(kind, says string) *group {
	g := &group{name: r.topic + "_" + kind, got: &deliveries{}, says: says}
	change := g.got.slow(30 * time.Millisecond)
	if kind == "orderly" {
		change = g.got.slowInOrder(30 * time.Millisecond)
	}
	g.until = joinApache(r.t, r.c, g.name, r.topic, "127.0.0.1@"+g.name, success, change).until
	return g
}

// asks is a group with a consumer that is asked for messages, and an application of the test's.
func (r *reset) asks(kind string) *group {
	r.t.Helper()
	g := &group{name: r.topic + "_" + kind, got: &deliveries{}, says: "its offset was reset"}
	instance, err := client.New(client.Config{NameServers: []string{r.c.NameServer}, ClientID: "127.0.0.1@" + g.name})
	if err != nil {
		r.t.Fatal(err)
	}
	member := consumer.MemberConfig{Group: g.name}
	a := &asking{t: r.t, id: g.name, done: make(chan error, 1)}
	var work func(ctx context.Context) error
	switch kind {
	case "lite":
		lite, err := consumer.NewLite(consumer.LiteConfig{MemberConfig: member, From: mq.FromFirstOffset, AutoCommitInterval: time.Second}, instance)
		if err == nil {
			err = lite.Subscribe(r.topic, consumer.Selector{}, nil)
		}
		if err != nil {
			r.t.Fatal(err)
		}
		a.source, work = lite, func(ctx context.Context) error { return g.polls(ctx, lite) }
	case "pull":
		p, err := consumer.NewPull(consumer.PullConfig{MemberConfig: member, Topics: []string{r.topic}}, instance)
		if err != nil {
			r.t.Fatal(err)
		}
		a.source, work = p, func(ctx context.Context) error { return g.pulls(ctx, p, r.topic) }
	case "scheduled":
		s, err := consumer.NewScheduled(consumer.ScheduledConfig{PullConfig: consumer.PullConfig{MemberConfig: member}}, instance)
		if err == nil {
			err = s.RegisterPullTaskCallback(r.topic, func(ctx context.Context, q mq.MessageQueue, c *consumer.PullTaskContext) error {
				c.Delay = 30 * time.Millisecond
				return g.pullOnce(ctx, c.PullConsumer(), q)
			})
		}
		if err != nil {
			r.t.Fatal(err)
		}
		a.source = s
	}
	a.runOn(instance, work)
	g.until = a.until
	return g
}

// polls is the application of a lite consumer.
func (g *group) polls(ctx context.Context, lite *consumer.Lite) error {
	for ctx.Err() == nil {
		began := time.Now()
		p, err := lite.Poll(ctx)
		if err != nil {
			return err
		}
		g.got.note(p.Queue, began, p.Messages)
		p.Release()
		time.Sleep(30 * time.Millisecond)
	}
	return nil
}

// pulls is the application of a pull consumer.
func (g *group) pulls(ctx context.Context, p *consumer.Pull, topic string) error {
	for ctx.Err() == nil {
		queues, err := p.FetchMessageQueuesInBalance(ctx, topic)
		if err != nil {
			return err
		}
		for _, q := range queues {
			if err := g.pullOnce(ctx, p, q); err != nil {
				return err
			}
		}
		time.Sleep(30 * time.Millisecond)
	}
	return nil
}

func (g *group) pullOnce(ctx context.Context, p *consumer.Pull, q mq.MessageQueue) error {
	at, _, err := p.FetchConsumeOffset(ctx, q, false)
	if err != nil {
		return err
	}
	began := time.Now()
	r, err := p.Pull(ctx, q, consumer.Selector{}, max(at, 0), 4)
	if err != nil {
		return err
	}
	g.got.note(q, began, r.Messages)
	r.Release()
	return p.UpdateConsumeOffset(ctx, q, r.Next)
}

// TestApacheOurConsumersFollowAResetThatTheBrokerKeeps: the broker answers the next pull with
// the new offset, which is how each kind of consumer learns of it.
func TestApacheOurConsumersFollowAResetThatTheBrokerKeeps(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	r := prepareReset(ctx, t, "mqscope_reset")
	const says = "the broker wants it so, its offset was reset"
	r.followed(r.push("concurrent", says), r.push("orderly", says), r.asks("pull"), r.asks("scheduled"), r.asks("lite"))
}

// TestApacheOurMembersFollowAResetThatTheBrokerSends: push consumers alone do what request 220
// says, as Java's.
func TestApacheOurMembersFollowAResetThatTheBrokerSends(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	r := prepareReset(ctx, t, "mqscope_reset_220")
	configure(t, r.c, "useServerSideResetOffset", "false", "true")
	const says = "offset reset for "
	r.followed(r.push("concurrent", says), r.push("orderly", says))
}

// followed has mqadmin reset the groups forward while their members consume slowly: each queue
// goes on at its new offset, nothing before it is handed over after that, and nothing behind it
// is missed.
func (r *reset) followed(groups ...*group) {
	r.t.Helper()
	for _, g := range groups {
		g.until("a committed offset of each queue of "+g.name, r.ofEach(func(q *snapshot.Queue) bool { return q.Committed.OK() && q.Committed.V > 0 }))
	}
	var resets sync.WaitGroup
	for _, g := range groups {
		resets.Go(func() {
			out, err := r.c.Admin(r.ctx, "resetOffsetByTime", "-g", g.name, "-t", r.topic, "-s", fmt.Sprint(r.at.UnixMilli()), "-f", "true")
			if err != nil || !strings.Contains(out, r.c.BrokerName) {
				r.t.Errorf("%v\n%s", err, out)
			}
		})
	}
	resets.Wait()
	for _, g := range groups {
		moved := r.moved(g)
		g.until("all behind the new offsets of "+g.name, func(*snapshot.Snapshot) bool { return r.missing(g) == 0 })
		r.checkHanded(g, moved)
		g.until("all offsets committed of "+g.name, r.ofEach(func(q *snapshot.Queue) bool { return q.Lag.OK() && q.Lag.V == 0 }))
	}
}

// ofEach is a condition on each queue of the topic.
func (r *reset) ofEach(cond func(q *snapshot.Queue) bool) func(*snapshot.Snapshot) bool {
	return func(s *snapshot.Snapshot) bool {
		n := 0
		for i := range s.Queues {
			if q := &s.Queues[i]; q.ID.Topic == r.topic && cond(q) {
				n++
			}
		}
		return n == resetQueues
	}
}

// moved waits until each queue is told as moved, to where it should be, and returns when.
func (r *reset) moved(g *group) map[int]time.Time {
	r.t.Helper()
	moved := map[int]time.Time{}
	g.until("each queue of "+g.name+" to be told as moved", func(s *snapshot.Snapshot) bool {
		for _, e := range s.Events.Entries {
			queue := int(e.Queue.QueueID)
			if e.Queue.Topic != r.topic || !strings.Contains(e.What, g.says) || !moved[queue].IsZero() {
				continue
			}
			moved[queue] = e.At
			if !strings.Contains(e.What, fmt.Sprint(r.target[queue])) {
				r.t.Errorf("%s: %q does not have the new offset %d", g.name, e.What, r.target[queue])
			}
		}
		return len(moved) == resetQueues
	})
	return moved
}

// missing counts the messages behind the new offsets that were not handed over yet.
func (r *reset) missing(g *group) (n int) {
	g.got.mu.Lock()
	defer g.got.mu.Unlock()
	had := map[place]bool{}
	for _, d := range g.got.list {
		had[place{int(d.queue.QueueID), d.offset}] = d.queue.Topic == r.topic
	}
	for queue, end := range r.end {
		for at := r.target[queue]; at < end; at++ {
			if !had[place{queue, at}] {
				n++
			}
		}
	}
	return n
}

// onItsWay is for a message that was taken when its queue moved, and is handed over a moment
// later. What is cached would last for many times that.
const onItsWay = time.Second

func (r *reset) checkHanded(g *group, moved map[int]time.Time) {
	r.t.Helper()
	g.got.mu.Lock()
	defer g.got.mu.Unlock()
	late, before := 0, 0
	for _, d := range g.got.list {
		queue := int(d.queue.QueueID)
		if d.queue.Topic != r.topic || d.offset >= r.target[queue] {
			continue
		}
		before++
		if d.at.After(moved[queue].Add(onItsWay)) {
			late++
		}
	}
	if late > 0 {
		r.t.Errorf("%s: %d messages before the new offset were handed over after the queue had moved", g.name, late)
	}
	if before > resetBefore/2 {
		r.t.Errorf("%s: only %d messages were skipped: the reset came too late to show anything", g.name, resetBefore-before)
	}
	r.t.Logf("%s: %d messages were skipped", g.name, resetBefore-before)
}
