package replay

import (
	"time"

	"mqscope/engine/replay/command"
)

// mostOfOneTime is how many events are looked through for the one that told an entry.
const mostOfOneTime = 1 << 16

// seekEntry goes to the event that told an entry. Its time alone does not name that: many events may
// have one time, and the clock was read for the entry somewhat before or behind it.
func (p *Player) seekEntry(cmd command.SeekEntry) {
	t, ok := p.track.(Teller)
	if !ok {
		p.seekTime(cmd.At)
		return
	}
	if err := before(t, cmd); err != nil {
		p.failed(err)
		return
	}
	if t.Told() >= cmd.Seq {
		p.stands()
		p.here()
		p.say("this was before the recording begins")
		return
	}
	for n := 0; t.Told() < cmd.Seq && n < mostOfOneTime; n++ {
		if _, err := t.Next(); err != nil {
			break // as below
		}
	}
	if t.Told() < cmd.Seq {
		p.seekTime(cmd.At)
		return
	}
	p.stands()
	p.here()
}

// before goes to where an entry was not told yet, no farther back than it has to.
func before(t Teller, cmd command.SeekEntry) error {
	for _, back := range []time.Duration{1, time.Second, time.Minute, time.Hour} {
		if err := t.SeekTime(cmd.At.Add(-back)); err != nil || t.Told() < cmd.Seq {
			return err
		}
	}
	return t.Seek(0)
}
