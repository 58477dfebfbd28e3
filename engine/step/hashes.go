package step

import "fmt"

// every is how many decisions lie between two hashes that are kept.
const every = 64

// maxStops is how many hashes of steps are kept at which a person stood.
const maxStops = 4096

// hashes are those of the trace when it was gone through for the first time.
type hashes struct {
	list  []uint64 // after each `every` steps
	stops map[uint64]uint64
}

// DivergedError says that a world that was run again did not do the same.
type DivergedError struct {
	Step       uint64
	First, Now uint64 // hashes of the trace up to Step
}

// Error says it loudly: nothing that is shown can be trusted then.
func (e *DivergedError) Error() string {
	return fmt.Sprintf("THE WORLD IS NOT DETERMINISTIC: run again, it came to another trace up to step %d (hash %#016x, the first time %#016x); what is shown now is not what was there before", e.Step, e.Now, e.First)
}

// passed notes or compares the hash of a step that a world goes through.
func (h *hashes) passed(step uint64, w World) error {
	if step%every != 0 || step == 0 {
		return nil
	}
	i, now := step/every-1, w.Hash()
	switch n := uint64(len(h.list)); {
	case i == n:
		h.list = append(h.list, now)
	case i < n && h.list[i] != now:
		return &DivergedError{Step: step, First: h.list[i], Now: now}
	}
	return nil
}

// stood notes or compares the hash of a step at which a person stops.
func (h *hashes) stood(w World) error {
	step, now := w.Steps(), w.Hash()
	if first, known := h.stops[step]; known && first != now {
		return &DivergedError{Step: step, First: first, Now: now}
	}
	if h.stops == nil || len(h.stops) >= maxStops {
		h.stops = map[uint64]uint64{}
	}
	h.stops[step] = now
	return nil
}

// cut forgets what came after a step.
func (h *hashes) cut(step uint64) {
	h.list = h.list[:min(uint64(len(h.list)), step/every)]
	for s := range h.stops {
		if s > step {
			delete(h.stops, s)
		}
	}
}
