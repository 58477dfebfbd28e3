package client

import (
	"context"
	"time"

	"mqscope/engine/remoting"
)

// Network carries an instance's requests to servers and theirs to it. A *remoting.Client is
// one, over connections; a simulation has its own. What the methods promise stands there.
type Network interface {
	// Run keeps connections until ctx ends; by its return all calls have been told so.
	Run(ctx context.Context) error
	Go(addr string, req *remoting.Command, timeout time.Duration, done func(remoting.Answer))
	Call(ctx context.Context, addr string, req *remoting.Command) (*remoting.Command, error)
	OneWay(addr string, req *remoting.Command) error
	Forget(addr string)
	States() []remoting.AddrState
	Stats() remoting.Stats
}

// connect makes the network that cfg wants.
func (c *Config) connect(cfg remoting.ClientConfig) Network {
	if c.Connect != nil {
		return c.Connect(cfg)
	}
	return remoting.NewClient(cfg)
}
