package main

import (
	"context"
	"slices"
)

// idle measures all contestants in both modes at once: each process's time is its own, and
// they leave the machine almost idle together.
func (b *turns) idle(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, b.s.Patience+b.s.Settle+b.s.Idle)
	defer cancel()
	// What the JVM is warmed with.
	if err := b.fillOnce(ctx); err != nil {
		return err
	}
	if err := b.setup(ctx, b.topic("idle"), b.s.IdleQueues, 0); err != nil {
		return err
	}
	var children []*child
	var jobs []job
	defer func() {
		for _, c := range children {
			c.kill()
		}
	}()
	for _, orderly := range []bool{false, true} {
		for _, who := range b.who {
			j := b.job("idle", who, orderly, 0)
			j.Count = j.IdleQueues
			c, err := b.begin(ctx, j)
			if err != nil {
				return err
			}
			children, jobs = append(children, c), append(jobs, j)
		}
	}
	for _, c := range children {
		if _, err := c.next("ready"); err != nil {
			return err
		}
	}
	// One to each queue shows who waits for all of them.
	send := jobs[0]
	send.Queues = send.IdleQueues
	b.stored = 0
	if err := b.produce(ctx, send, 1000, send.IdleQueues); err != nil {
		return err
	}
	for n, c := range slices.Clone(children) {
		r, err := c.next("done")
		if err != nil {
			return err
		}
		if err := b.note("idle", jobs[n], r); err != nil {
			return err
		}
	}
	return nil
}
