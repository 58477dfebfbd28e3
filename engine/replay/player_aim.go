package replay

// aim begins to go on to a decision; it is false for a command that is about something else.
func (p *Player) aim(cmd any) bool {
	a, ok := p.track.(Aimer)
	if !ok {
		return false
	}
	mine, err := a.Aim(cmd)
	switch {
	case err != nil:
		p.say(err.Error())
	case mine:
		p.playing, p.aims = false, true
	}
	return mine || err != nil
}

// aimOn goes on for a slice.
func (p *Player) aimOn() {
	a := p.track.(Aimer)
	begun := p.clock.Now()
	for !p.asked() && p.clock.Now().Sub(begun) < slice {
		there, why, err := a.Toward()
		if err != nil {
			p.giveUp()
			p.say(p.stopped(err))
			p.publish()
			return
		}
		if there {
			p.giveUp()
			p.say(why)
			p.publish()
			return
		}
	}
}

// giveUp stays where the way to a decision has led.
func (p *Player) giveUp() {
	if p.aims {
		p.aims = false
		p.stands()
		p.here()
	}
}
