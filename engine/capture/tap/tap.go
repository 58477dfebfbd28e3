package tap

import (
	"context"
	"net"
	"sync"
	"time"

	"mqscope/engine/capture"
	"mqscope/engine/capture/infer"
	"mqscope/engine/clock"
	"mqscope/engine/lifecycle"
)

// Dial is how connections are made.
type Dial func(ctx context.Context, network, addr string) (net.Conn, error)

// entryCost is what a thing in the queue costs beside its bytes.
const entryCost = 128

// Tap sees connections. Make it with New.
type Tap struct {
	clock clock.Clock
	room  int // bytes that its queue takes
	sink  func(infer.Event)
	live  *capture.Live
	infer *infer.Inferer
	some  chan struct{} // of size one: the queue is not empty, or over

	mu    sync.Mutex
	queue []glimpse
	bytes int
	last  time.Time
	over  bool
}

// New returns a Tap whose queue holds so many bytes. The sink is called by the goroutine of Run.
func New(c clock.Clock, room int, sink func(infer.Event)) *Tap {
	return &Tap{
		clock: c, room: room, sink: sink, live: capture.NewLive(capture.Options{}), infer: infer.New(), some: make(chan struct{}, 1),
	}
}

// Dial is next, with what its connections carry seen from their beginning on.
func (t *Tap) Dial(next Dial) Dial {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := next(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		s := &seen{Conn: c, tap: t}
		t.put(glimpse{kind: opened, conn: s}, entryCost)
		return s, nil
	}
}

type kind uint8

const (
	opened kind = iota
	carried
	closed
)

// glimpse is something in the queue.
type glimpse struct {
	kind   kind
	conn   *seen
	at     time.Time
	down   bool // from the server
	missed int  // bytes before these that were not put into the queue
	bytes  []byte
}

// put adds g to the queue, and tells whether there was room. What opens or closes a connection has
// always room: there are few.
func (t *Tap) put(g glimpse, size int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := g.conn
	if t.over || g.kind == carried && t.bytes+size > t.room {
		s.missed[side(g.down)] += len(g.bytes)
		return false
	}
	if g.kind == carried {
		g.missed, s.missed[side(g.down)] = s.missed[side(g.down)], 0
	}
	if g.at = t.clock.Now(); g.at.Before(t.last) {
		g.at = t.last
	}
	t.last = g.at
	t.bytes += size
	t.queue = append(t.queue, g)
	t.poke()
	return true
}

func (t *Tap) poke() {
	select {
	case t.some <- struct{}{}:
	default:
	}
}

func side(down bool) int {
	if down {
		return 1
	}
	return 0
}

// End has Run return once all is seen that was carried before.
func (t *Tap) End() {
	t.mu.Lock()
	t.over = true
	t.mu.Unlock()
	t.poke()
}

// Run looks at what is carried until End. Where it fails nothing is seen any more; the
// connections go on.
func (t *Tap) Run(ctx context.Context) error {
	defer t.End()
	return lifecycle.Guard(context.WithoutCancel(ctx), "tap", func(ctx context.Context) error {
		for over := false; !over; {
			clock.Wait(ctx, t.clock, clock.Waits{First: t.some})
			t.mu.Lock()
			batch := t.queue
			t.queue, over = nil, t.over
			t.mu.Unlock()
			for i := range batch {
				t.look(&batch[i])
				batch[i] = glimpse{}
			}
		}
		t.live.End(t.clock.Now())
		t.tell()
		return nil
	})
}

// look takes one thing.
func (t *Tap) look(g *glimpse) {
	c := g.conn
	switch g.kind {
	case opened:
		c.link = t.live.Open(capture.AddrOf(c.LocalAddr()), capture.AddrOf(c.RemoteAddr()), g.at)
	case carried:
		if g.missed > 0 {
			t.live.Gap(c.link, g.down, g.missed, g.at)
		}
		t.live.Data(c.link, g.down, g.bytes, g.at)
	case closed:
		t.live.Close(c.link, "closed", g.at)
	}
	t.tell()
	t.mu.Lock()
	t.bytes -= entryCost + len(g.bytes)
	t.mu.Unlock()
}

// tell gives the sink what follows.
func (t *Tap) tell() {
	for it, ok := t.live.Next(); ok; it, ok = t.live.Next() {
		for _, e := range t.infer.Step(it) {
			t.sink(e)
		}
	}
}
