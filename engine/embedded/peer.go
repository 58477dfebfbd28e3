package embedded

import (
	"time"

	"mqscope/engine/remoting"
)

// Version is the release that name server and brokers put on what they send, as MQVersion
// counts.
const Version = brokerVersion

// Peer is one connection of a client, as the State sees it. No method may block.
// *remoting.Peer is one.
type Peer interface {
	ID() uint64
	Addr() string                      // host:port of the client
	Reply(req, resp *remoting.Command) // nothing for one-way requests; resp is not kept
	Send(req *remoting.Command) error  // one-way
	Close()
}

// AskFunc sends a request to a client and calls done with its answer, or with why there is
// none: once, in a step of its own.
type AskFunc func(p Peer, req *remoting.Command, timeout time.Duration, done func(*remoting.Command, error))

// AskBy has clients asked by ask, for whoever steps the State without a Cluster. Until then
// they can not be asked. A step that calls done begins with Advance, which tells the time.
func (s *State) AskBy(ask AskFunc) { s.ask = ask }
