package replay

import (
	"mqscope/engine/snapshot"
)

// nearEach is how many moments before and behind the position a picture has.
const nearEach = 12

// publish shows where the player stands.
func (p *Player) publish() {
	var s snapshot.Snapshot
	if last := p.newest.Load(); last != nil && !p.changed {
		s = *last
	} else {
		if rushing := p.playing && p.speed == 0; len(p.near.ahead) < nearEach && !p.near.end && !rushing {
			p.readAhead()
		}
		s = *p.track.Picture() // a copy: a track may hand out one again
		p.changed = false
		p.asRecorded(&s)
		p.logDeparted(s.Replay.Departed)
	}
	p.seq++
	p.shown = p.clock.Now()
	s.Seq, s.At, s.Wall = p.seq, p.head, p.shown
	p.fill(&s.Replay)
	p.newest.Store(&s)
	signal(p.updates)
}

// asRecorded takes out of a picture what was true of the program that recorded it and is not of
// this one: nothing is driven, stepped or recorded here.
func (p *Player) asRecorded(s *snapshot.Snapshot) {
	s.Source.Kind = snapshot.Recorded
	s.Mode.Driving, s.Mode.ReadOnly = false, true
	s.Sched.Stepping, s.Sched.Drives, s.Sched.Running = false, "", false
	s.Recorder = snapshot.Recorder{}
}

func (p *Player) fill(r *snapshot.Replay) {
	r.Known, r.File = true, p.file
	if p.info.Damage == "" {
		p.info.Damage = p.track.Info().Damage // a jump may have met it
	}
	r.From, r.To, r.Total, r.Damage = p.info.From, p.info.To, p.info.Total, p.info.Damage
	r.Event, r.At = p.track.Event(), p.track.At()
	r.Playing, r.Speed = p.playing, p.speed
	r.Bookmarks = p.marks.List()
	r.Interests, r.Searched = p.interests(), p.search.to
	r.Sought = p.sought()
	r.Near = p.near.around(nearEach)
	r.Note, r.Noted = p.note, p.noted
}

// refresh publishes at most so often as frames are drawn.
func (p *Player) refresh() {
	every := frame
	if !p.changed {
		every = quiet
	}
	if p.clock.Now().Sub(p.shown) >= every {
		p.publish()
	}
}
