package consumer_test

import (
	"context"
	"slices"
	"sync"
	"testing/synctest"
	"time"

	"mqscope/engine/client"
	"mqscope/engine/consume"
	"mqscope/engine/consumer"
	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

// member is one running consumer.
type member struct {
	w        *world
	id       string
	push     *consumer.Push
	instance *client.Instance
	leave    context.CancelFunc
	done     chan error // how Run ended, closed after it

	tape *reel // what it did is recorded, and remade when it has ended

	mu    sync.Mutex
	seen  map[string]int // body → deliveries
	shots []*snapshot.Snapshot
}

// listen is what a member's listener answers for a message; nil is success.
type listen func(ctx context.Context, m mq.Message, c *consume.Context) consume.Status

// holds is a listener that holds each message until release is closed.
func holds(release <-chan struct{}) listen {
	return func(ctx context.Context, _ mq.Message, _ *consume.Context) consume.Status {
		select {
		case <-release:
		case <-ctx.Done():
		}
		return consume.Success
	}
}

// join starts a member. From the first offset on is where a new group begins in a world.
func (w *world) join(id string, answer listen, change ...func(*consumer.Config)) *member {
	w.t.Helper()
	m := &member{w: w, id: id, seen: map[string]int{}}
	cfg := consumer.Config{
		Group: group, ClientID: id, From: mq.FromFirstOffset,
		Subscriptions: []consumer.Subscription{{Topic: topic}},
		Listener: func(ctx context.Context, msgs []mq.Message, c *consume.Context) consume.Status {
			for _, msg := range msgs {
				m.note(msg)
				if s := w.books.listens(ctx, id, msg, c, answer); s != consume.Success {
					return s
				}
			}
			return consume.Success
		},
	}
	for _, fn := range change {
		fn(&cfg)
	}
	m.instance = w.instance(id, w.wire.Dial)
	push, err := consumer.NewPush(cfg, m.instance)
	if err != nil {
		w.t.Fatal(err)
	}
	m.push = push
	if w.sink != nil {
		push.WatchDecisions(w.sink)
	}
	m.record()
	if w.driver != nil {
		push.Drive(w.driver)
	}
	m.leave, m.done = w.run(m.instance, id, push)
	w.members = append(w.members, m)
	return m
}

type runner interface {
	Run(ctx context.Context) error
}

// run runs a consumer and its instance until leave, and says how the consumer ended.
func (w *world) run(instance *client.Instance, id string, s runner) (leave context.CancelFunc, done chan error) {
	ctx, leave := context.WithCancel(w.ctx)
	instanceCtx, kill := context.WithCancel(context.Background())
	done = make(chan error, 1)
	var running sync.WaitGroup
	running.Go(func() {
		if err := instance.Run(instanceCtx); err != nil {
			w.t.Errorf("instance %s: %v", id, err)
		}
	})
	go func() {
		err := s.Run(ctx)
		kill()
		running.Wait()
		done <- err
		close(done)
	}()
	return leave, done
}

func (m *member) note(msg mq.Message) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seen[string(msg.Body())]++
}

// stop leaves cleanly and waits for it.
func (m *member) stop() {
	m.w.t.Helper()
	if err := m.end(); err != nil {
		m.w.t.Errorf("member %s: %v", m.id, err)
	}
}

// end is stop for a test that wants to know how it went.
func (m *member) end() error {
	m.leave()
	return <-m.done
}

func (w *world) stopAll() {
	w.t.Helper()
	for _, m := range w.members {
		m.stop()
		m.remake()
	}
}

// deliveries is how often the listener was called for a body.
func (m *member) deliveries(body string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.seen[body]
}

// distinct is how many different messages the members were given together.
func distinct(members ...*member) int {
	all := map[string]bool{}
	for _, m := range members {
		m.mu.Lock()
		for body := range m.seen {
			all[body] = true
		}
		m.mu.Unlock()
	}
	return len(all)
}

// repeated is how many deliveries there were beyond the first of each message.
func repeated(members ...*member) int {
	n := 0
	for _, m := range members {
		m.mu.Lock()
		for _, times := range m.seen {
			n += times
		}
		m.mu.Unlock()
	}
	return n - distinct(members...)
}

// after lets d of virtual time pass and returns the newest snapshot.
func (m *member) after(d time.Duration) *snapshot.Snapshot {
	time.Sleep(d)
	synctest.Wait()
	m.push.Snapshot() // read, so that the loop builds a newer one
	time.Sleep(150 * time.Millisecond)
	synctest.Wait()
	s := m.push.Snapshot()
	m.shots = append(m.shots, s)
	return s
}

// caughtUp checks that all queues have been consumed to their end and committed there.
func (m *member) caughtUp(s *snapshot.Snapshot, queues int) {
	m.w.t.Helper()
	mine := owned(s)
	if len(mine) != queues {
		m.w.t.Errorf("%s owns %v, want %d queues", m.id, mine, queues)
	}
	for _, id := range mine {
		if q := queue(s, id); !q.Lag.OK() || q.Lag.V != 0 {
			m.w.t.Errorf("%v: lag %+v, committed %d of %d", id, q.Lag, q.Committed.V, q.Max.V)
		}
		if got, want := m.w.committed(id), m.w.end(id); want > 0 && got != want {
			m.w.t.Errorf("%v: its broker has %d committed of %d", id, got, want)
		}
	}
}

// takes is a listener that succeeds after d.
func takes(d time.Duration) listen {
	return func(ctx context.Context, _ mq.Message, _ *consume.Context) consume.Status {
		if d <= 0 { // many timers that are due at once trip the race detector: golang/go#78156
			return consume.Success
		}
		select {
		case <-time.After(d):
			return consume.Success
		case <-ctx.Done():
			return consume.ReconsumeLater
		}
	}
}

// without returns a list of members that lacks one.
func without(list []*member, m *member) []*member {
	return slices.DeleteFunc(slices.Clone(list), func(e *member) bool { return e == m })
}

// discard is a listener that nobody looks at.
func discard(context.Context, []mq.Message, *consume.Context) consume.Status { return consume.Success }
