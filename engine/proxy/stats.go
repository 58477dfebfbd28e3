package proxy

import "sync/atomic"

// Stats counts since the start.
type Stats struct {
	Conns     int64 // connections that were carried
	Open      int64 // of them, now
	Refused   int64 // connections whose server could not be reached
	Listeners int64 // now, that of the name server among them
	FromClients,
	FromServers Flow
	Rewritten int64 // answers
	Unseen    int64 // bytes that the observer could not keep up with
	Events    int64 // that the Sink was given
}

// Flow is what went one way.
type Flow struct{ Frames, Bytes int64 }

type counters struct {
	opened, open, refused, doors, rewritten, unseen, events atomic.Int64
	flows                                                   [2]struct{ frames, bytes atomic.Int64 } // from servers, from clients
}

func (c *counters) carried(up bool, bytes int) { c.flows[side(up)].bytes.Add(int64(bytes)) }

func (c *counters) framed(up bool) { c.flows[side(up)].frames.Add(1) }

// Stats returns the counts.
func (p *Proxy) Stats() Stats {
	c := &p.count
	flow := func(i int) Flow { return Flow{c.flows[i].frames.Load(), c.flows[i].bytes.Load()} }
	return Stats{
		Conns: c.opened.Load(), Open: c.open.Load(), Refused: c.refused.Load(), Listeners: c.doors.Load(),
		FromServers: flow(0), FromClients: flow(1), Rewritten: c.rewritten.Load(), Unseen: c.unseen.Load(), Events: c.events.Load(),
	}
}

func side(up bool) int {
	if up {
		return 1
	}
	return 0
}
