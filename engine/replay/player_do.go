package replay

import (
	"time"

	"mqscope/engine/replay/command"
)

// farStep is from how many events on a step is made by a jump.
const farStep = 1000

// take is the list of commands that wait, steps that follow each other added up.
func (p *Player) take() []any {
	p.mu.Lock()
	list := p.commands
	p.commands = nil
	p.mu.Unlock()
	out := list[:0]
	for _, cmd := range list {
		step, ok := cmd.(command.Step)
		if ok && len(out) > 0 {
			if before, ok := out[len(out)-1].(command.Step); ok && (before.N > 0) == (step.N > 0) {
				out[len(out)-1] = command.Step{N: before.N + step.N}
				continue
			}
		}
		out = append(out, cmd)
	}
	return out
}

// carryOut takes the commands that have come and tells whether there were any.
func (p *Player) carryOut() bool {
	list := p.take()
	for _, cmd := range list {
		if w, ok := cmd.(Watch); ok {
			p.track.Watch(w.Queues)
			p.changed = true
			continue
		}
		p.note = ""
		p.endHunt()
		p.giveUp()
		p.do(cmd)
	}
	return len(list) > 0
}

// do carries one command out.
func (p *Player) do(cmd any) {
	switch cmd := cmd.(type) {
	case command.Play:
		p.playOrStop(cmd.Stop)
	case command.Speed:
		p.speed = speedBy(p.speed, cmd.Delta)
		p.rebase()
	case command.Step:
		p.step(cmd.N)
	case command.Decision:
		p.decision(cmd.Back)
	case command.SeekEvent:
		p.seek(cmd.Event)
	case command.SeekEntry:
		p.seekEntry(cmd)
	case command.SeekTime:
		p.seekTime(cmd.At)
	case command.Seek:
		p.seekText(cmd.Text)
	case command.Interest:
		p.toInterest(cmd.Back)
	case command.Mark:
		p.mark(cmd)
	case command.Unmark:
		p.marked(p.marks.Unmark(cmd.Number))
	default:
		p.other(cmd)
	}
}

// other is a command about breakpoints, or one that nothing can come of.
func (p *Player) other(cmd any) {
	d, ok := p.track.(Decider)
	if !ok {
		p.say("a recording can not be changed")
		return
	}
	if p.aim(cmd) {
		return
	}
	p.changed = true
	if err := d.Break(cmd); err != nil {
		p.say(err.Error())
	}
}

// decision goes on by one decision.
func (p *Player) decision(back bool) {
	p.playing = false
	d, ok := p.track.(Decider)
	switch {
	case ok && d.Decision(back):
		p.changed = true
	case back:
		p.step(-1)
	default:
		before := p.track.Event()
		p.step(1)
		if ok && p.track.Event() != before { // at the end it stands where it did
			d.FirstDecision()
		}
	}
}

// mark sets a bookmark at the event that happened last: of the one behind it the first records may
// have been read already.
func (p *Player) mark(cmd command.Mark) {
	event, at := p.track.Event(), p.track.At()
	if n := len(p.near.behind); n > 0 {
		event = p.near.behind[n-1].Event
	}
	if event == 0 {
		at = p.info.From
	}
	p.marked(p.marks.Mark(cmd.Number, event, at, cmd.Note))
}

// marked says what is wrong with a change of bookmarks, if anything is.
func (p *Player) marked(err error) {
	p.say(p.marks.Trouble())
	if err != nil {
		p.say(err.Error())
	}
}

// playOrStop plays on from where it stands, from the beginning where that is the end.
func (p *Player) playOrStop(stop bool) {
	if stop || p.playing {
		p.playing = p.playing && !stop
		return
	}
	if p.ended && !p.seek(0) {
		return
	}
	p.play()
}

// step goes n events on or back and stops there.
func (p *Player) step(n int) {
	p.playing = false
	switch {
	case n < 0:
		p.stepBack(-n)
	case n >= farStep:
		p.stepFar(n)
	default:
		for range n {
			if !p.next() {
				return
			}
		}
		p.stands()
	}
}

// stepFar goes so many events on at once.
func (p *Player) stepFar(n int) {
	to, left := p.track.Event(), n
	for m, err := range p.track.Moments(to + 1) {
		if err != nil {
			break
		}
		to = m.Event
		if left--; left == 0 {
			break
		}
	}
	if p.seek(to) && left > 0 {
		p.next() // says why it ends here
	}
}

func (p *Player) stepBack(n int) {
	n = min(n, mostBehind)
	if len(p.near.behind) < n {
		p.lookAround(n)
	}
	at := len(p.near.behind) - n
	switch {
	case len(p.near.behind) == 0:
		p.say("the beginning of the recording")
	case at < 0:
		p.seek(0)
	default:
		p.seek(p.near.behind[at].Event - 1)
	}
}

// stands takes over the time of the event that happened last.
func (p *Player) stands() {
	p.head = p.track.At()
	if p.head.IsZero() || p.track.Event() == 0 {
		p.head = p.info.From
	}
	p.changed, p.ended = true, false
	p.lacking, p.slices = lacks(p.track), 0
	p.rebase()
}

// seek goes to where n events have happened; it is false where that failed.
func (p *Player) seek(n uint64) bool {
	if err := p.track.Seek(n); err != nil {
		p.failed(err)
		return false
	}
	p.stands()
	p.here()
	return true
}

// seekTime goes to a time, and stands there also where nothing happened just then.
func (p *Player) seekTime(at time.Time) {
	if err := p.track.SeekTime(at); err != nil {
		p.failed(err)
		return
	}
	p.stands()
	if at.After(p.head) && !at.After(p.info.To) {
		p.head = at
		p.rebase()
	}
	p.here()
}

// failed says that the track could not go where it should.
func (p *Player) failed(err error) {
	p.playing = false
	p.say(p.stopped(err))
	p.stands() // wherever that is
	p.here()
}
