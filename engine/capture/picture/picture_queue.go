package picture

import (
	"fmt"
	"slices"
	"time"

	"mqscope/engine/capture/infer"
	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

// parkedAfter is how long a pull is at the broker that may hold it, until it counts as held.
const parkedAfter = 100 * time.Millisecond

// Reasons why something is not known.
const (
	whyListener = "listeners do not show on the wire"
	whyBytes    = "how large each message is was not kept"
	whyPopped   = "the broker keeps account of popped messages"
	whyNotUsed  = "the group was not seen to use the queue"
	whyOwn      = "members keep their offsets for themselves"
	whyEach     = "broadcasting: each member reads all queues"
)

// queues are all queues of the picture, and windows and histories of those on show.
func (d *drawing) queues(p *snapshot.Snapshot) []snapshot.Queue {
	ids := d.ids()
	out := make([]snapshot.Queue, len(ids))
	for i, id := range ids {
		sq, q := d.sg.Queues[id], d.g.queues[id]
		if q == nil {
			q = &queue{max: -1, committed: -1}
		}
		d.queue(&out[i], id, sq, q)
		if sq != nil && sq.Window.OK() && (len(ids) <= windowsOfAllUpTo || d.watched[id]) {
			p.Windows[id] = window(sq.Offsets())
		}
		if d.watched[id] && q.detail != nil {
			p.Histories[id] = q.detail.history.picture(d.at, q)
			p.QueuePulls[id] = q.detail.pulls.picture(d.at)
		}
	}
	return out
}

// queue is one queue; sq is nil when nobody of the group was seen to use it.
func (d *drawing) queue(out *snapshot.Queue, id mq.MessageQueue, sq *infer.Queue, q *queue) {
	*out = snapshot.Queue{
		ID: id, Inferred: true, Filtered: q.filtered, Failures: q.failures, LastError: q.lastErr,
		LastTaken: snapshot.UnknownBecause[time.Time](whyListener), Bytes: snapshot.UnknownBecause[int64](whyBytes),
	}
	d.offsets(out, sq)
	d.owner(out, sq)
	d.lock(out, sq, q)
	out.InRate, out.OutRate = q.rates.perSecond(d.at)
	if out.InRate.OK() && out.OutRate.OK() {
		out.LagSlope = snapshot.Of(out.InRate.V-out.OutRate.V, d.at)
	} else {
		out.LagSlope.Reason = "the rates are not known"
	}
	out.LastPull.Reason, out.LastFound.Reason = "no answer to a pull of it was seen", "no messages of it were seen"
	if !q.last.At.IsZero() {
		out.LastPull = snapshot.Of(q.last, q.last.At)
	}
	if !q.found.IsZero() {
		out.LastFound = snapshot.Of(q.found, q.found)
	}
	if q.detail != nil {
		out.RoundTrip = q.detail.trips.Summary(q.held)
	}
	if sq != nil {
		out.Found, out.Illegal = uint64(sq.Delivered), uint64(sq.Pulls[mq.OffsetIllegal])
		out.Acked, out.Deferred = uint64(sq.Acked), uint64(sq.Deferred)
	}
	out.Task = d.task(q)
	if out.Note != "" { // more than one client pulls it
		out.Mark = snapshot.MarkWatch
		return
	}
	out.Mark, out.Note = d.mark(out)
}

// offsets are where the queue stands.
func (d *drawing) offsets(out *snapshot.Queue, sq *infer.Queue) {
	end := d.s.Ends[out.ID]
	out.Min, out.Max = end.Min.Aged(d.at, staleAfter), end.Max.Aged(d.at, staleAfter)
	for _, v := range []*snapshot.Val[int64]{&out.Min, &out.Max} {
		if !v.OK() && v.Reason == "" {
			v.Reason = "no answer told where the queue ends"
		}
	}
	out.CachedMin, out.CachedMax = snapshot.NA[int64](), snapshot.NA[int64]()
	if sq == nil {
		why := whyNotUsed
		if d.popped(out.ID) {
			why = whyPopped
		}
		u := snapshot.UnknownBecause[int64](why)
		out.Committed, out.Next, out.Lag, out.Span = u, u, u, u
		out.Count = snapshot.UnknownBecause[int](why)
		return
	}
	out.Committed, out.Next, out.Count = sq.Committed, sq.Next, sq.Window
	out.Lag = d.s.Lag(d.o.Group, out.ID).Aged(d.at, staleAfter)
	if d.popped(out.ID) && !sq.Committed.OK() {
		out.Committed = snapshot.UnknownBecause[int64](whyPopped)
		out.Lag, out.Count = out.Committed, snapshot.UnknownBecause[int](whyPopped)
		out.Next = snapshot.NA[int64]()
	}
	switch offsets := sq.Offsets(); {
	case out.Count.State == snapshot.NotApplicable:
		out.Span = snapshot.NA[int64]()
	case !out.Count.OK():
		out.Span = snapshot.UnknownBecause[int64](out.Count.Reason)
		out.CachedMin, out.CachedMax = out.Span, out.Span
	case len(offsets) > 0:
		first, last := offsets[0], offsets[len(offsets)-1]
		out.CachedMin, out.CachedMax = snapshot.Of(first, out.Count.At), snapshot.Of(last, out.Count.At)
		out.Span = snapshot.Of(last-first, out.Count.At)
	default:
		out.Span = snapshot.Of(int64(0), out.Count.At)
	}
}

// popped tells whether a broker chooses, or chose, this queue for clients that pop.
func (d *drawing) popped(id mq.MessageQueue) bool {
	id.QueueID = -1
	return d.sg.Queues[id] != nil
}

// owner is who pulls it.
func (d *drawing) owner(out *snapshot.Queue, sq *infer.Queue) {
	var clients []string
	out.State = snapshot.Pulling
	if sq != nil {
		for _, p := range sq.Pullers {
			clients = append(clients, p.Client)
			if p.Pop {
				out.State = snapshot.Popping
			}
		}
	}
	if id := out.ID; len(clients) == 0 {
		id.QueueID = -1
		if clients = d.poppers[id]; len(clients) > 0 {
			out.State = snapshot.Popping
		}
	}
	out.Mine = d.o.Client != "" && slices.Contains(clients, d.o.Client)
	switch n := len(clients); {
	case n == 0:
		out.State = snapshot.Unpulled
		out.Owner = snapshot.UnknownBecause[string]("nobody was seen to pull it")
		if sq != nil {
			out.Owner.Reason = "nobody pulls it"
		}
		return
	case out.Mine:
		out.Owner = snapshot.Of(d.o.Client, d.at)
	case d.broadcast && n > 1:
		out.Owner = snapshot.UnknownBecause[string](whyEach)
	case out.State == snapshot.Popping && n > 1:
		out.Owner = snapshot.UnknownBecause[string](fmt.Sprintf("%d clients pop it, the broker chooses", n))
	default:
		out.Owner = snapshot.Of(clients[n-1], d.at)
	}
	if d.o.Client != "" && !out.Mine {
		out.State = snapshot.NotOwned
	}
	if n := len(clients); n > 1 && !d.broadcast && out.State != snapshot.Popping {
		out.Note = fmt.Sprintf("%d clients pull it: one takes over", n)
	}
}

// lock is who holds its lock, if the group uses locks.
func (d *drawing) lock(out *snapshot.Queue, sq *infer.Queue, q *queue) {
	if !d.g.locks || d.broadcast {
		return
	}
	out.Lock.Used = true
	switch {
	case sq != nil && sq.Lock.Client != "":
		out.Lock.BrokerSays, out.Lock.GrantedAt = snapshot.LockHeld, sq.Lock.Renewed
		out.Lock.Since, out.Lock.Renewals = sq.Lock.Since, sq.Lock.Renewals
		out.Lock.Believers = []string{sq.Lock.Client}
		if sq.Lock.Client == d.o.Client {
			out.Lock.BrokerSays = snapshot.LockMine
		}
	case q.refused.After(q.freed):
		out.Lock.BrokerSays = snapshot.LockRefused
	case !q.freed.IsZero():
		out.Lock.BrokerSays, out.Lock.Since = snapshot.LockFree, q.freed
	}
}

// task is the newest pull that is at the broker. When there is none, what the client plans does
// not show.
func (d *drawing) task(q *queue) snapshot.Task {
	for i := len(q.open) - 1; i >= 0; i-- {
		p := q.open[i]
		if d.o.Client != "" && p.Client != d.o.Client {
			continue
		}
		t := snapshot.Task{ID: p.Exchange, State: snapshot.TaskRunning, Since: p.Since}
		if p.MayHold > 0 && d.at.Sub(p.Since) >= parkedAfter {
			t.State = snapshot.TaskParked
		}
		return t
	}
	return snapshot.Task{}
}
