package ondemand

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"mqscope/engine"
	"mqscope/engine/client"
	"mqscope/engine/clock"
	"mqscope/engine/consumer"
	"mqscope/engine/event"
	"mqscope/engine/lifecycle"
	"mqscope/engine/mq"
	"mqscope/engine/recorder"
	"mqscope/engine/snapshot"
)

// App is what the application does that a consumer asked for messages needs: it takes them,
// and moves the offsets on.
type App struct {
	Work time.Duration // for each batch, before its offset moves on
	// Delay is the time from the end of a scheduled consumer's callback to the next one, default
	// 100 ms.
	Delay   time.Duration
	Threads int // that callbacks run on, default 20
	// AutoCommit is how often what a lite consumer's polls returned is committed, default 5 s.
	AutoCommit time.Duration
	// LimitAll is how many messages all queues of a lite consumer may hold, default 10000.
	LimitAll int
	// Queues are those that a lite or a pull consumer takes, whoever else has them; without any
	// it takes those that the group allots to it.
	Queues []mq.MessageQueue
	// Begin is where a pull consumer begins in each of its queues.
	Begin PullFrom
	// Count is how many messages a pull consumer takes before it ends; 0 is without end.
	Count int
	// KeepOffsets leaves the group's offsets as they are. Of a pull consumer.
	KeepOffsets bool
	// Take is given what a pull consumer takes, one message at a time; nil is nobody. It must
	// not keep the message.
	Take func(q mq.MessageQueue, m mq.Message)
}

// Source is a consumer on a cluster that is asked for messages, with an application of our
// own that does so.
type Source struct {
	cfg      engine.Config
	instance *client.Instance
	member   member
	app      func(ctx context.Context) error // beside the member; nil where that calls back
	ran      atomic.Bool

	mu   sync.Mutex
	gate chan struct{} // closed when the application may work; nil when it may
}

// member is a consumer that is asked for messages.
type member interface {
	Run(ctx context.Context) error
	Snapshot() *snapshot.Snapshot
	Updates() <-chan struct{}
	Watch(queues ...mq.MessageQueue)
	Note(e event.Entry)
}

// open checks what all kinds have in common. Of cfg.Consumer it takes group,
// namespace, model, strategy, folder, subscriptions, where to start, batch and limits.
func open(cfg engine.Config) (*Source, consumer.MemberConfig, error) {
	cfg = cfg.WithDefaults()
	c := &cfg.Consumer
	instance, err := cfg.Instance()
	if len(c.Subscriptions) == 0 {
		err = errors.Join(err, errors.New("no topic: name at least one"))
	}
	if err != nil {
		return nil, consumer.MemberConfig{}, err
	}
	s := &Source{cfg: cfg, instance: instance}
	return s, consumer.MemberConfig{
		Group: c.Group, Namespace: c.Namespace, Model: c.Model, Strategy: c.Strategy, OffsetsDir: c.OffsetsDir,
		PersistInterval: c.PersistInterval, Drain: c.Drain, SnapshotInterval: c.SnapshotInterval,
		AllowBrokerRequests: c.AllowBrokerRequests, Clock: cfg.Clock, Log: cfg.Log,
	}, nil
}

// Run joins the group, lets the application work until ctx ends, and leaves: the application
// ends first, so that what it did is committed. It runs once, else client.ErrAlreadyRun.
func (s *Source) Run(ctx context.Context) error {
	if s.ran.Swap(true) {
		return client.ErrAlreadyRun
	}
	return s.instance.RunAround(ctx, func(ctx context.Context) error {
		group, groupCtx := lifecycle.NewGroup(ctx)
		memberCtx, stop := context.WithCancel(context.WithoutCancel(ctx))
		defer stop()
		group.Go("application", func(ctx context.Context) error {
			defer stop()
			if s.app != nil {
				return s.app(ctx)
			}
			<-ctx.Done()
			return nil
		})
		err := lifecycle.Guard(groupCtx, "consumer", func(context.Context) error { return s.member.Run(memberCtx) })
		if err != nil {
			group.Go("end of the consumer", func(context.Context) error { return err })
		}
		return errors.Join(err, ignoring(group.Wait(), err))
	})
}

// ignoring is err unless it only repeats known.
func ignoring(err, known error) error {
	if known != nil && errors.Is(err, known) {
		return nil
	}
	return err
}

// Snapshot implements engine.Source.
func (s *Source) Snapshot() *snapshot.Snapshot {
	shown := *s.member.Snapshot()
	shown.Source.Kind, shown.Source.Name = s.cfg.Kind, s.cfg.Name
	if s.closed() != nil {
		shown.Mode.Paused = true
		shown.Queues = slices.Clone(shown.Queues)
		for i := range shown.Queues {
			if q := &shown.Queues[i]; q.State == snapshot.Pulling {
				q.State = snapshot.QueuePaused
			}
		}
	}
	return &shown
}

// Updates implements engine.Source.
func (s *Source) Updates() <-chan struct{} { return s.member.Updates() }

// Do implements engine.Source. The application pauses, not the consumer.
func (s *Source) Do(c engine.Command) {
	switch c := c.(type) {
	case engine.Pause:
		s.setPaused(true)
	case engine.Resume:
		s.setPaused(false)
	case engine.Watch:
		s.member.Watch(c.Queues...)
	case recorder.Record, recorder.Stop, recorder.Save:
		s.member.Note(event.Entry{Level: event.Warn, Source: "engine", What: "not done: this kind of consumer is recorded from its start to its end, with -o FILE"})
	default:
		s.member.Note(event.Entry{Level: event.Warn, Source: "engine", What: "not done: only a push consumer can do that"})
	}
}

func (s *Source) setPaused(paused bool) {
	if lite, ok := s.member.(*consumer.Lite); ok {
		lite.PauseAll(paused)
		return
	}
	s.mu.Lock()
	was := s.gate != nil
	switch {
	case paused && !was:
		s.gate = make(chan struct{})
	case !paused && was:
		close(s.gate)
		s.gate = nil
	}
	s.mu.Unlock()
	if paused != was {
		what := map[bool]string{true: "paused", false: "resumed"}[paused]
		s.member.Note(event.Entry{Level: event.Info, Source: "engine", What: "consumption " + what + " by hand"})
	}
}

// closed is what the application waits for before it works on, nil when it need not.
func (s *Source) closed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gate
}

// whilePaused waits until work may go on.
func (s *Source) whilePaused(ctx context.Context) error {
	for gate := s.closed(); gate != nil; gate = s.closed() {
		select {
		case <-gate:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			break
		}
	}
	return ctx.Err()
}

// Preview is what Live.Preview is for this consumer.
func (s *Source) Preview(ctx context.Context) (engine.Join, error) { return s.cfg.Preview(ctx) }

// failed tells of work that did not succeed, and waits a moment: it is tried again.
func (s *Source) failed(ctx context.Context, q mq.MessageQueue, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s.member.Note(event.Entry{Level: event.Warn, Source: "consume", Queue: q, What: "the application failed, tries again in 1s: " + err.Error()})
	return clock.Sleep(ctx, s.cfg.Clock, time.Second)
}
