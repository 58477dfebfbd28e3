package processqueue

import (
	"cmp"
	"slices"
	"time"

	"mqscope/engine/snapshot"
)

// MaxMeta is the most messages whose details Window returns.
const MaxMeta = 64

// shown is how a state appears on screens.
func (s state) shown() snapshot.MessageState {
	switch s {
	case waiting:
		return snapshot.Waiting
	case retrying:
		return snapshot.Retry
	case done:
		return snapshot.Done
	default:
		return snapshot.Consuming
	}
}

// picked is a slot whose details are wanted, with a reference of its batch.
type picked struct {
	slot    slot
	started time.Time
}

// Window returns runs of states and details of at most meta messages: those in a listener
// or to be retried first, then the first waiting ones.
func (q *Queue) Window(meta int) snapshot.Window {
	meta = min(max(meta, 0), MaxMeta)
	var w snapshot.Window
	var busy, idle []picked
	if meta > 0 {
		busy, idle = make([]picked, 0, meta), make([]picked, 0, meta)
	}

	q.mu.Lock()
	now := time.Since(q.born)
	for i := range q.slots.n {
		s := q.slots.at(i)
		w.Runs = appendRun(w.Runs, snapshot.Run{From: s.offset, To: s.end() - 1, State: s.state.shown()})
		list := &busy
		switch s.state {
		case done:
			continue
		case waiting:
			list = &idle
		default:
		}
		if len(*list) < meta {
			*list = append(*list, picked{slot: *s, started: q.startOf(s, now)})
		}
	}
	all := append(busy, idle[:min(len(idle), meta-len(busy))]...)
	for _, p := range all {
		p.slot.batch.Retain(1)
	}
	q.mu.Unlock()

	slices.SortFunc(all, func(a, b picked) int { return cmp.Compare(a.slot.offset, b.slot.offset) })
	for _, p := range all {
		w.Meta = append(w.Meta, detailsOf(p))
		q.release(p.slot.batch, 1)
	}
	return w
}

// startOf is when the listener got the message, zero when none has it.
func (q *Queue) startOf(s *slot, now time.Duration) time.Time {
	if s.state.owns() {
		return time.Time{}
	}
	ago := s.since(uint32(now / time.Millisecond))
	return q.born.Add(now.Truncate(time.Millisecond) - time.Duration(ago)*time.Millisecond)
}

// appendRun adds r behind runs, with the gap before it if there is one.
func appendRun(runs []snapshot.Run, r snapshot.Run) []snapshot.Run {
	if len(runs) == 0 {
		return append(runs, r)
	}
	last := &runs[len(runs)-1]
	if r.From > last.To+1 {
		runs = append(runs, snapshot.Run{From: last.To + 1, To: r.From - 1, State: snapshot.Gap})
		return append(runs, r)
	}
	if last.State == r.State {
		last.To = r.To
		return runs
	}
	return append(runs, r)
}

func detailsOf(p picked) snapshot.Message {
	m := p.slot.batch.At(int(p.slot.index))
	return snapshot.Message{
		Offset:    m.QueueOffset(),
		State:     p.slot.state.shown(),
		Tag:       m.Tags(),
		Keys:      m.Keys(),
		ID:        m.ID(),
		Topic:     m.Topic(),
		BodySize:  int(p.slot.size),
		Reconsume: m.ReconsumeTimes() + int32(p.slot.failed),
		Stored:    m.StoreTime(),
		Started:   p.started,
	}
}
