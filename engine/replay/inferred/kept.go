package inferred

import (
	"slices"
	"time"

	"mqscope/engine/capture/infer"
	"mqscope/engine/capture/picture"
)

// What copies may take together, and how far they are apart at least.
const (
	keptBytes = 64 << 20
	keptNear  = 256
	// A copy is made at its size in bytes through copyCost, in events: so it takes a small part of
	// the time that playing them does.
	copyCost = 64
)

// moment is a copy of what was seen up to an event.
type moment struct {
	state  *infer.State
	memory *picture.Memory
	event  uint64
	at     time.Time
	size   int
}

// kept are copies on the way, so that going back a step does not begin at a checkpoint.
type kept struct {
	all   []moment // by event
	bytes int
	due   uint64 // event from which on the next one is made
}

// before is the last copy up to event n.
func (k *kept) before(n uint64) *moment {
	i, found := slices.BinarySearchFunc(k.all, n, byEvent)
	if found {
		i++
	}
	if i == 0 {
		return nil
	}
	return &k.all[i-1]
}

func byEvent(m moment, n uint64) int {
	switch {
	case m.event < n:
		return -1
	case m.event > n:
		return 1
	}
	return 0
}

// passed sets when the next copy is due behind where t stands.
func (k *kept) passed(t *Track) { k.due = t.event + apart(sizeOf(t)) }

func apart(size int) uint64 { return uint64(max(size/copyCost, keptNear)) }

// copyLarge is from which size on a copy takes longer than who jumps should wait for it: then it is
// made only where somebody goes back a little, and is likely to do so again.
const copyLarge = 2 << 20

// keepOnTheWay makes a copy where one is due in a jump, and some events before its end: who goes back
// once does so again.
func (t *Track) keepOnTheWay(left uint64) {
	if t.event >= t.kept.due {
		if sizeOf(t) < copyLarge {
			t.keepNow()
		}
		t.kept.passed(t)
	}
	if left == 128 && t.backing || (left == 1024 || left == 128) && sizeOf(t) < copyLarge {
		t.keepNow()
	}
}

// keep makes a copy where one is due.
func (t *Track) keep() {
	if t.event >= t.kept.due {
		t.keepNow()
	}
}

func (t *Track) keepNow() {
	k := &t.kept
	size := sizeOf(t)
	k.due = t.event + apart(size)
	i, found := slices.BinarySearchFunc(k.all, t.event, byEvent)
	if found || size > keptBytes/2 {
		return
	}
	k.all = slices.Insert(k.all, i, moment{t.state.Clone(), t.memory.Clone(), t.event, t.at, size})
	k.bytes += size
	for k.bytes > keptBytes { // the one at the end that is farther from here
		last := len(k.all) - 1
		gone := 0
		if k.all[last].event-min(t.event, k.all[last].event) > t.event-min(t.event, k.all[0].event) {
			gone = last
		}
		k.bytes -= k.all[gone].size
		k.all = slices.Delete(k.all, gone, gone+1)
	}
}

// sizeOf is about how much memory a copy takes.
func sizeOf(t *Track) int { return t.state.Size() + t.memory.Size() }
