package engine_test

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine"
	"mqscope/engine/clock"
	"mqscope/engine/consume"
	"mqscope/engine/consumer"
	"mqscope/engine/enginetest"
	"mqscope/engine/mq"
	"mqscope/engine/recorder"
	"mqscope/engine/recorder/recordertest"
	"mqscope/engine/snapshot"
	"mqscope/engine/step"
	"mqscope/engine/step/command"
)

// drivenConfig is one of several kinds of consumer.
func drivenConfig(w *enginetest.Cluster, seed uint64) engine.Config {
	c := engine.Config{
		NameServers: []string{"ns:9876"}, ClientID: "192.0.2.1@driven", Dial: w.Net.Dial, Rand: rand.New(rand.NewPCG(seed, 8)),
		Consumer: consumer.Config{
			Group: "g", From: mq.FromFirstOffset, Subscriptions: []consumer.Subscription{{Topic: "orders"}},
			Listener: engine.Answering(clock.System{}, 0, consume.Success),
		},
	}
	c.Consumer.Pull.Batch, c.Consumer.Pull.Limits.CountPerQueue = 4, 8
	if seed%2 == 1 { // slower than it pulls
		c.Consumer.Listener, c.Consumer.Threads = engine.Answering(clock.System{}, 30*time.Millisecond, consume.Success), 1
	}
	if seed%3 == 2 {
		c.Consumer.Orderly, c.Consumer.Listener = true, nil
		c.Consumer.OrderlyListener = engine.AnsweringInOrder(clock.System{}, 10*time.Millisecond, consume.OrderlySuccess)
	}
	return c
}

// stepped runs a consumer whose pulls are made by hand until leave is called, recorded to a file.
func stepped(t *testing.T, path string, cfg engine.Config) (s *step.Live, leave func()) {
	t.Helper()
	live, err := engine.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := live.StartRecording(recorder.Record{File: path}); err != nil {
		t.Fatal(err)
	}
	s = step.NewLive(step.LiveConfig{Consumer: live, Group: cfg.Consumer.Group})
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	return s, func() {
		t.Helper()
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func heldOf(s *snapshot.Snapshot) (n int) {
	for _, task := range s.Sched.Tasks {
		if task.Held {
			n++
		}
	}
	return n
}

// TestNoOrderOfStepsLosesAnything steps a consumer in any order, two commands at a time or after a
// while, and then lets it go: all is consumed once and committed, and each queue has its one pull.
func TestNoOrderOfStepsLosesAnything(t *testing.T) {
	for seed := range uint64(30) {
		enginetest.InCluster(t, func(w *enginetest.Cluster) {
			rng := rand.New(rand.NewPCG(seed, 7))
			t := w.T
			if err := w.CreateTopic("orders", 2); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "member.mqrec")
			d, leave := stepped(t, path, drivenConfig(w, seed))
			time.Sleep(5 * time.Second)
			for i := range 300 {
				if i%10 == 0 {
					w.Put("orders", int32(rng.IntN(2)), 3)
				}
				d.Do(anyStep(rng))
				if rng.IntN(3) > 0 {
					time.Sleep(time.Duration(rng.IntN(200)) * time.Millisecond)
					synctest.Wait()
				}
			}
			d.Do(command.Pace{Delta: 100})
			for len(d.Snapshot().Sched.Breakpoints) > 0 {
				d.Do(command.Delete{Words: d.Snapshot().Sched.Breakpoints[0].Words})
			}
			d.Do(command.Run{})
			time.Sleep(20 * time.Second)
			w.Put("orders", 0, 1) // each queue still has its pull
			w.Put("orders", 1, 1)
			time.Sleep(15 * time.Second)
			synctest.Wait()
			d.Snapshot() // read, so that there is a newer one
			time.Sleep(200 * time.Millisecond)
			s := d.Snapshot()
			if !s.Sched.Running || heldOf(s) != 0 || s.Counters.Received != 92 || s.Counters.Consumed != 92 || w.Left("g", "orders", 2) != 0 {
				t.Errorf("seed %d: running %v, %d held, received %d, consumed %d, %d left", seed, s.Sched.Running, heldOf(s),
					s.Counters.Received, s.Counters.Consumed, w.Left("g", "orders", 2))
			}
			leave()
			if end := recordertest.EndOf(t, path); end.Source.State != snapshot.Ended || end.Counters.Commits != d.Snapshot().Counters.Commits {
				t.Errorf("seed %d: made again it ends %v with %d commits", seed, end.Source.State, end.Counters.Commits)
			}
		})
	}
}

// anyStep is something that a person may do.
func anyStep(rng *rand.Rand) any {
	switch rng.IntN(12) {
	case 0:
		return command.Run{}
	case 1:
		return command.Pause{}
	case 2:
		return command.Task{}
	case 3:
		return command.Pace{Delta: rng.IntN(7) - 3}
	case 4:
		return command.Until{Task: 1 + uint64(rng.IntN(3))}
	case 5:
		return command.Until{Condition: "pull.send"}
	case 6:
		return command.SetBreakpoint{Text: []string{"flow.count if yes", "pull.answer", "pull.enqueued after 3", "offset.sent"}[rng.IntN(4)]}
	case 7:
		return command.Toggle{Index: 0, Words: "pull.answer"}
	}
	return command.One{}
}
