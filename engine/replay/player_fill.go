package replay

func lacks(t Track) bool {
	f, ok := t.(Filler)
	return ok && f.Lacks()
}

// Fill reads all that the event stream of a track lacks, if it does.
func Fill(t Track) {
	for lacks(t) {
		t.(Filler).Fill()
	}
}

// FillUp reads at once, before Run is called, what the event stream lacks where the player stands.
func (p *Player) FillUp() {
	Fill(p.track)
	p.lacking, p.changed = false, true
	p.publish()
}

// fillOn reads for a slice what the event stream lacks.
func (p *Player) fillOn() {
	begun := p.clock.Now()
	for p.lacking = lacks(p.track); p.lacking; p.lacking = lacks(p.track) {
		p.track.(Filler).Fill()
		if p.asked() || p.clock.Now().Sub(begun) >= slice {
			break
		}
	}
	if p.slices++; !p.lacking || p.slices%tellEvery == 0 {
		p.changed = true
		p.publish()
	}
}
