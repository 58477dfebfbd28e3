package inferred

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"mqscope/engine/capture/infer"
	"mqscope/engine/mq"
	"mqscope/engine/replay"
)

// crowd is the traffic of a group that uses very many queues: each is pulled over and over, gets
// some messages, and commits.
type crowd struct {
	queues, members int
	at              time.Time
	next            []int64
	rng             *rand.Rand
}

func newCrowd(queues int) *crowd {
	return &crowd{
		queues: queues, members: 50, at: time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC),
		next: make([]int64, queues), rng: rand.New(rand.NewPCG(1, 2)),
	}
}

func (c *crowd) queue(i int) mq.MessageQueue {
	return mq.MessageQueue{Topic: fmt.Sprint("orders-", i%100), BrokerName: fmt.Sprint("broker-", i%16), QueueID: int32(i / 100)}
}

// pull has a queue pulled once, and calls add with what is seen of it; more is what that said last.
func (c *crowd) pull(i int, add func(infer.Event) bool) (more bool) {
	q, client, conn := c.queue(i), fmt.Sprintf("192.0.2.%d@%d", i%c.members, i%c.members), i%c.members
	see := func(f infer.Fact) {
		c.at = c.at.Add(time.Duration(60+c.rng.IntN(120)) * time.Microsecond)
		more = add(infer.Event{At: c.at, Conn: conn, Fact: f})
	}
	from := c.next[i]
	if from == 0 {
		see(infer.Assigned{Client: client, Group: "billing", Queue: q})
	}
	see(infer.PullSent{Client: client, Group: "billing", Queue: q, Offset: from})
	done := infer.PullDone{Client: client, Group: "billing", Queue: q, Offset: from, Answered: true, Status: mq.Found, RoundTrip: time.Duration(c.rng.IntN(1e7))}
	for range 1 + c.rng.IntN(8) {
		done.Offsets = append(done.Offsets, c.next[i])
		c.next[i]++
	}
	done.Next, done.Max = c.next[i], c.next[i]+int64(c.rng.IntN(100))
	see(done)
	if c.rng.IntN(3) > 0 {
		see(infer.Committed{Client: client, Group: "billing", Queue: q, Offset: from})
	}
	return more
}

// crowded is a recording of so many bytes of a group with so many queues.
func crowded(b testing.TB, queues int, bytes int64) string {
	c := newCrowd(queues)
	return recordLarge(b, bytes, func(add func(infer.Event) bool) {
		for i := 0; c.pull(i, add); i = (i + 1) % queues {
			continue
		}
	})
}

// A jump reads one checkpoint and plays on from there: neither may take long, whatever the state.
func TestCheckpointsOfLargeStatesAreNotFarApart(t *testing.T) {
	for _, tt := range []struct{ size, least, want int }{
		{0, 1 << 20, 1 << 20}, {300 << 10, 1 << 20, 1 << 20}, {700 << 10, 1 << 20, 1400 << 10}, {700 << 10, 64 << 10, 1400 << 10},
		{5 << 20, 1 << 20, 3 << 19}, {60 << 20, 1 << 20, 12 << 20},
	} {
		if got := apartBy(tt.size, tt.least); got != tt.want {
			t.Errorf("a checkpoint of %d bytes is followed by %d bytes of events, want %d", tt.size, got, tt.want)
		}
	}
}

func TestAJumpMakesNoLargeCopies(t *testing.T) {
	tr := play(t, crowded(t, 4000, 5<<20), replay.Options{})
	total := tr.Info().Total
	if err := tr.Seek(total - 2000); err != nil || sizeOf(tr) < copyLarge {
		t.Fatalf("the state is small, %d bytes: %v", sizeOf(tr), err)
	}
	for _, to := range []uint64{total / 2, total / 3, total, total / 4} {
		if err := tr.Seek(to); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range tr.kept.all {
		if c.size >= copyLarge {
			t.Errorf("a jump made a copy of %d bytes at event %d of %d", c.size, c.event, total)
		}
	}
	if err := tr.Seek(tr.Event() - 1); err != nil {
		t.Fatal(err)
	}
	if c := tr.kept.before(tr.Event()); c == nil || tr.Event()-c.event > 128 {
		t.Errorf("there is no copy near who goes back: %+v", tr.kept.all)
	}
}

// BenchmarkCrowd is what a person waits for in a large file of 10,000 busy queues.
func BenchmarkCrowd(b *testing.B) {
	if testing.Short() {
		b.Skip("writes a file of 1 GiB")
	}
	path := crowded(b, 10_000, 1<<30)
	runtime.GC()
	tr := play(b, path, replay.Options{})
	rnd := rand.New(rand.NewPCG(1, 2))
	total := tr.Info().Total
	for name, then := range map[string]func(){"jump": func() {}, "jump and picture": func() { tr.Picture() }} {
		b.Run(name, func(b *testing.B) {
			var most time.Duration
			for b.Loop() {
				begun := time.Now()
				if err := tr.Seek(rnd.Uint64N(total)); err != nil {
					b.Fatal(err)
				}
				then()
				most = max(most, time.Since(begun))
			}
			b.ReportMetric(float64(most.Microseconds())/1000, "ms-at-most")
		})
	}
}
