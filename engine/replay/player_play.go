package replay

import (
	"errors"
	"io"
	"time"

	"mqscope/engine/recording"
	"mqscope/engine/snapshot"
)

// speeds are how much faster than it was a recording can be played, the last as fast as it goes.
func speeds() []float64 { return []float64{0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 0} }

// speedBy is the speed so many notches faster, or slower where delta is negative.
func speedBy(now float64, delta int) float64 {
	list := speeds()
	at := 0
	for at < len(list)-1 && list[at] != now && (now == 0 || list[at] < now) {
		at++
	}
	return list[min(max(at+delta, 0), len(list)-1)]
}

// mostBehindTime is how much of the person's time is made up for where a track is not fast enough.
const mostBehindTime = 250 * time.Millisecond

// rebase lets recorded time go on from where it is.
func (p *Player) rebase() { p.base = pace{p.head, p.clock.Now()} }

func (p *Player) play() {
	p.playing = true
	p.rebase()
}

// advance plays on up to now and returns how long to wait then; 0: there is more to do at once.
func (p *Player) advance() (wait time.Duration) {
	if p.speed == 0 {
		p.rush()
		return 0
	}
	now := p.clock.Now()
	target := p.base.head.Add(scaled(now.Sub(p.base.wall), p.speed))
	for {
		m, ok := p.peek()
		if ok && m.At.After(target) {
			p.head = target
			break
		}
		before := p.track.At()
		if !p.next() {
			return 0
		}
		p.head = p.track.At()
		if p.head.Before(before) { // the clock was set back while it was recorded
			p.rebase()
			break
		}
		if p.asked() || p.clock.Now().Sub(now) >= slice {
			p.fallBehind()
			p.refresh()
			return 0
		}
	}
	p.refresh()
	return p.pause()
}

// fallBehind goes on from where it stands, and makes up for some of the time that was lost.
func (p *Player) fallBehind() {
	now := p.clock.Now()
	due := p.base.wall.Add(scaled(p.head.Sub(p.base.head), 1/p.speed)) // when it should have been here
	p.base = pace{p.head, now.Add(-min(now.Sub(due), mostBehindTime))}
}

// pause is how long nothing is to be done while it plays: until the next event, at least until
// the next picture may be published and at most until the clock of the picture is to go on.
func (p *Player) pause() time.Duration {
	if p.asked() || len(p.near.ahead) == 0 {
		return 0
	}
	now := p.clock.Now()
	due := p.base.wall.Add(scaled(p.near.ahead[0].At.Sub(p.base.head), 1/p.speed))
	if first := p.shown.Add(frame); due.Before(first) {
		due = first
	}
	if last := p.shown.Add(quiet); due.After(last) {
		due = last
	}
	return max(due.Sub(now), 0)
}

// scaled is d times by, without overflow.
func scaled(d time.Duration, by float64) time.Duration {
	const most = 1 << 62
	return time.Duration(min(max(float64(d)*by, -most), most))
}

// rush plays a slice as fast as it goes.
func (p *Player) rush() {
	begun := p.clock.Now()
	for n := 1; n <= sliceEvents; n++ {
		if !p.next() {
			return
		}
		if n%64 == 0 && (p.asked() || p.clock.Now().Sub(begun) >= slice) {
			break
		}
	}
	p.head = p.track.At()
	p.refresh()
}

// next has one event happen. Where it can not, playing stops, the note says why and it is false.
func (p *Player) next() bool {
	m, err := p.track.Next()
	if err == nil {
		p.near.passed(m)
		p.changed = true
		return !p.broken()
	}
	p.playing = false
	if at := p.track.At(); at.After(p.head) {
		p.head = at
	}
	p.say(p.stopped(err))
	p.publish()
	return false
}

// broken stops playing at an event that reached a breakpoint.
func (p *Player) broken() bool {
	d, ok := p.track.(Decider)
	if !ok || !p.playing || d.Hit() == "" {
		return false
	}
	p.playing, p.head = false, p.track.At()
	p.keepHit(snapshot.Interest{Kind: snapshot.InterestBreakpoint, Event: p.track.Event(), At: p.head})
	p.say(d.Hit())
	p.publish()
	return true
}

// stopped says why it can not go on.
func (p *Player) stopped(err error) string {
	if errors.Is(err, io.EOF) {
		p.ended = true
		return "the end of the recording"
	}
	if d, ok := errors.AsType[*recording.Damage](err); ok {
		p.info = p.track.Info()
		p.info.Damage = d.Error()
		return "played up to the damage: " + d.Error()
	}
	return "it can not go on: " + err.Error()
}
