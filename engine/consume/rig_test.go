package consume

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/processqueue"
)

// service is what a Concurrent and an Orderly have in common.
type service interface {
	Run(ctx context.Context) error
	Submit(q *processqueue.Queue, b *mq.Batch, offsets []int)
	SetThreads(n int)
	Stats() Stats
}

// sending is one send-back.
type sending struct {
	Offset       int64
	Level        int32
	MaxReconsume int32
}

// rig has a running service, and what it told and sent back.
type rig struct {
	t       *testing.T
	service service

	mu      sync.Mutex
	sent    []sending
	entries []event.Entry

	refuse func(s sending, attempt int) error // of send-backs, nil accepts all
}

// run runs a service in the present bubble, until stop.
func (r *rig) run(s service) (stop func()) {
	r.service = s
	ctx, cancel := context.WithCancel(r.t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	return sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			r.t.Errorf("Run: %v", err)
		}
	})
}

func (r *rig) emit(e event.Entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entries = append(r.entries, e)
}

func (r *rig) SendBack(_ context.Context, m mq.Message, level, maxReconsume int32) error {
	s := sending{m.QueueOffset(), level, maxReconsume}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(m.StoredBody()) != 1 || m.StoredBody()[0] != byte(s.Offset) {
		r.t.Errorf("body of %d is %v", s.Offset, m.StoredBody())
	}
	attempt := 0
	for _, e := range r.sent {
		if e.Offset == s.Offset {
			attempt++
		}
	}
	r.sent = append(r.sent, s)
	if r.refuse != nil {
		return r.refuse(s, attempt)
	}
	return nil
}

func (r *rig) sendings() []sending {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.sent)
}

// put caches and submits messages with the offsets from, to not included; of some the body can
// not be read.
func (r *rig) put(q *processqueue.Queue, from, to int64, unreadable ...int) {
	batch := batchOf(nil, from, to)
	for _, i := range unreadable {
		batch.SetBodyError(i, errors.New("no such codec"))
	}
	q.Put(batch, nil)
	r.service.Submit(q, batch, nil)
	batch.Release(1)
}

// told returns how many entries have text in them.
func (r *rig) told(text string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for _, e := range r.entries {
		if strings.Contains(e.What, text) {
			n++
		}
	}
	return n
}

// churn puts messages into queues while the number of threads changes at random, up to most; in
// the end there are last, and nothing may be left.
func (r *rig) churn(rng *rand.Rand, queues []*processqueue.Queue, each int64, most, last int) {
	r.t.Helper()
	for from := int64(0); from < each; from += 20 {
		for _, q := range queues {
			r.put(q, from, from+20)
		}
		r.service.SetThreads(1 + rng.IntN(most))
		time.Sleep(time.Duration(rng.IntN(5)) * time.Millisecond)
	}
	r.service.SetThreads(last)
	after(20 * time.Second)
	for _, q := range queues {
		if !empty(q) || q.Committable() != each {
			r.t.Errorf("queue %d: committable %d, %d running, want all %d resolved", q.ID.QueueID, q.Committable(), q.Running(), each)
		}
	}
	s := r.service.Stats()
	if s.Consumed+s.SentBack != uint64(len(queues))*uint64(each) || s.Threads.Busy != 0 || s.Threads.Max != last {
		r.t.Errorf("%+v", s)
	}
}
