package proxy

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

// entryCost is what a thing in the observer's queue costs beside its bytes.
const entryCost = 128

// restFor is how long the observer lets things gather once it was woken: to be woken for each read
// costs as much as looking at it. Who looks at what it concludes sees it a frame later; the times
// of things are those at which they were read. When a quarter of the queue is full it rests no
// longer.
const restFor = 25 * time.Millisecond

// observer looks at what is carried. Connections put things into its queue; its goroutine takes
// them out and has them made sense of.
type observer struct {
	proxy *Proxy
	live  *capture.Live
	infer *infer.Inferer
	some  chan struct{} // of size one: the queue is not empty, or over
	much  chan struct{} // of size one: a quarter of the queue is full, or over
	rest  time.Duration // before it looks at what it was woken for

	mu    sync.Mutex
	queue []glimpse
	bytes int
	last  time.Time
	over  bool
}

// view is one connection as the observer has it. A nil one sees nothing.
type view struct {
	o      *observer
	link   *capture.Link // the observer's goroutine alone
	missed [2]int        // bytes from server and client that were not put into the queue; o.mu
	unseen bool          // the queue had no room for it from the start; o.mu
}

type glimpseKind uint8

const (
	opened glimpseKind = iota
	bytesSeen
	ended
)

// glimpse is something in the queue.
type glimpse struct {
	kind           glimpseKind
	up             bool
	missed         int // bytes before these
	view           *view
	at             time.Time
	chunk          *chunk
	from, to       int
	client, server netip.AddrPort
	why            string
}

func newObserver(p *Proxy) *observer {
	return &observer{proxy: p, live: capture.NewLive(capture.Options{}), infer: infer.New(), some: make(chan struct{}, 1), much: make(chan struct{}, 1), rest: restFor}
}

// put adds g to the queue; the mutex is held. It tells whether there was room.
func (o *observer) put(g glimpse, size int) bool {
	if o.bytes+size > o.proxy.cfg.QueueBytes || o.over {
		return false
	}
	if g.at = o.proxy.cfg.Clock.Now(); g.at.Before(o.last) {
		g.at = o.last
	}
	o.last = g.at
	o.bytes += size
	if o.queue = append(o.queue, g); len(o.queue) == 1 {
		poke(o.some)
	}
	if o.bytes >= o.proxy.cfg.QueueBytes/4 {
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

// open begins a connection.
func (o *observer) open(client, server netip.AddrPort) *view {
	v := &view{o: o}
	o.mu.Lock()
	defer o.mu.Unlock()
	v.unseen = !o.put(glimpse{kind: opened, view: v, client: client, server: server}, entryCost)
	return v
}

func side(up bool) int {
	if up {
		return 1
	}
	return 0
}

// data shows bytes from to to of c to the observer.
func (v *view) data(up bool, c *chunk, from, to int) {
	if v == nil {
		return
	}
	o, n := v.o, to-from
	o.mu.Lock()
	missed := v.missed[side(up)]
	c.refs.Add(1)
	seen := !v.unseen && o.put(glimpse{kind: bytesSeen, up: up, missed: missed, view: v, chunk: c, from: from, to: to}, entryCost+n)
	if v.missed[side(up)] = 0; !seen {
		c.refs.Add(-1) // whoever shows it has it too
		v.missed[side(up)] = missed + n
	}
	o.mu.Unlock()
	if !seen {
		o.proxy.count.unseen.Add(int64(n))
		o.proxy.notice(Behind, "more traffic than can be looked at: the recording has gaps, clients notice nothing")
	}
}

// close ends a connection. There is always room for that: what its beginning cost is kept for it.
func (v *view) close(why string) {
	if v == nil {
		return
	}
	o := v.o
	o.mu.Lock()
	defer o.mu.Unlock()
	if !v.unseen {
		o.put(glimpse{kind: ended, view: v, why: why}, 0)
	}
}

// end has the observer finish.
func (o *observer) end() {
	o.mu.Lock()
	o.over = true
	o.mu.Unlock()
	poke(o.some)
	poke(o.much)
}

// run looks at things until end. When it fails nothing is watched any more, and all else goes on.
func (o *observer) run(ctx context.Context) error {
	err := lifecycle.Guard(ctx, "observer", func(ctx context.Context) error { o.all(ctx); return nil })
	if err != nil {
		o.end()
		o.proxy.notice(Behind, "nothing is watched any more: "+err.Error())
	}
	return err
}

// gather waits until there are things to look at, and as long as more of them may come first.
func (o *observer) gather(ctx context.Context) {
	<-o.some
	if o.rest <= 0 {
		return
	}
	t := o.proxy.cfg.Clock.NewTimer(o.rest)
	defer t.Stop()
	clock.Wait(ctx, o.proxy.cfg.Clock, clock.Waits{First: o.much, Timer: t}) // ctx does not end
}

// all looks at things until end.
func (o *observer) all(ctx context.Context) {
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
	o.live.End(o.proxy.cfg.Clock.Now())
	o.tell()
}

// look takes one thing.
func (o *observer) look(g *glimpse) {
	size := 0
	switch v := g.view; g.kind {
	case opened:
		v.link = o.live.Open(g.client, g.server, g.at)
	case bytesSeen:
		if g.missed > 0 {
			o.live.Gap(v.link, !g.up, g.missed, g.at)
		}
		o.live.Data(v.link, !g.up, g.chunk.b[g.from:g.to], g.at)
		size = entryCost + g.to - g.from
	case ended:
		size = entryCost
		o.gaps(v, g.at)
		o.live.Close(v.link, g.why, g.at)
	}
	o.tell()
	if g.chunk != nil {
		o.proxy.chunks.release(g.chunk) // not before: bodies of what was told are in it
	}
	o.mu.Lock()
	o.bytes -= size
	o.mu.Unlock()
}

// gaps tells of what was missed before the end of a connection.
func (o *observer) gaps(v *view, at time.Time) {
	o.mu.Lock()
	missed := v.missed
	o.mu.Unlock()
	for _, up := range []bool{true, false} {
		if n := missed[side(up)]; n > 0 {
			o.live.Gap(v.link, !up, n, at)
		}
	}
}

// tell gives the sink what follows.
func (o *observer) tell() {
	for it, ok := o.live.Next(); ok; it, ok = o.live.Next() {
		events := o.infer.Step(it)
		for _, e := range events {
			o.proxy.cfg.Sink.Add(e)
		}
		o.proxy.count.events.Add(int64(len(events)))
	}
}
