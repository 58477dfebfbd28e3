package step

import (
	"slices"

	"mqscope/engine/decision"
	"mqscope/engine/snapshot"
)

// judge stops where a decision breaks an invariant. That a listener is called for a queue which is
// given up in this very moment (I11) proves nothing where threads run at once: it is allowed
// between the check and the call.
func (l *Live) judge(d *decision.Decision) {
	found := slices.DeleteFunc(l.checker.Decided(d), func(b snapshot.Breach) bool { return b.ID == "I11" })
	if len(found) == 0 {
		return
	}
	l.broken = append(l.broken, found...)
	l.broke(l.steps+1, found[0])
}

// broke holds everything because of a broken invariant.
func (l *Live) broke(step uint64, b snapshot.Breach) {
	l.hit = snapshot.SchedHit{Step: step, Why: b.ID + ": " + b.What, Bad: true}
	l.stand()
}

// judgePicture stops at what a picture of the consumer shows as broken, and adds what decisions
// broke.
func (l *Live) judgePicture(s *snapshot.Sched) {
	if len(s.Broken) > 0 && !l.hit.Bad {
		l.broke(l.steps, s.Broken[0])
	}
	s.Broken = slices.Concat(s.Broken, l.broken)
}
