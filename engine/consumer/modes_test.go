package consumer_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mqscope/engine/consume"
	"mqscope/engine/consumer"
	"mqscope/engine/mq"
	"mqscope/engine/offset"
	"mqscope/engine/snapshot"
)

// tape is what listeners got, in order.
type tape struct {
	mu   sync.Mutex
	list []orderCall
}

func (p *tape) add(id string, q mq.MessageQueue, offset int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.list = append(p.list, orderCall{Member: id, Queue: q, Offset: offset, At: time.Now()})
}

// of are the offsets of a queue that a member got, of all members when it has no name.
func (p *tape) of(id string, q mq.MessageQueue) []int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := []int64{}
	for _, c := range p.list {
		if c.Queue == q && (id == "" || c.Member == id) {
			list = append(list, c.Offset)
		}
	}
	return list
}

// missing are the offsets from, to not included, that a member did not get.
func (p *tape) missing(id string, q mq.MessageQueue, from, to int64) (list []int64) {
	got := map[int64]bool{}
	for _, off := range p.of(id, q) {
		got[off] = true
	}
	for off := from; off < to; off++ {
		if !got[off] {
			list = append(list, off)
		}
	}
	return list
}

// inMode runs a fault with consumers of each mode: those that share a topic's queues without
// order and in order, and broadcasting ones.
func inMode(t *testing.T, brokers int, test func(w *mode)) {
	inKind(t, []string{"concurrent", "orderly", "broadcasting"}, brokers, test)
}

// further are the kinds of consumers beside a plain push consumer.
var further = []string{"orderly", "broadcasting", "scheduled", "lite", "broadcasting lite"}

// inKind runs a fault with each of these kinds of consumers.
func inKind(t *testing.T, kinds []string, brokers int, test func(w *mode)) {
	for _, name := range kinds {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			inWorld(t, brokers, func(w *world) { test(&mode{world: w, name: name, dir: dir}) })
		})
	}
}

// mode is a world whose members are all of one mode.
type mode struct {
	*world
	tape
	name string
	dir  string // of offsets
	// takes is how long the application of what start starts needs for a message, of a poll for
	// what it brought.
	takes time.Duration
}

func (w *mode) orderly() bool   { return w.name == "orderly" }
func (w *mode) broadcast() bool { return strings.HasPrefix(w.name, "broadcasting") }

// player is a running consumer of any kind, with an application that consumes what it can.
type player interface {
	stop()
	after(d time.Duration) *snapshot.Snapshot
}

// start is member for every kind. tag is what it subscribes to, "*" for all.
func (w *mode) start(id, tag string) player {
	w.t.Helper()
	shared := func(c *consumer.MemberConfig) {
		if w.broadcast() {
			c.Model, c.OffsetsDir = mq.Broadcasting, w.dir
		}
	}
	switch w.name {
	case "scheduled":
		_, r := w.scheduled(id, w.callback(id, tag), func(c *consumer.ScheduledConfig) { shared(&c.MemberConfig) })
		return r
	case "lite", "broadcasting lite":
		subscribe := func(c *consumer.Lite) error { return c.Subscribe(topic, consumer.ByTag(tag), nil) }
		lite, r := w.lite(id, subscribe, func(c *consumer.LiteConfig) { shared(&c.MemberConfig) })
		return w.polling(id, lite, r)
	}
	return w.member(id, w.takes, tagged(tag))
}

// callback pulls where the offset says and moves it, as the example of the scheduled service.
func (w *mode) callback(id, tag string) consumer.PullTaskCallback {
	return func(ctx context.Context, q mq.MessageQueue, c *consumer.PullTaskContext) error {
		p := c.PullConsumer()
		at, _, err := p.FetchConsumeOffset(ctx, q, false)
		if err != nil {
			return err
		}
		got, err := p.Pull(ctx, q, consumer.ByTag(tag), at, 32)
		if err != nil {
			return err
		}
		defer got.Release()
		for _, m := range got.Messages {
			w.add(id, q, m.QueueOffset())
		}
		return p.UpdateConsumeOffset(ctx, q, got.Next)
	}
}

// poller is a lite consumer whose application polls until the consumer ends.
type poller struct {
	*running
	over chan struct{}
}

func (w *mode) polling(id string, c *consumer.Lite, r *running) *poller {
	p := &poller{r, make(chan struct{})}
	go func() {
		defer close(p.over)
		for {
			got, err := c.PollFor(w.ctx, 100*time.Millisecond)
			if err != nil {
				return
			}
			for _, m := range got.Messages {
				w.add(id, got.Queue, m.QueueOffset())
			}
			got.Release()
			time.Sleep(w.takes)
		}
	}()
	return p
}

func (p *poller) stop() {
	p.w.t.Helper()
	p.running.stop()
	<-p.over
}

// member starts a member whose listener takes d for each message.
func (w *mode) member(id string, d time.Duration, change ...func(*consumer.Config)) *member {
	w.t.Helper()
	set := func(c *consumer.Config) {
		if w.broadcast() {
			c.Model, c.OffsetsDir = mq.Broadcasting, w.dir
		}
		if !w.orderly() {
			return
		}
		c.Orderly, c.Listener = true, nil
		c.OrderlyListener = func(ctx context.Context, msgs []mq.Message, c *consume.OrderlyContext) consume.OrderlyStatus {
			for _, m := range msgs {
				w.add(id, c.Queue, m.QueueOffset())
				if takes(d)(ctx, m, nil) != consume.Success {
					return consume.SuspendCurrentQueueAMoment
				}
			}
			return consume.OrderlySuccess
		}
	}
	return w.join(id, func(ctx context.Context, m mq.Message, c *consume.Context) consume.Status {
		w.add(id, c.Queue, m.QueueOffset())
		return takes(d)(ctx, m, c)
	}, append([]func(*consumer.Config){set}, change...)...)
}

// stored is the offset of a queue where the mode keeps it, -1 for none.
func (w *mode) stored(m player, q mq.MessageQueue) int64 {
	if !w.broadcast() {
		return w.committed(q)
	}
	if c := queue(m.after(0), q).Committed; c.OK() {
		return c.V
	}
	return -1
}

// caughtUp checks that m has all of q from an offset on, in order where that is promised, and
// that the offset says so.
func (w *mode) caughtUp(m player, q mq.MessageQueue, from int64) {
	w.t.Helper()
	end := w.end(q)
	if list := w.missing("", q, from, end); len(list) != 0 {
		w.t.Errorf("%v: %d messages were not delivered, the first is %d\n%s", q, len(list), list[0], texts(m.after(0)))
	}
	if at := w.stored(m, q); at != end {
		w.t.Errorf("%v: offset %d is stored, want %d", q, at, end)
	}
	if w.orderly() {
		w.inOrder(q)
	}
}

// inOrder checks that no message of q was skipped: each call is for the message after the last
// one, or for one that was there before.
func (w *mode) inOrder(q mq.MessageQueue) {
	w.t.Helper()
	high := int64(-1)
	for i, off := range w.of("", q) {
		if i > 0 && off > high+1 {
			w.t.Errorf("%v: %d was handed over after %d", q, off, high)
		}
		high = max(high, off)
	}
}

// twice is how many deliveries of q to m there were beyond the first of each message.
func (w *mode) twice(m *member, q mq.MessageQueue) int {
	got := w.of(m.id, q)
	all := len(got)
	slices.Sort(got)
	return all - len(slices.Compact(got))
}

func (w *mode) errorf(format string, args ...any) {
	w.t.Helper()
	w.t.Errorf("%s: %s", w.name, fmt.Sprintf(format, args...))
}

// writeOffsets makes the offsets file of a member.
func writeOffsets(t *testing.T, dir, id, text string) {
	t.Helper()
	path := filepath.Join(dir, offset.DirName(id), group)
	if err := os.MkdirAll(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(path, "offsets.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
