package capture

import "mqscope/engine/remoting"

// Options bound what a Reader holds. A field that is not above zero means its default.
type Options struct {
	// Limits are those of frames.
	Limits remoting.Limits
	// StreamBytes is how much of one direction of a connection may wait for a missing
	// packet; above it the packet counts as lost. Default 1 MiB.
	StreamBytes int
	// HeldBytes is the same for all connections together. Default 32 MiB.
	HeldBytes int
	// FrameBytes is how much the unfinished frames of all connections may hold together;
	// above it the body of the one that grows is dropped. Default 48 MiB.
	FrameBytes int
	// Conns is how many connections are remembered; above it the one that was silent for
	// longest is given up. Default 16384.
	Conns int
	// Requests is how many requests may wait for their answers; above it the oldest is
	// given up. Default 65536.
	Requests int
	// RequestBytes is the same for what they hold. Default 32 MiB.
	RequestBytes int
	// Notes is how many notes are told one by one; all are counted. Default 1000.
	Notes int
}

func (o Options) withDefaults() Options {
	set := func(v *int, d int) {
		if *v <= 0 {
			*v = d
		}
	}
	set(&o.StreamBytes, 1<<20)
	set(&o.HeldBytes, 32<<20)
	set(&o.FrameBytes, 48<<20)
	set(&o.Conns, 16<<10)
	set(&o.Requests, 64<<10)
	set(&o.RequestBytes, 32<<20)
	set(&o.Notes, 1000)
	set(&o.Limits.FrameBytes, 16<<20)
	set(&o.Limits.HeaderBytes, 64<<10)
	return o
}
