package consumer_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/client"
	"mqscope/engine/consumer"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/snapshot"
)

// worker is the callback of the seed: it reads the offset, pulls 32, notes what it got, moves
// the offset, and sets the delay.
type worker struct {
	mu   sync.Mutex
	seen map[string]int
	runs map[mq.MessageQueue][]time.Time
}

func newWorker() *worker {
	return &worker{seen: map[string]int{}, runs: map[mq.MessageQueue][]time.Time{}}
}

func (k *worker) work(ctx context.Context, q mq.MessageQueue, c *consumer.PullTaskContext) error {
	k.mu.Lock()
	k.runs[q] = append(k.runs[q], time.Now())
	k.mu.Unlock()
	p := c.PullConsumer()
	at, found, err := p.FetchConsumeOffset(ctx, q, false)
	if err != nil {
		return err
	}
	if !found { // Java's offset < 0
		at = 0
	}
	r, err := p.Pull(ctx, q, consumer.ByTag("*"), at, 32)
	if err != nil {
		return err
	}
	defer r.Release()
	if r.Status == mq.Found {
		k.mu.Lock()
		for _, m := range r.Messages {
			k.seen[string(m.Body())]++
		}
		k.mu.Unlock()
	}
	c.Delay = 100 * time.Millisecond
	return p.UpdateConsumeOffset(ctx, q, r.Next)
}

// starts are when callbacks for each queue began.
func (k *worker) starts() map[mq.MessageQueue][]time.Time {
	k.mu.Lock()
	defer k.mu.Unlock()
	out := map[mq.MessageQueue][]time.Time{}
	for q, at := range k.runs {
		out[q] = slices.Clone(at)
	}
	return out
}

func (k *worker) counts() (distinct, all int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, n := range k.seen {
		distinct, all = distinct+1, all+n
	}
	return distinct, all
}

func (w *world) scheduled(id string, callback consumer.PullTaskCallback, change ...func(*consumer.ScheduledConfig)) (*consumer.Scheduled, *running) {
	w.t.Helper()
	cfg := consumer.ScheduledConfig{PullConfig: consumer.PullConfig{MemberConfig: consumer.MemberConfig{Group: group}}}
	for _, fn := range change {
		fn(&cfg)
	}
	return start(w, id, func(i *client.Instance) (*consumer.Scheduled, error) {
		s, err := consumer.NewScheduled(cfg, i)
		if err == nil && callback != nil {
			err = s.RegisterPullTaskCallback(topic, callback)
		}
		return s, err
	})
}

func TestS0AScheduledConsumerConsumesAllAndCommits(t *testing.T) {
	inWorld(t, 2, func(w *world) {
		w.createTopic(topic, 4)
		for _, b := range w.brokers {
			for id := range int32(4) {
				w.put(queueOf(b, id), 100, "", 20)
			}
		}
		pulls := w.watch(protocol.PullMessage)
		k := newWorker()
		_, r := w.scheduled("192.0.2.10@me", k.work)
		s := r.after(10 * time.Second)
		// A body stands in a queue of each broker.
		if distinct, all := k.counts(); distinct != 400 || all != 800 {
			t.Errorf("%d bodies in %d deliveries, want 400 in 800", distinct, all)
		}
		if len(owned(s)) != 8 {
			t.Errorf("it owns %v", owned(s))
		}
		for _, id := range owned(s) {
			if q := queue(s, id); w.committed(id) != 100 || q.Lag.V != 0 {
				t.Errorf("%v: the broker has %d committed, lag %+v", id, w.committed(id), q.Lag)
			}
		}
		for _, h := range headersOf[protocol.PullMessageRequest](w, pulls.take()) {
			if h.SysFlag != 4 || h.MaxMsgNums != 32 || h.Subscription != "*" || h.SubVersion != 0 || h.CommitOffset != 0 {
				t.Fatalf("a pull that Java would not send: %+v", h)
			}
		}
		if s.Group.Kind != snapshot.ScheduledKind || s.Group.Mode() != "scheduled CLUSTERING" || s.Group.Threads.Max != 20 {
			t.Errorf("the picture says %q with %d threads", s.Group.Mode(), s.Group.Threads.Max)
		}
		r.stop()
	})
}

func TestS0RunsOfATaskHaveTheirDelayBetweenThem(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		var ran []time.Duration
		began := time.Now()
		_, r := w.scheduled("192.0.2.10@me", func(_ context.Context, _ mq.MessageQueue, c *consumer.PullTaskContext) error {
			ran = append(ran, time.Since(began))
			n := len(ran)
			switch {
			case n <= 2: // the default
			case n == 3:
				c.Delay = 100 * time.Millisecond
				time.Sleep(300 * time.Millisecond)
			case n == 4:
				c.Delay = 100 * time.Millisecond
				return errors.New("no database")
			case n == 5:
				panic("divided by zero")
			case n == 6:
				c.Delay = -time.Second
			default:
				c.Delay = time.Hour
			}
			return nil
		})
		s := r.after(10 * time.Second)
		var gaps []time.Duration
		for i := 1; i < len(ran); i++ {
			gaps = append(gaps, ran[i]-ran[i-1])
		}
		want := []time.Duration{200, 200, 400, 1000, 1000, 0}
		for i := range want {
			want[i] *= time.Millisecond
		}
		if diff := cmp.Diff(want, gaps); diff != "" {
			t.Errorf("time between the starts of runs (-want +got):\n%s", diff)
		}
		if len(told(s, "no database")) != 1 || len(told(s, "succeeds after 2 failures")) != 1 {
			t.Errorf("failures are not told once when they begin and when they end:\n%s", texts(s))
		}
		r.stop()
	})
}

func TestS0QueuesMoveAmongScheduledConsumers(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 4)
		a, b := newWorker(), newWorker()
		_, ra := w.scheduled("192.0.2.10@a", a.work)
		time.Sleep(5 * time.Second)
		_, rb := w.scheduled("192.0.2.11@b", b.work)
		time.Sleep(3 * time.Second)
		w.send(300, "x")
		time.Sleep(6 * time.Second)
		if got := len(owned(ra.after(0))); got != 2 {
			t.Errorf("a has %d queues", got)
		}
		mid := time.Now()
		time.Sleep(2 * time.Second)
		for q, runs := range a.starts() {
			for _, at := range runs {
				if at.After(mid) && len(b.starts()[q]) > 0 {
					t.Fatalf("%v is pulled by both", q)
				}
			}
		}
		rb.stop()
		w.send(300, "y")
		ra.after(5 * time.Second)
		if da, _ := a.counts(); da == 0 {
			t.Error("a was given nothing")
		}
		all := map[string]bool{}
		for _, k := range []*worker{a, b} {
			k.mu.Lock()
			for body := range k.seen {
				all[body] = true
			}
			k.mu.Unlock()
		}
		if len(all) != 600 {
			t.Errorf("%d of 600 messages were pulled", len(all))
		}
		ra.stop()
	})
}

func TestS0MessageModelAndTheSetOfQueues(t *testing.T) {
	dir := t.TempDir()
	for _, model := range []mq.MessageModel{mq.Clustering, mq.Broadcasting} {
		inWorld(t, 1, func(w *world) {
			w.createTopic(topic, 4)
			k, other := newWorker(), newWorker()
			set := func(c *consumer.ScheduledConfig) { c.Model, c.OffsetsDir = model, dir }
			_, r := w.scheduled("192.0.2.10@me", k.work, set)
			_, r2 := w.scheduled("192.0.2.11@other", other.work, set)
			r.after(5 * time.Second)
			want := 2
			if model == mq.Broadcasting {
				want = 4
			}
			if len(k.starts()) < want || len(owned(r.after(0))) != want {
				t.Errorf("%v: callbacks for %d queues, owns %v, want %d", model, len(k.starts()), owned(r.after(0)), want)
			}
			r.stop()
			r2.stop()
		})
	}
}

func TestS0RegisterPullTaskCallback(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		s, r := w.scheduled("192.0.2.10@me", nil)
		if err := s.RegisterPullTaskCallback(topic, nil); err == nil {
			t.Error("a nil callback is taken")
		}
		if err := s.RegisterPullTaskCallback("no/topic", newWorker().work); err == nil {
			t.Error("an illegal topic is taken")
		}
		// Rebalanced without a callback: the task ends and its queue is dead.
		if err := s.RegisterTopic(topic); err != nil {
			t.Fatal(err)
		}
		snap := r.after(3 * time.Second)
		if q := queue(snap, first); q.Mark != snapshot.MarkBad || q.Task.State != snapshot.TaskNone || len(told(snap, "no callback")) != 1 {
			t.Errorf("a queue without a callback: %v (%s), task %v\n%s", q.Mark, q.Note, q.Task.State, texts(snap))
		}
		k := newWorker()
		if err := s.RegisterPullTaskCallback(topic, k.work); err != nil {
			t.Fatal(err)
		}
		r.after(30 * time.Second)
		if len(k.starts()) != 0 {
			t.Error("a dead queue came to life by itself")
		}
		// It comes back when it is taken away and given again: here another member comes and goes.
		_, r2 := w.scheduled("192.0.2.00@first", newWorker().work)
		r.after(3 * time.Second)
		r2.stop()
		r.after(3 * time.Second)
		if len(k.starts()) != 1 {
			t.Error("the queue that was given again has no callback")
		}
		s.RemovePullTaskCallback(topic)
		r.after(3 * time.Second)
		n := len(k.starts()[first])
		r.after(3 * time.Second)
		if len(k.starts()[first]) != n {
			t.Error("a callback that was removed is called")
		}
		r.stop()
	})
}

func TestS0ATaskThatIsTakenAwayInItsCallbackOverlapsItsSuccessor(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		var mu sync.Mutex
		inside, most := 0, 0
		_, r := w.scheduled("192.0.2.50@me", func(ctx context.Context, _ mq.MessageQueue, _ *consumer.PullTaskContext) error {
			mu.Lock()
			inside++
			most = max(most, inside)
			mu.Unlock()
			defer func() { mu.Lock(); inside--; mu.Unlock() }()
			select {
			case <-time.After(30 * time.Second):
			case <-ctx.Done():
			}
			return nil
		})
		time.Sleep(3 * time.Second)
		_, r2 := w.scheduled("192.0.2.10@first", newWorker().work) // takes the only queue
		time.Sleep(3 * time.Second)
		r2.stop()
		s := r.after(3 * time.Second)
		mu.Lock()
		if most != 2 {
			t.Errorf("%d callbacks at most ran for the queue, want 2: the old one is not interrupted", most)
		}
		mu.Unlock()
		if len(told(s, "two callbacks")) != 1 || queue(s, first).InListener != 2 {
			t.Errorf("the overlap is not told:\n%s", texts(s))
		}
		if s = r.after(40 * time.Second); len(told(s, "earlier assignment has returned")) != 1 {
			t.Errorf("its end is not told:\n%s", texts(s))
		}
		r.stop()
	})
}

func TestShutdownOfAScheduledConsumer(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 2)
		w.put(first, 10, "", 0)
		entered := make(chan struct{}, 10)
		_, r := w.scheduled("192.0.2.10@me", func(ctx context.Context, q mq.MessageQueue, c *consumer.PullTaskContext) error {
			entered <- struct{}{}
			time.Sleep(2 * time.Second)
			return c.PullConsumer().UpdateConsumeOffset(ctx, q, 7)
		})
		<-entered
		<-entered
		began := time.Now()
		r.stop()
		if took := time.Since(began); took < time.Second || took > 3*time.Second {
			t.Errorf("the end took %v, want that of the callbacks", took)
		}
		if len(entered) != 0 {
			t.Error("a callback began after the end had begun")
		}
		if w.committed(first) != 7 {
			t.Errorf("what the last callback set is not committed: the broker has %d", w.committed(first))
		}
	})
}

func TestACallbackThatNeverReturnsIsLeftBehind(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		forever := make(chan struct{})
		_, r := w.scheduled("192.0.2.10@me", func(context.Context, mq.MessageQueue, *consumer.PullTaskContext) error {
			<-forever
			return nil
		})
		s := r.after(20 * time.Second)
		if s.Group.Threads.Busy != 1 || s.Group.Threads.OldestOn != first || s.Group.Threads.Oldest < 15*time.Second {
			t.Errorf("P26: the picture does not show the callback that hangs: %+v", s.Group.Threads)
		}
		err := r.end()
		if stuck, ok := errors.AsType[*consumer.StuckError](err); !ok || stuck.Calls != 1 {
			t.Errorf("the end says %v", err)
		}
		close(forever)
	})
}

func TestScheduledConfigIsChecked(t *testing.T) {
	cfg := consumer.ScheduledConfig{Threads: -1}
	if err := cfg.Validate(); err == nil || !strings.Contains(err.Error(), "-1 threads") || !strings.Contains(err.Error(), "group is blank") {
		t.Errorf("got %v, want both faults", err)
	}
	cfg = consumer.ScheduledConfig{Threads: 1000, PullConfig: consumer.PullConfig{MemberConfig: consumer.MemberConfig{Group: "g"}}}
	if err := cfg.Validate(); err != nil {
		t.Error(err)
	}
}

func TestAScheduledConsumerGoesOnAfterItsBrokerRestarts(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 2)
		w.put(first, 10, "", 0)
		k := newWorker()
		_, r := w.scheduled("192.0.2.10@me", k.work)
		time.Sleep(5 * time.Second)
		w.stopBroker("broker-a")
		time.Sleep(time.Minute)
		w.startBroker("broker-a")
		w.put(first, 10, "", 0)
		s := r.after(30 * time.Second)
		if distinct, all := k.counts(); distinct != 20 || all != 20 {
			t.Errorf("%d of 20 messages in %d deliveries\n%s", distinct, all, texts(s))
		}
		if w.committed(first) != 20 {
			t.Errorf("the broker has %d", w.committed(first))
		}
		r.stop()
	})
}

func TestTwentyCallbacksRunAtOnce(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 30)
		var mu sync.Mutex
		inside, most := 0, 0
		_, r := w.scheduled("192.0.2.10@me", func(ctx context.Context, _ mq.MessageQueue, _ *consumer.PullTaskContext) error {
			mu.Lock()
			inside++
			most = max(most, inside)
			mu.Unlock()
			time.Sleep(time.Second)
			mu.Lock()
			inside--
			mu.Unlock()
			return nil
		})
		time.Sleep(20 * time.Second)
		ready, busy := 0, 0
		for range 10 {
			s := r.after(100 * time.Millisecond)
			busy = max(busy, s.Group.Threads.Busy)
			for _, q := range s.Queues {
				if q.Task.State == snapshot.TaskReady {
					ready++
				}
			}
		}
		mu.Lock()
		if most != 20 || busy != 20 || ready == 0 {
			t.Errorf("%d callbacks at most, pictures say %d busy and %d ready", most, busy, ready)
		}
		mu.Unlock()
		r.stop()
	})
}
