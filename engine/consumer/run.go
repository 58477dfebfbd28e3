package consumer

import (
	"context"
	"fmt"

	"mqscope/engine/clock"
	"mqscope/engine/lifecycle"
)

// Run joins the group and consumes until ctx ends; it then leaves cleanly (see shutdown) and
// returns nil. ErrDuplicateGroup of package client means that the instance has the group
// already. A *HungError means that a listener never returned; everything else has ended. A
// second call, whenever it comes, is client.ErrAlreadyRun and touches nothing
// (Java: the ServiceState of DefaultMQPushConsumerImpl.start).
func (p *Push) Run(ctx context.Context) error {
	if err := p.loop.runsOnce(); err != nil {
		return err
	}
	// What the shutdown still needs outlives ctx and ends after it.
	after, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	p.loop.directCalls = &directCalls{crew: newCrew(after, p.cfg.Clock, p.loop.tell)}
	if err := p.loop.openOffsets(ctx); err != nil {
		return fmt.Errorf("offsets of group %s: %w", p.cfg.Group, err)
	}
	if err := p.client.Register(p.loop.registration()); err != nil {
		p.loop.closeOffsets(ctx)
		return fmt.Errorf("register group %s: %w", p.cfg.Group, err)
	}
	calls, callsCtx := lifecycle.NewGroup(after)
	p.loop.calls = newCalls(calls)
	threads := startThreads(after, p.cfg.Clock, p.loop.pool)

	front, frontCtx := lifecycle.NewGroup(ctx)
	front.Go("loop", p.loop.run)
	front.Go("start", p.loop.start)
	front.Go("failure behind it", func(ctx context.Context) error {
		switch clock.Wait(ctx, p.cfg.Clock, clock.Waits{First: threads.failed.Done(), Second: callsCtx.Done()}) {
		case clock.First:
			return context.Cause(threads.failed)
		case clock.Second:
			return context.Cause(callsCtx)
		}
		return nil
	})
	clock.Wait(frontCtx, p.cfg.Clock, clock.Waits{})
	errs := []error{front.Wait()}
	errs = append(errs, lifecycle.Guard(after, "shutdown", func(ctx context.Context) error {
		return p.loop.shutdown(ctx, threads)
	}))
	end()
	errs = append(errs, calls.Wait())
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
