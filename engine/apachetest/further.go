package apachetest

import (
	"context"
	"fmt"
	"strconv"
)

// FurtherBroker is one more broker of a cluster, with a name of its own, for tests that need
// queues on several.
type FurtherBroker struct {
	Name string
	Addr string

	cluster *Cluster
	process *process
	killed  bool
}

// AddBroker starts one more broker and returns when its route is at the name server. It is for
// a test that no other one runs beside: topics that are made meanwhile may get queues there.
// The test must Kill it; the name server then forgets it at once.
func (c *Cluster) AddBroker(ctx context.Context, name string) (*FurtherBroker, error) {
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	port, err := freePorts()
	if err != nil {
		return nil, err
	}
	p, err := c.spawnIn(name, "broker", strconv.Itoa(port), c.NameServer, "brokerName="+name)
	if err != nil {
		return nil, fmt.Errorf("start broker %s: %w", name, err)
	}
	b := &FurtherBroker{Name: name, Addr: local(port), cluster: c, process: p}
	c.mu.Lock()
	c.further = append(c.further, b)
	c.mu.Unlock()
	return b, c.answers(ctx, p, b.Addr)
}

// CreateTopic is Cluster.CreateTopic at this broker.
func (b *FurtherBroker) CreateTopic(ctx context.Context, topic string, queues int) error {
	return b.cluster.createTopic(ctx, b.process, b.Addr, topic, queues)
}

// Kill ends the broker as kill -9 does. It does nothing the second time.
func (b *FurtherBroker) Kill() error {
	b.cluster.mu.Lock()
	killed := b.killed
	b.killed = true
	b.cluster.mu.Unlock()
	if killed {
		return nil
	}
	return b.process.kill()
}
