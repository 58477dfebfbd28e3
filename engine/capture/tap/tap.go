package tap

import (
	"context"
	"net"

	"mqscope/engine/capture"
	"mqscope/engine/capture/infer"
	"mqscope/engine/capture/observer"
	"mqscope/engine/clock"
)

// Dial is how connections are made.
type Dial func(ctx context.Context, network, addr string) (net.Conn, error)

// Tap sees connections. Make it with New; Run looks at what they carry until End.
type Tap struct{ *observer.Observer }

// New returns a Tap whose queue holds so many bytes. The sink is called by the goroutine of Run.
func New(c clock.Clock, room int, sink func(infer.Event)) *Tap {
	return &Tap{observer.New(observer.Config{
		Clock: c, QueueBytes: room, AlwaysOpen: true,
		Sink: func(events []infer.Event) {
			for _, e := range events {
				sink(e)
			}
		},
	})}
}

// Dial is next, with what its connections carry seen from their beginning on.
func (t *Tap) Dial(next Dial) Dial {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := next(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return &seen{Conn: c, view: t.Open(capture.AddrOf(c.LocalAddr()), capture.AddrOf(c.RemoteAddr()))}, nil
	}
}
