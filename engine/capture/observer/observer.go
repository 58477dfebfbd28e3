package observer

import (
	"context"
	"net/netip"
	"sync"
	"time"

	"mqscope/engine/capture"
	"mqscope/engine/capture/infer"
	"mqscope/engine/clock"
	"mqscope/engine/lifecycle"
)

// EntryCost is what a thing in the queue costs beside its bytes.
const EntryCost = 128

// Config is what an Observer needs; Missed alone may be nil.
type Config struct {
	Clock      clock.Clock
	QueueBytes int // that may wait
	// Rest is how long it lets things gather once it was woken: to be woken for each read costs as
	// much as looking at it. The times of things are those at which they were shown. When a quarter
	// of the queue is full it rests no longer.
	Rest time.Duration
	// AlwaysOpen has room for the beginning of each connection, however full the queue is: for
	// somebody who makes few.
	AlwaysOpen bool
	Sink       func([]infer.Event) // on Run's goroutine, in order
	Missed     func(bytes int)     // is told of what there was no room for, by whoever showed it
}

// Observer looks at what is carried. Make it with New.
type Observer struct {
	cfg   Config
	live  *capture.Live
	infer *infer.Inferer
	some  chan struct{} // of size one: the queue is not empty, or over
	much  chan struct{} // of size one: a quarter of the queue is full, or over

	mu    sync.Mutex
	queue []glimpse
	bytes int
	last  time.Time
	over  bool
}

type kind uint8

const (
	opened kind = iota
	carried
	closed
	refused
)

// glimpse is something in the queue.
type glimpse struct {
	kind           kind
	down           bool // from the server
	missed         int  // bytes before these
	view           *View
	at             time.Time
	bytes          []byte
	lent           Lent
	client, server netip.AddrPort
	why            string
}

// New makes an observer.
func New(cfg Config) *Observer {
	return &Observer{
		cfg: cfg, live: capture.NewLive(capture.Options{}), infer: infer.New(), some: make(chan struct{}, 1), much: make(chan struct{}, 1),
	}
}

// put adds g to the queue; the mutex is held. It tells whether there was room.
func (o *Observer) put(g glimpse, size int) bool {
	if o.over || o.bytes+size > o.cfg.QueueBytes && (g.kind == carried || g.kind == refused || g.kind == opened && !o.cfg.AlwaysOpen) {
		return false
	}
	if g.at = o.cfg.Clock.Now(); g.at.Before(o.last) {
		g.at = o.last
	}
	o.last = g.at
	o.bytes += size
	if o.queue = append(o.queue, g); len(o.queue) == 1 {
		poke(o.some)
	}
	if o.bytes >= o.cfg.QueueBytes/4 {
		poke(o.much)
	}
	return true
}

func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Waiting is how many bytes the queue has, with what each thing costs.
func (o *Observer) Waiting() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.bytes
}

// End has Run return once all is looked at that was shown before.
func (o *Observer) End() {
	o.mu.Lock()
	o.over = true
	o.mu.Unlock()
	poke(o.some)
	poke(o.much)
}

// Run looks at things until End, also when ctx ends. When it fails nothing is seen any more, and
// the connections go on.
func (o *Observer) Run(ctx context.Context) error {
	defer o.End()
	return lifecycle.Guard(context.WithoutCancel(ctx), "observer", func(ctx context.Context) error { o.all(ctx); return nil })
}

// gather waits until there are things to look at, and as long as more of them may come first.
func (o *Observer) gather(ctx context.Context) {
	clock.Wait(ctx, o.cfg.Clock, clock.Waits{First: o.some}) // ctx does not end
	if o.cfg.Rest <= 0 {
		return
	}
	t := o.cfg.Clock.NewTimer(o.cfg.Rest)
	defer t.Stop()
	clock.Wait(ctx, o.cfg.Clock, clock.Waits{First: o.much, Timer: t})
}

// all looks at things until End.
func (o *Observer) all(ctx context.Context) {
	var batch []glimpse
	for over := false; !over; {
		o.gather(ctx)
		o.mu.Lock()
		batch, o.queue = o.queue, batch[:0]
		over = o.over
		o.mu.Unlock()
		for i := range batch {
			o.look(&batch[i])
			batch[i] = glimpse{}
		}
	}
	o.live.End(o.cfg.Clock.Now())
	o.tell()
}

// look takes one thing.
func (o *Observer) look(g *glimpse) {
	size := 0
	switch v := g.view; g.kind {
	case opened:
		v.link = o.live.Open(g.client, g.server, g.at)
	case carried:
		if g.missed > 0 {
			o.live.Gap(v.link, g.down, g.missed, g.at)
		}
		o.live.Data(v.link, g.down, g.bytes, g.at)
		size = EntryCost + len(g.bytes)
	case refused:
		size = EntryCost
		o.live.Refused(g.client, g.server, g.why, g.at)
	case closed:
		size = EntryCost
		o.gaps(v, g.at)
		o.live.Close(v.link, g.why, g.at)
	}
	o.tell()
	if g.lent != nil {
		g.lent.Release() // not before: bodies of what was told are in it
	}
	o.mu.Lock()
	o.bytes -= size
	o.mu.Unlock()
}

// gaps tells of what was missed before the end of a connection.
func (o *Observer) gaps(v *View, at time.Time) {
	o.mu.Lock()
	missed := v.missed
	o.mu.Unlock()
	for _, down := range []bool{false, true} {
		if n := missed[side(down)]; n > 0 {
			o.live.Gap(v.link, down, n, at)
		}
	}
}

// tell gives the sink what follows.
func (o *Observer) tell() {
	for it, ok := o.live.Next(); ok; it, ok = o.live.Next() {
		if events := o.infer.Step(it); len(events) > 0 {
			o.cfg.Sink(events)
		}
	}
}
