package picture

import (
	"slices"

	"mqscope/engine/capture"
	"mqscope/engine/capture/infer"
	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

const (
	entriesKept = 1_024 // of one group
	leastKept   = 16    // of one group, when all of them together keep too many
	longText    = 400   // bytes of what an entry says, at most
	keptLists   = 64    // longer lists are not kept: what an event says of them is
)

// entry is one event, or, when that is large, what it says.
type entry struct {
	event infer.Event // its Fact is nil when made is set
	made  *event.Entry
}

// ring keeps the last events.
type ring struct {
	kept []entry
	head int    // index of the oldest
	gone uint64 // older ones
}

func (r ring) clone() ring {
	r.kept = slices.Clone(r.kept) // what entries point to never changes
	return r
}

// add adds an event; all is how many are kept in all rings.
func (r *ring) add(e infer.Event, all *int) {
	n := entry{event: e}
	if large(e.Fact) {
		made := entryOf(e)
		n.made, n.event.Fact = &made, nil
	}
	if len(r.kept) < entriesKept && (*all < maxEntries || len(r.kept) < leastKept) {
		if r.head > 0 { // it was full, and may grow again
			r.kept, r.head = r.list(), 0
		}
		r.kept = append(r.kept, n)
		*all++
		return
	}
	r.kept[r.head] = n
	r.head = (r.head + 1) % len(r.kept)
	r.gone++
}

// list is a copy, oldest first.
func (r *ring) list() []entry { return slices.Concat(r.kept[r.head:], r.kept[:r.head]) }

// large tells whether a fact holds too much to be kept as it is.
func large(f infer.Fact) bool {
	switch f := f.(type) {
	case infer.PullDone:
		return len(f.Offsets) > keptLists || len(f.Remark) > longText
	case infer.Locked:
		return len(f.Held)+len(f.Refuse) > keptLists
	case infer.Unlocked:
		return len(f.Queues) > keptLists
	case infer.RouteSeen:
		return len(f.Queues)+len(f.Brokers) > keptLists
	case infer.MembersListed:
		return len(f.Members) > keptLists
	case infer.BrokerAssigned:
		return len(f.Queues) > keptLists
	case infer.ResetOrdered:
		return len(f.Offsets) > keptLists
	case infer.MemberSeen:
		return true
	case infer.Beat:
		return len(f.Consumers)+len(f.Producers) > keptLists
	case infer.Failed:
		return len(f.Remark) > longText
	case infer.Noted:
		return len(f.Note.Text) > longText
	case infer.Unreadable:
		return len(f.Text) > longText
	case infer.Called:
		return len(f.Why)+len(f.Result) > longText
	}
	return false
}

// entryOf is the line of the event stream that e comes to.
func entryOf(e infer.Event) event.Entry {
	about := infer.About(e.Fact)
	out := event.Entry{
		Seq: e.Seq, At: e.At, Level: Level(e.Fact), Source: source(e.Fact), Queue: about.Queue, What: infer.Words(e.Fact), Count: 1,
	}
	switch f := e.Fact.(type) {
	case infer.Locked:
		out.Queue = only(f.Held, f.Refuse)
	case infer.Unlocked:
		out.Queue = only(f.Queues, nil)
	}
	if out.Queue == (mq.MessageQueue{}) {
		out.Where = cut(about.Topic, 200)
	}
	if c := cut(about.Client, 120); c != "" {
		switch e.Fact.(type) {
		case infer.Assigned, infer.Released, infer.MemberSeen, infer.MemberLeft, infer.MembersChanged, infer.Locked, infer.Unlocked:
			out.What = c + " " + out.What
		case infer.Opened, infer.Closed, infer.ClientKnown:
		default:
			out.What += ", " + c
		}
	}
	out.What = cut(out.What, longText)
	return out
}

// only is the one queue of two lists, if there is one.
func only(a, b []mq.MessageQueue) (q mq.MessageQueue) {
	if len(a)+len(b) == 1 {
		q = slices.Concat(a, b)[0]
	}
	return q
}

// source is the part of a consumer that an event belongs to.
func source(f infer.Fact) string {
	switch f.(type) {
	case infer.PullDone, infer.PullSent, infer.Popped:
		return "pull"
	case infer.Committed, infer.NoCommit, infer.OffsetsSeen, infer.Stored, infer.ResetOrdered:
		return "offset"
	case infer.Assigned, infer.Released, infer.MemberSeen, infer.MemberLeft, infer.MembersChanged, infer.MembersListed, infer.BrokerAssigned:
		return "rebalance"
	case infer.Locked, infer.Unlocked:
		return "lock"
	case infer.SentBack, infer.Deferred:
		return "retry"
	case infer.Acked:
		return "consume"
	}
	return "remote"
}

// Level is how much a person should care about a fact.
func Level(f infer.Fact) event.Level {
	switch f := f.(type) {
	case infer.Assigned, infer.Released, infer.MemberSeen, infer.MemberLeft, infer.MembersChanged, infer.Unlocked, infer.Deferred,
		infer.Opened, infer.Closed:
		return event.Info
	case infer.ResetOrdered, infer.Failed, infer.Unreadable:
		return event.Warn
	case infer.PullDone:
		switch {
		case !f.Answered && f.Why == captureEnds:
			return event.Debug
		case !f.Answered && (f.Why == connEnds || f.Why == lostAnswer):
			return event.Info
		case !f.Answered, f.Status == mq.PullFailed, f.Status == mq.OffsetIllegal:
			return event.Warn
		}
	case infer.Committed:
		return warnIf(f.Code != protocol.Success, event.Debug)
	case infer.Acked:
		return warnIf(f.Code != protocol.Success, event.Debug)
	case infer.Locked:
		if len(f.New) > 0 {
			return warnIf(len(f.Refuse) > 0, event.Info)
		}
		return warnIf(len(f.Refuse) > 0, event.Debug)
	case infer.SentBack:
		if f.Code != protocol.Success {
			return event.Error
		}
		return event.Info
	case infer.Called:
		return warnIf(!f.Answered && f.Why != captureEnds && f.Why != connEnds && f.Why != lostAnswer && f.Why != "", event.Debug)
	case infer.RouteSeen:
		if !f.Known {
			return event.Info
		}
	case infer.Beat:
		return warnIf(f.Answered && f.Code != protocol.Success, event.Debug)
	case infer.Noted:
		switch f.Note.Kind {
		case capture.NoteMid, capture.NoteProtocol, capture.NoteReused:
			return event.Info
		}
		return event.Warn
	}
	return event.Debug
}

func warnIf(bad bool, otherwise event.Level) event.Level {
	if bad {
		return event.Warn
	}
	return otherwise
}

// stream is the events of a group and those that are about none, in order, and how many are gone.
func (m *Memory) stream(g *group) (out []event.Entry, gone uint64) {
	list := append(m.others.list(), g.entries.list()...)
	slices.SortFunc(list, func(a, b entry) int {
		if a.event.Seq < b.event.Seq {
			return -1
		}
		return 1
	})
	out = make([]event.Entry, len(list))
	for i, e := range list {
		if e.made != nil {
			out[i] = *e.made
			continue
		}
		out[i] = entryOf(e.event)
	}
	return out, m.others.gone + g.entries.gone
}
