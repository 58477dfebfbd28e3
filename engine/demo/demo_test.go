package demo_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine/demo"
	"mqscope/engine/memnet"
	"mqscope/engine/snapshot"
)

// playDemo plays a demo for a minute and a half, shows look each second of it and returns
// the last picture.
func playDemo(t *testing.T, cfg demo.Config, look func(s *snapshot.Snapshot)) *snapshot.Snapshot {
	t.Helper()
	network := memnet.New()
	cfg.Listen, cfg.Dial = network.Listen, network.Dial
	played, err := demo.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- played.Run(ctx) }()
	for range 90 {
		time.Sleep(time.Second)
		look(played.Snapshot())
	}
	s := played.Snapshot()
	stop()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	return s
}

// TestTheDemoShowsLife looks for each thing that the demo's script promises.
func TestTheDemoShowsLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		members, owned, flow := map[int]bool{}, map[int]bool{}, false
		s := playDemo(t, demo.Config{Seed: 1}, func(s *snapshot.Snapshot) {
			members[len(s.Members)] = true
			mine := 0
			for _, q := range s.Queues {
				if q.State != snapshot.NotOwned {
					mine++
				}
				flow = flow || q.Flow.Cause == "flow:count"
			}
			owned[mine] = true
		})
		if s.Source.Kind != snapshot.Demo {
			t.Errorf("source %v, want DEMO", s.Source.Kind)
		}
		if !members[3] || !members[2] {
			t.Errorf("member counts seen %v, want 3 and 2: one leaves and comes back", members)
		}
		if len(owned) < 3 {
			t.Errorf("numbers of our queues seen %v, want them to change", owned)
		}
		if !flow {
			t.Error("no queue ever tripped flow control")
		}
		if s.Counters.SentBack == 0 || s.Counters.Consumed < 1000 {
			t.Errorf("%d sent back, %d consumed: want failures and a lively group", s.Counters.SentBack, s.Counters.Consumed)
		}
		retried := false
		for _, q := range s.Queues {
			retried = retried || strings.HasPrefix(q.ID.Topic, "%RETRY%") && q.Found > 0
		}
		if !retried {
			t.Error("nothing came back through the retry topic to this member")
		}
	})
}

// TestTheOrderlyDemoShowsLocks: locks come and go with queues, and failures hold queues up
// instead of being sent back.
func TestTheOrderlyDemoShowsLocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		held, waits := map[int]bool{}, false
		s := playDemo(t, demo.Config{Seed: 1, Orderly: true}, func(s *snapshot.Snapshot) {
			mine := 0
			for _, q := range s.Queues {
				if q.Lock.BrokerSays == snapshot.LockMine {
					mine++
				}
				waits = waits || q.Mine && q.Lock.BrokerSays == snapshot.LockRefused
			}
			held[mine] = true
		})
		if len(held) < 3 {
			t.Errorf("numbers of locks seen %v, want them to change", held)
		}
		// How many it is varies around a thousand with the order in which goroutines run.
		if s.Counters.SentBack != 0 || s.Counters.Consumed < 500 {
			t.Errorf("%d sent back, %d consumed: want no retries and a lively group", s.Counters.SentBack, s.Counters.Consumed)
		}
		t.Logf("locks held %v, waited for one: %v", held, waits)
	})
}
