package remade

import "mqscope/engine/decision"

// Pass takes the next event, also one of which no moment tells: that time has passed.
func (t *Track) Pass() error {
	t.watch(true)
	for {
		if event, err := t.take(); event || err != nil {
			return err
		}
	}
}

// Decided is the decision of the last event that is shown last, and the one before it; nil where there
// is none.
func (t *Track) Decided() (last, before *decision.Decision) { return t.trail.Last() }
