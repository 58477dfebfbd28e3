package embedded

import "mqscope/engine/remoting"

// Peer is one connection of a client, as the State sees it. No method may block.
// *remoting.Peer is one.
type Peer interface {
	ID() uint64
	Addr() string                      // host:port of the client
	Reply(req, resp *remoting.Command) // nothing for one-way requests; resp is not kept
	Send(req *remoting.Command) error  // one-way
	Close()
}
