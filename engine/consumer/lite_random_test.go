package consumer_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"mqscope/engine/consumer"
	"mqscope/engine/mq"
	"mqscope/engine/pull"
)

// liteModel is what a lite consumer must do, in the simplest words: each queue has a position;
// a poll brings the messages from there on, in order, without a gap; a seek moves it; a restart
// goes back to what was committed. Only a position that a poll or a seek has set is committed.
type liteModel struct {
	position  map[mq.MessageQueue]int64
	set       map[mq.MessageQueue]bool
	committed map[mq.MessageQueue]int64
	end       map[mq.MessageQueue]int64
}

func TestI30RandomLiteConsumers(t *testing.T) {
	for seed := range uint64(15) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			inWorld(t, 1, func(w *world) { randomLite(w, rand.New(rand.NewPCG(seed, 7))) })
		})
	}
}

func randomLite(w *world, r *rand.Rand) {
	w.createTopic(topic, 3)
	var queues []mq.MessageQueue
	m := liteModel{map[mq.MessageQueue]int64{}, map[mq.MessageQueue]bool{}, map[mq.MessageQueue]int64{}, map[mq.MessageQueue]int64{}}
	for id := range int32(3) {
		queues = append(queues, queueOf("broker-a", id))
	}
	tight := func(c *consumer.LiteConfig) {
		c.ManualCommit, c.PullBatch = true, 1+r.IntN(10)
		c.Limits, c.ThresholdForAll = pull.Limits{CountPerQueue: 5 + r.IntN(30), Span: 10 + r.IntN(50)}, 10+r.IntN(60)
	}
	assign := r.IntN(2) == 0
	prepare := func(c *consumer.Lite) error {
		if assign {
			return c.Assign(queues...)
		}
		return subscribing(c)
	}
	c, run := w.lite("192.0.2.10@0", prepare, tight)
	restarts := 0
	run.after(3 * time.Second)
	for range 250 {
		q := queues[r.IntN(len(queues))]
		switch r.IntN(12) {
		case 0, 1, 2:
			n := r.IntN(40)
			w.put(q, n, "", 0)
			m.end[q] += int64(n)
		case 3:
			must(w, c.Commit(w.ctx))
			for q := range m.set {
				m.committed[q] = m.position[q]
			}
		case 4:
			at := r.Int64N(m.position[q] + 1)
			must(w, c.CommitOffsets(w.ctx, map[mq.MessageQueue]int64{q: at}, r.IntN(2) == 0))
			m.committed[q] = at
		case 5:
			to := r.Int64N(m.end[q] + 1)
			must(w, c.Seek(w.ctx, q, to))
			m.position[q], m.set[q] = to, true
		case 6:
			must(w, c.Pause(w.ctx, q))
		case 7:
			must(w, c.Resume(w.ctx, queues...))
		case 8:
			if restarts++; restarts > 5 {
				continue
			}
			run.stop()
			for _, q := range queues {
				if got := w.committed(q); max(got, 0) != m.committed[q] {
					w.t.Fatalf("%v: the broker has %d after the end, %d was committed\n%s", q, got, m.committed[q], texts(run.source.Snapshot()))
				}
				m.position[q] = m.committed[q]
			}
			clear(m.set)
			c, run = w.lite(fmt.Sprint("192.0.2.10@", restarts), prepare, tight)
			run.after(3 * time.Second)
		default:
			p, err := c.PollFor(w.ctx, time.Duration(r.IntN(3))*time.Second)
			must(w, err)
			for _, msg := range p.Messages {
				if msg.QueueOffset() != m.position[p.Queue] {
					w.t.Fatalf("%v: polled offset %d, the position is %d", p.Queue, msg.QueueOffset(), m.position[p.Queue])
				}
				m.position[p.Queue]++
				m.set[p.Queue] = true
			}
			p.Release()
		}
	}
	must(w, c.Resume(w.ctx, queues...))
	for {
		p, err := c.PollFor(w.ctx, 5*time.Second)
		must(w, err)
		if len(p.Messages) == 0 {
			break
		}
		m.position[p.Queue] += int64(len(p.Messages))
	}
	for _, q := range queues {
		if m.position[q] != m.end[q] {
			w.t.Errorf("%v: polled up to %d of %d", q, m.position[q], m.end[q])
		}
	}
	run.stop()
}

func must(w *world, err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}
