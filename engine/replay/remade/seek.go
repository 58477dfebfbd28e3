package remade

import (
	"errors"
	"io"
	"time"

	"mqscope/engine/consumer"
	"mqscope/engine/recording"
)

const (
	// near is how many records it goes on from where it stands rather than look for a better place.
	near = 2000
	// keepEach is how many records are between places that are kept, keepNear how many before the
	// end of a jump one is kept as well: who goes back once does so again.
	keepEach = 2000
	keepNear = 64
	// Bounds of what is kept.
	mostKept = 32
	keptSize = 64 << 20
)

// SeekTime goes to behind the last event up to at.
func (t *Track) SeekTime(at time.Time) error {
	if err := t.r.SeekTime(at.Add(1)); err != nil {
		return err
	}
	e, err := t.r.Next()
	n := t.info.Total
	switch d, damaged := errors.AsType[*recording.Damage](err); {
	case damaged:
		_ = t.ended(err) // noted
		n = d.Record - min(d.Record, 1)
	case err == nil:
		n = e.Number - min(e.Number, 1)
	case !errors.Is(err, io.EOF):
		return err
	}
	return t.jump(n, false)
}

// Seek goes to where the event of number n, or the first one behind it, has happened.
func (t *Track) Seek(n uint64) error {
	n = max(min(n, t.info.Total), t.first)
	if !t.stuck && n >= t.event && n-t.event <= near {
		if err := t.goOn(n, n > t.first); err != nil || t.event >= n {
			return err
		}
		// Damage is on the way: there may be a checkpoint behind it.
	}
	return t.jump(n, n > t.first)
}

// jump goes to record n from the nearest place before it; whole goes on to the end of an event.
func (t *Track) jump(n uint64, whole bool) error {
	n = max(n, t.first)
	checkpoint, err := t.r.SeekCheckpoint(n)
	if errors.Is(err, recording.ErrNoCheckpoint) {
		checkpoint, err = t.first, t.r.SeekRecord(t.first)
	}
	if err != nil {
		return err
	}
	here := !t.stuck && t.event <= n && t.event >= checkpoint
	// One place earlier, so that the decisions of event n are made again.
	switch k := t.kept.before(n - min(n, 1)); {
	case k != nil && k.event >= checkpoint && (!here || k.event > t.event):
		t.leave()
		if err := t.remake.Resume(k.place); err != nil {
			return err
		}
		t.trail.Forget(t.remake.Started())
		t.event, t.whole, t.stuck, t.told = k.event, true, false, k.told
		t.arrived(k.event + 1)
	case !here:
		e, err := t.r.Next()
		if err == nil {
			err = t.restore(e)
		}
		if err != nil {
			return t.back(checkpoint, n, whole, err)
		}
	}
	if err := t.r.SeekRecord(t.event + 1); err != nil {
		return err
	}
	return t.goOn(n, whole)
}

// back takes an earlier checkpoint where one is damaged.
func (t *Track) back(checkpoint, n uint64, whole bool, why error) error {
	if _, damaged := errors.AsType[*recording.Damage](why); !damaged || checkpoint <= t.first {
		return why
	}
	_ = t.ended(why) // noted
	earlier, err := t.r.SeekCheckpoint(checkpoint - 1)
	if err != nil {
		return err
	}
	e, err := t.r.Next()
	if err == nil {
		err = t.restore(e)
	}
	if err != nil {
		return t.back(earlier, n, whole, err)
	}
	return t.goOn(n, whole)
}

// goOn takes records up to number n, or to where the recording ends; whole goes on to the end of an
// event, so that all that belongs to it has happened.
func (t *Track) goOn(n uint64, whole bool) error {
	for t.event < n || whole && !t.whole {
		t.watch(n-min(n, t.event) <= keepNear)
		_, err := t.take()
		if err != nil {
			if _, damaged := errors.AsType[*recording.Damage](err); damaged || errors.Is(err, io.EOF) {
				return nil // where the recording ends
			}
			return err
		}
		if t.whole && t.event < n && n-t.event <= keepNear && t.kept.since >= keepNear {
			t.keepNow()
		}
	}
	return nil
}

// kept are places in memory, by number.
type kept struct {
	list  []place
	since int // records since the last one
	size  int
}

type place struct {
	event uint64
	told  uint64
	place *consumer.Kept
}

// before is the last place that is not behind n.
func (k *kept) before(n uint64) *place {
	var best *place
	for i := range k.list {
		if p := &k.list[i]; p.event <= n && (best == nil || p.event > best.event) {
			best = p
		}
	}
	return best
}

// keep keeps a place now and then. Between the parts of an event nothing can be kept.
func (t *Track) keep(event bool) {
	t.kept.since++
	if event && t.kept.since >= keepEach {
		t.keepNow()
	}
}

func (t *Track) keepNow() {
	if t.passing {
		return
	}
	k := &t.kept
	k.since = 0
	for _, p := range k.list {
		if p.event == t.event {
			return
		}
	}
	p := place{t.event, t.told, t.remake.Keep()}
	if p.place == nil {
		return
	}
	k.list = append(k.list, p)
	k.size += p.place.Size()
	for len(k.list) > 1 && (len(k.list) > mostKept || k.size > keptSize) {
		k.size -= k.list[0].place.Size()
		k.list = append(k.list[:0:0], k.list[1:]...)
	}
}
