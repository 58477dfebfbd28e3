package step

import "mqscope/engine/snapshot"

// Breaks tells whether there are breakpoints that are on.
func (t *Trail) Breaks() bool {
	for _, b := range t.bps.list {
		if !b.Off {
			return true
		}
	}
	return false
}

// Follow has the trail look out for the breakpoints of another from here on, as that would from where
// it stands. With any, hits that a breakpoint lets pass first count as well: so where it can not be
// known how many there were before. A nil one has none.
func (t *Trail) Follow(o *Trail, any bool) {
	t.bps, t.hit = breakpoints{}, snapshot.SchedHit{}
	if o == nil {
		return
	}
	for _, b := range o.bps.list {
		c := &Breakpoint{Name: b.Name, After: b.After, Off: b.Off, Place: b.Place, passed: b.passed + uint64(b.upTo(o.steps))}
		if any {
			c.After = 0
		}
		t.bps.list = append(t.bps.list, c)
	}
}
