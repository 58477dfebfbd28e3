package main

import "context"

// sleeper is a contestant of the row idle.
type sleeper struct {
	j job
	c *child
}

// idle measures all contestants in both modes beside each other: each process's time is its
// own, and they leave the machine almost idle together.
func (b *turns) idle(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, b.s.Patience+2*(b.s.Settle+b.s.Idle))
	defer cancel()
	// What the JVM is warmed with.
	if err := b.fillOnce(ctx); err != nil {
		return err
	}
	if err := b.setup(ctx, b.topic("idle"), b.s.IdleQueues, 0); err != nil {
		return err
	}
	var all []*sleeper
	defer func() {
		for _, s := range all {
			s.c.kill()
		}
	}()
	for _, orderly := range []bool{false, true} {
		for _, who := range b.who {
			s := &sleeper{j: b.job("idle", who, orderly, 0)}
			s.j.Count = s.j.IdleQueues
			if err := b.again(ctx, &s.j, func() error { return s.begin(ctx, b) }); err != nil {
				return err
			}
			all = append(all, s)
		}
	}
	for _, s := range all {
		if _, err := s.c.next("ready"); err != nil {
			return err
		}
	}
	return b.wakeAll(ctx, all)
}

// begin returns when the consumer has started: one after the other, since a JVM that starts
// beside several others may run into its own timeouts.
func (s *sleeper) begin(ctx context.Context, b *turns) (err error) {
	if s.c, err = b.begin(ctx, s.j); err != nil {
		return err
	}
	if _, err = s.c.next("open"); err != nil {
		s.c.kill()
	}
	return err
}

// wakeAll sends a message to each queue, which shows who waits for all of them.
func (b *turns) wakeAll(ctx context.Context, all []*sleeper) error {
	send := all[0].j
	send.Queues = send.IdleQueues
	b.stored = 0
	if err := b.produce(ctx, send, 1000, send.IdleQueues); err != nil {
		return err
	}
	for _, s := range all {
		r, err := s.c.next("done")
		if err != nil {
			return err
		}
		if err := b.note("idle", s.j, r); err != nil {
			return err
		}
	}
	return nil
}
