package main

import (
	"context"

	"mqscope/engine/apachetest"
	"mqscope/engine/embedded"
	"mqscope/engine/lifecycle"
)

// openBroker makes a broker ready for b and says in words what it is. end ends it.
func (b *turns) openBroker(ctx context.Context) (what string, end func(), err error) {
	switch b.s.Broker {
	case "embedded":
		j := b.s.job
		j.Do = "broker"
		c, err := b.begin(ctx, j)
		if err != nil {
			return "", nil, err
		}
		r, err := c.next("ready")
		if err != nil {
			c.kill()
			return "", nil, err
		}
		b.s.NameServer = r.Name
		return "the embedded broker", c.kill, nil
	case "apache":
		c, err := apachetest.Open(ctx, apachetest.Options{})
		if err != nil {
			return "", nil, err
		}
		b.s.NameServer = c.NameServer
		return "Apache's broker 5.3.3", c.Close, nil
	}
	b.s.NameServer = b.s.Broker
	return "the cluster of " + b.s.Broker, func() {}, nil
}

// roomFor is what the embedded broker may keep: a message of 128 bytes takes about 400 with
// its record and index; twice that, for three times the messages of a catch-up.
func roomFor(j job) int64 {
	return max(256<<20, 3*int64(j.total())*int64(j.Size+300)*2)
}

// runBroker runs the embedded broker on loopback until it is killed.
func runBroker(ctx context.Context, j job) (report, error) {
	cluster, err := embedded.New(embedded.Config{
		MaxBytes:          roomFor(j),
		PullBatchMessages: max(32, j.Pull),
		PullBatchBytes:    max(256<<10, 256<<10/32*j.Pull),
	})
	if err != nil {
		return report{}, err
	}
	group, _ := lifecycle.NewGroup(ctx)
	group.Go("cluster", cluster.Run)
	group.Go("tell when ready", func(ctx context.Context) error {
		select {
		case <-cluster.Ready():
			return say("ready", report{Name: cluster.NameServerAddr()})
		case <-ctx.Done():
			return nil
		}
	})
	return report{}, group.Wait()
}
