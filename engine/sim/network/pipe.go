package network

import "time"

// pipe is one direction of a connection: what is pushed comes out at the other end, later and
// in order.
type pipe struct {
	cfg     *Config
	from    string
	to      string
	last    time.Time // when the last thing arrives
	waiting []parcel
	deliver func(parcel)
}

// parcel is a frame, or the end of the connection when there is none.
type parcel struct{ frame []byte }

func (p *pipe) push(frame []byte) {
	now := p.cfg.Timeline.Now()
	at := now.Add(p.cfg.delay())
	if at.Before(p.last) {
		at = p.last
	}
	p.last = at
	if frame != nil && p.cfg.OnFrame != nil {
		p.cfg.OnFrame(Frame{At: now, Arrives: at, From: p.from, To: p.to, Bytes: frame})
	}
	p.waiting = append(p.waiting, parcel{frame})
	p.cfg.Timeline.After(at.Sub(now), p.next)
}

// next delivers whatever is first: in order also where a timeline mixes what is due at one time.
func (p *pipe) next() {
	first := p.waiting[0]
	p.waiting[0] = parcel{}
	p.waiting = p.waiting[1:]
	p.deliver(first)
}

// end has the other side see the end of the connection behind all that was pushed.
func (p *pipe) end() { p.push(nil) }
