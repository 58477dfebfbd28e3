package sim_test

import (
	"context"
	"testing"
	"time"

	"mqscope/engine/consumer"
	"mqscope/engine/decision"
	"mqscope/engine/mq"
	"mqscope/engine/sim"
	"mqscope/engine/step"
)

// pullTask is a callback that pulls, and comes back sooner when there was something.
func pullTask(ctx context.Context, q mq.MessageQueue, c *consumer.PullTaskContext) error {
	p := c.PullConsumer()
	at, _, err := p.FetchConsumeOffset(ctx, q, false)
	if err != nil {
		return err
	}
	r, err := p.Do(ctx, consumer.Ask{Queue: q, Offset: max(at, 0), MaxNums: 32})
	if err != nil {
		return err
	}
	defer r.Release()
	c.Delay = 5 * time.Second
	if len(r.Messages) > 0 {
		c.Delay = 100 * time.Millisecond
	}
	return p.UpdateConsumeOffset(ctx, q, r.Next)
}

// TestEachStepCanBeLookedAt builds a snapshot after each decision: wherever a world stands still
// nothing is locked, and looking changes nothing.
func TestEachStepCanBeLookedAt(t *testing.T) {
	pulls := busy(3, false)
	pulls.Scheduled, pulls.Script = pullTask, nil
	for name, cfg := range map[string]sim.Config{"concurrent": busy(1, false), "orderly": busy(2, true), "pull tasks": pulls} {
		t.Run(name, func(t *testing.T) {
			cfg.Limit = 40 * time.Second
			bare := newWorld(t, cfg)
			finish(t, bare)
			w := newWorld(t, cfg)
			for why := step.Stopped; why == step.Stopped; {
				var err error
				if why, err = w.Run(func(*decision.Decision) bool { return true }); err != nil {
					t.Fatal(err)
				}
				if s := w.Snapshot(); s.At != w.Now() {
					t.Fatalf("a snapshot of %v at %v", s.At, w.Now())
				}
			}
			if w.Hash() != bare.Hash() || w.Steps() == 0 {
				t.Errorf("%d steps, hash %x; not looked at %d, %x", w.Steps(), w.Hash(), bare.Steps(), bare.Hash())
			}
		})
	}
}
