package rebalance

import (
	"errors"
	"strings"
	"testing"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/internal/tape"
	"mqscope/engine/mq"
)

// act is one event, or call, at a time after the start.
type act struct {
	at time.Duration
	e  any // an event, or a func
}

// TestDecisions compares what is told of a few stories with golden traces. They were read line by
// line when they were written.
func TestDecisions(t *testing.T) {
	const sec = time.Second
	inOrder := func(c *Config) { c.Orderly = true }
	byBroker := func(c *Config) { c.BrokerSide = true }
	refusal := event.AssignmentRead{Topic: "t", Err: errBoom, Failure: event.AssignmentRefused}
	timeout := event.AssignmentRead{Topic: "t", Err: errBoom, Failure: event.AssignmentTimeout}
	allFour := event.MembersListed{Topic: "t", Members: ours}
	locks := func(at time.Duration, err error, granted []mq.MessageQueue, asked ...mq.MessageQueue) LocksAnswered {
		return LocksAnswered{Broker: "b", Queues: asked, Granted: granted, At: epoch.Add(at), Err: err}
	}
	for _, story := range []struct {
		name string
		cfg  func(*Config)
		acts []act
	}{
		{"members", nil, []act{
			{0, wanted()},
			{0, route(4)},
			{0, listed(ours...)},
			{0, found(0, 1, 100)},
			{0, event.OffsetRead{Queue: q(1), Epoch: 2}},
			{0, event.OffsetRead{Queue: q(1), Epoch: 2, Source: event.MaxOffset, Offset: 7, Found: true}},
			{0, event.OffsetRead{Queue: q(2), Epoch: 3, Err: errBoom}},
			{1 * sec, event.Tick{}},
			{1 * sec, listed(us...)},
			{20 * sec, event.RebalanceWanted{Why: "members changed"}},
			{20 * sec, event.MembersListed{Topic: "t"}},
			{21 * sec, event.Tick{}},
			{21 * sec, listed(othersIn...)},
			{22 * sec, event.Tick{}},
			{22 * sec, listed(othersIn...)},
			{23 * sec, event.Tick{}},
			{23 * sec, event.MembersListed{Topic: "t", Err: errBoom}},
		}},
		{"idle", nil, []act{
			{0, route(1)},
			{0, wanted()},
			{0, allFour},
			{0, found(0, 1, 5)},
			{100 * sec, PullAttempted{q(0)}},
			{100 * sec, wanted()},
			{100 * sec, allFour},
			{139 * sec, event.Tick{}},
			{139 * sec, allFour},
			{178 * sec, event.Tick{}},
			{178 * sec, allFour},
			{217 * sec, event.Tick{}},
			{217 * sec, allFour},
			{230 * sec, event.Tick{}},
			{237 * sec, event.Tick{}},
			{237 * sec, allFour},
			{237 * sec, found(0, 2, 6)},
			{238 * sec, Dropped{q(0)}},
			{238 * sec, found(0, 3, 9)},
			{238500 * time.Millisecond, Dropped{q(0)}},
			{239 * sec, func(r *Rebalance, now time.Time) { r.Subscribe("u"); r.Unsubscribe(now, "t") }},
		}},
		{"first-offset", func(c *Config) { c.From = mq.FromFirstOffset }, []act{
			{0, route(1)},
			{0, wanted()},
			{0, allFour},
			{0, event.OffsetRead{Queue: q(0), Epoch: 1}},
		}},
		{"broker-side", byBroker, []act{
			{0, route(2)},
			{0, wanted()},
			{0, event.AssignmentRead{Topic: "t", Known: true, Queues: qs(1), Members: us}},
			{20 * sec, event.Tick{}},
			{20 * sec, event.AssignmentRead{Topic: "t", Known: true, Pop: true}},
		}},
		{"broker-refuses", byBroker, []act{{0, route(2)}, {0, wanted()}, {0, refusal}, {0, allFour}}},
		{"broker-silent", byBroker, []act{{0, route(2)}, {0, wanted()}, {0, timeout}, {2 * sec, timeout}, {5 * sec, timeout}}},
		{"locks", inOrder, []act{
			{0, route(2)},
			{0, wanted()},
			{0, allFour},
			{0, locks(0, nil, qs(1), qs(2)...)}, // one of two
			{0, found(0, 1, 100)},
			{1 * sec, event.Tick{}},
			{1 * sec, allFour},
			{1 * sec, locks(1*sec, errBoom, nil, qs(2)...)},
			{4 * sec, event.Tick{}},
			{4 * sec, allFour},
			{4 * sec, locks(4*sec, nil, qs(2), qs(2)...)},
			{5 * sec, found(1, 2, 200)},
			{21 * sec, event.Tick{}},
			{21 * sec, locks(21*sec, nil, qs(1), qs(2)...)}, // the second is lost
			{21 * sec, allFour},
			{24 * sec, event.Tick{}},
			{24 * sec, locks(24*sec, nil, []mq.MessageQueue{q(1)}, q(1))}, // and back
			{24 * sec, Released{Queue: q(1), Epoch: 2}},
			{24 * sec, locks(24*sec, nil, []mq.MessageQueue{q(1)}, q(1))},
			{24 * sec, found(1, 3, 200)},
			{25 * sec, ReleaseLock{q(0)}},
			{25 * sec, ReleaseLock{q(0)}},
			{25 * sec, Released{Queue: q(0), Epoch: 1}},
			{25 * sec, LocksFreed{Broker: "b", Queues: qs(1), Err: errBoom}},
			{40 * sec, event.Tick{}},
			{45 * sec, event.Tick{}},
			{45 * sec, Stopped{}},
		}},
		{"locks-come-back", inOrder, []act{
			{0, route(1)},
			{0, wanted()},
			{0, allFour},
			{0, locks(0, nil, qs(1), qs(1)...)},
			{0, found(0, 1, 100)},
			{2 * sec, event.RouteChanged{Topic: "t", Known: true}},
			{3 * sec, route(1)},
			{3 * sec, allFour},
			{4 * sec, Released{Queue: q(0), Epoch: 1}},
		}},
		{"locks-handed-over", inOrder, []act{
			{0, route(1)},
			{0, wanted()},
			{0, allFour},
			{0, locks(0, nil, qs(1), qs(1)...)},
			{0, found(0, 1, 100)},
			{2 * sec, event.RouteChanged{Topic: "t", Known: true}},
			{2 * sec, event.Tick{}},
			{22 * sec, event.Tick{}},
			{22 * sec, Released{Queue: q(0), Epoch: 1}},
			{22 * sec, LocksFreed{Broker: "b", Queues: qs(1)}},
		}},
	} {
		t.Run(story.name, func(t *testing.T) {
			k := &tape.Tape{Start: epoch}
			r := newOne()
			if story.cfg != nil {
				r = newOne(story.cfg)
			}
			now := epoch
			r.Decisions = decision.NewRecorder(me, func() time.Time { return now })
			r.Decisions.Watch(k)
			text := ""
			for _, a := range story.acts {
				now = epoch.Add(a.at)
				switch e := a.e.(type) {
				case func(*Rebalance, time.Time):
					e(r, now)
				default:
					r.Step(now, e)
				}
				text += k.Text(k.Take(), nil)
			}
			tape.Golden(t, story.name, text)
		})
	}
	tape.AllSeen(t, func(id string) bool {
		return id != "rebalance.thresholds" && (strings.HasPrefix(id, "rebalance.") || strings.HasPrefix(id, "lock."))
	})
}

// Who watches must change nothing.
func TestDecisionsAreTheSameWhenWatched(t *testing.T) {
	run := func(watched bool) string {
		r := newOne(func(c *Config) { c.Orderly = true })
		if watched {
			r.Decisions = decision.NewRecorder(me, func() time.Time { return epoch })
			r.Decisions.Watch(&tape.Tape{})
		}
		var all []Action
		for i, e := range []event.Event{
			route(3), wanted(), listed(us...),
			LocksAnswered{Broker: "b", Queues: qs(2), Granted: qs(1), At: epoch},
			found(0, 1, 100), event.Tick{}, listed(ours...),
			LocksAnswered{Broker: "b", Queues: qs(3), Err: errors.New("lost"), At: epoch},
			event.Tick{}, ReleaseLock{q(0)}, Released{Queue: q(0), Epoch: 1}, event.Tick{}, Stopped{},
		} {
			all = append(all, r.Step(epoch.Add(time.Duration(i)*time.Second), e)...)
		}
		return words(all)
	}
	if plain, watched := run(false), run(true); plain != watched {
		t.Errorf("unwatched:\n%s\nwatched:\n%s", plain, watched)
	}
}
