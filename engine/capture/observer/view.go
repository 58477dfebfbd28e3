package observer

import (
	"net/netip"

	"mqscope/engine/capture"
)

// View is one connection as the observer has it. A nil one sees nothing.
type View struct {
	o      *Observer
	link   *capture.Link // Run's goroutine alone
	missed [2]int        // bytes to and from the server that were not put into the queue; o.mu
	unseen bool          // the queue had no room for it from the start; o.mu
}

// Lent are bytes that are somebody else's: they are held until they were looked at.
type Lent interface {
	Hold()
	Release()
}

// Open begins a connection.
func (o *Observer) Open(client, server netip.AddrPort) *View {
	v := &View{o: o}
	o.mu.Lock()
	defer o.mu.Unlock()
	v.unseen = !o.put(glimpse{kind: opened, view: v, client: client, server: server}, EntryCost)
	return v
}

// Refused tells of a client that came while its server could not be reached.
func (o *Observer) Refused(client, server netip.AddrPort, why string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.put(glimpse{kind: refused, client: client, server: server, why: why}, EntryCost)
}

// Data shows b, which went down, from the server, or up. It must not change until it was looked at:
// lent tells when that is, nil where nobody needs to know.
func (v *View) Data(down bool, b []byte, lent Lent) {
	if v == nil {
		return
	}
	o, n := v.o, len(b)
	o.mu.Lock()
	missed := v.missed[side(down)]
	if lent != nil {
		lent.Hold()
	}
	seen := !v.unseen && o.put(glimpse{kind: carried, down: down, missed: missed, view: v, bytes: b, lent: lent}, EntryCost+n)
	if v.missed[side(down)] = 0; !seen {
		if lent != nil {
			lent.Release() // whoever shows it has it too
		}
		v.missed[side(down)] = missed + n
	}
	o.mu.Unlock()
	if !seen && o.cfg.Missed != nil {
		o.cfg.Missed(n)
	}
}

// Close ends a connection. There is always room for that: what its beginning cost is kept for it.
func (v *View) Close(why string) {
	if v == nil {
		return
	}
	o := v.o
	o.mu.Lock()
	defer o.mu.Unlock()
	if !v.unseen {
		o.put(glimpse{kind: closed, view: v, why: why}, 0)
	}
}

func side(down bool) int {
	if down {
		return 1
	}
	return 0
}
