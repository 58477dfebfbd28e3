package step

import "math/bits"

const (
	maxSpares = 16
	// evenly is how many checkpoints at most lie evenly over the run. Others wait closely behind
	// where a person stands, since each step back uses a world up, and one at the newest step.
	evenly  = 10
	closely = 5
	// close is how far behind these may be, at the least and at most.
	closest, close = 64, 1024
)

// want is a range of steps in which a checkpoint should be, best at best.
type want struct{ low, high, best uint64 }

func (w want) at(step uint64) bool { return w.low <= step && step <= w.high }

// wants are the checkpoints for a world at step now of a run that came to newest, what matters
// most first. While the world moves on nothing waits behind it: it would be far behind at once.
func wants(now, newest uint64, moving bool) []want {
	var list []want
	near := want{low: now - min(now, close), high: now - min(now, 1), best: now - min(now, closest)}
	behind := !moving && now > 0
	if behind {
		list = append(list, near)
	}
	// Multiples of large powers of two come first: they stay when the spacing doubles.
	space := spacing(newest)
	count := newest / space
	for power := bits.Len64(count); power > 0; power-- {
		unit := uint64(1) << (power - 1)
		for k := unit; k <= count; k += 2 * unit {
			list = append(list, want{k * space, k * space, k * space})
		}
	}
	for range closely - 1 {
		if behind {
			list = append(list, near)
		}
	}
	if newest > now {
		list = append(list, want{newest, newest, newest})
	}
	return list
}

// spacing is the distance of checkpoints over a run: it doubles as the run grows.
func spacing(newest uint64) uint64 {
	space := uint64(256)
	for newest/space > evenly {
		space *= 2
	}
	return space
}

// next finds the first want that no spare meets, and the spare that shall: the nearest before it
// that no earlier want needs, or -1 when one has to be made. A spare that a later want needed is
// then missing there, and is replaced likewise by one that is a little behind: each moves only a
// short way. ok is false when all wants are met.
func (s *Stepper) next() (w want, spare int, ok bool) {
	used := make([]bool, len(s.spares))
	for _, w := range wants(s.cur.steps(), s.newest, s.Moving()) {
		best, met := -1, false
		for i, sp := range s.spares {
			if used[i] {
				continue
			}
			if w.at(sp.steps()) {
				used[i], met = true, true
				break
			}
			if sp.steps() <= w.best && (best < 0 || sp.steps() > s.spares[best].steps()) {
				best = i
			}
		}
		if met {
			continue
		}
		if best < 0 && len(s.spares) >= maxSpares {
			s.dropUnused(used)
		}
		return w, best, true
	}
	return want{}, 0, false
}

// dropUnused makes room for a new world: what is ahead of all that is wanted goes.
func (s *Stepper) dropUnused(used []bool) {
	worst := -1
	for i, sp := range s.spares {
		if !used[i] && (worst < 0 || sp.steps() > s.spares[worst].steps()) {
			worst = i
		}
	}
	if worst >= 0 {
		s.drop(worst)
	}
}

// Tend moves checkpoints to where they are wanted, for at most so many steps, and tells whether
// more is left to do. It is called while a person thinks.
func (s *Stepper) Tend(most uint64) (more bool, err error) {
	w, i, ok := s.next()
	if !ok {
		return false, nil
	}
	if i < 0 {
		if len(s.spares) >= maxSpares {
			return false, nil
		}
		made, err := s.fresh()
		if err != nil {
			return false, err
		}
		s.spares = append(s.spares, made)
		i = len(s.spares) - 1
	}
	spare := s.spares[i]
	to := min(w.best, spare.steps()+max(1, most))
	if err := s.replay(spare, to); err != nil {
		s.drop(i)
		return false, err
	}
	return true, nil
}

// fresh makes the world anew.
func (s *Stepper) fresh() (*walker, error) {
	w, err := s.make()
	if err != nil {
		return nil, err
	}
	return &walker{world: w, start: w.Now()}, nil
}

// nearestTo takes the world out of the spares that is nearest before a step; nil when there is none.
func (s *Stepper) nearestTo(step uint64) *walker {
	best := -1
	for i, sp := range s.spares {
		if sp.steps() <= step && (best < 0 || sp.steps() > s.spares[best].steps()) {
			best = i
		}
	}
	if best < 0 {
		return nil
	}
	w := s.spares[best]
	s.spares = append(s.spares[:best], s.spares[best+1:]...)
	return w
}

// keep puts a world among the spares. Where that is one too many, the one goes that is nearest
// behind another. One that has gone on to where nothing is left to do is no spare: those all
// stand right after a decision.
func (s *Stepper) keep(w *walker) {
	if w.rested(s.plan) {
		w.world.Close()
		return
	}
	s.spares = append(s.spares, w)
	if len(s.spares) <= maxSpares {
		return
	}
	worst, least := 0, ^uint64(0)
	for i, sp := range s.spares {
		gap := sp.steps()
		for j, o := range s.spares {
			if j != i && o.steps() <= sp.steps() && (o.steps() < sp.steps() || j < i) {
				gap = min(gap, sp.steps()-o.steps())
			}
		}
		if gap < least {
			worst, least = i, gap
		}
	}
	s.drop(worst)
}

func (s *Stepper) drop(i int) {
	s.spares[i].world.Close()
	s.spares = append(s.spares[:i], s.spares[i+1:]...)
}
