package rebalance

import (
	"slices"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/processqueue"
)

// PullAttempted is the event that a queue's request had its turn, sent or not
// (Java: ProcessQueue.lastPullTimestamp).
type PullAttempted struct{ Queue mq.MessageQueue }

// Dropped is the event that the loop itself gave a queue up: an illegal offset was repaired.
type Dropped struct{ Queue mq.MessageQueue }

// ClockAhead is the event that the wall clock went ahead of the monotonic one, for a caller whose
// times have no monotonic part; see notice.
type ClockAhead struct {
	By     time.Duration // since the last time that this was told
	Behind time.Duration // that the caller's times are behind the wall clock now
}

// Stopped is the event that the consumer shuts down: every queue is revoked, no pass follows.
type Stopped struct{}

type (
	// ListMembers asks for the group's client ids at a broker of Topic. Each is answered by
	// one event.MembersListed.
	ListMembers struct{ Topic string }
	// QueryAssignment asks a broker of Topic for our queues, within Timeout. Each is answered
	// by one event.AssignmentRead.
	QueryAssignment struct {
		Topic   string
		Timeout time.Duration
	}
	// DrainPopRetry says that the broker means Topic to be pulled: what was popped before and
	// came back is to be pulled as well, if there is a topic for it.
	DrainPopRetry struct{ Topic string }
	// ReadOffset asks the broker of Queue for an offset. Each is answered by one
	// event.OffsetRead with the same queue, epoch and source.
	ReadOffset struct {
		Queue  mq.MessageQueue
		Epoch  uint64
		Source event.OffsetSource
		Time   time.Time // for OffsetByTime
	}
	// Assign and Revoke are decisions; the loop makes or drops the ProcessQueue.
	Assign = event.QueueAssigned
	Revoke = event.QueueRevoked
	// Announce asks for a new subscription version of Topic and a heartbeat to every broker,
	// since the queue set changed (Java: RebalancePushImpl.messageQueueChanged) or a broker
	// has forgotten this member.
	Announce struct{ Topic string }
)

// Action is one of ListMembers, ReadOffset, Assign, Revoke, Announce, event.Entry; with
// Config.BrokerSide QueryAssignment and DrainPopRetry; and with Config.Orderly LockQueues, UnlockQueues, LocksHeld, LocksLost, Release. A Revoke must be
// answered by Released then.
type Action any

// Rebalance decides who owns which queue. Plain state, stepped by one owner: there is one
// pass at a time, and wake-ups during a pass lead to one more.
type Rebalance struct {
	// Decisions is told what is decided, nil for nobody.
	Decisions *decision.Recorder `pack:"-"`

	cfg    Config
	topics map[string]*topic // by name; cfg.Topics has their order
	slots  map[mq.MessageQueue]*slot
	epoch  uint64 // of the newest assignment
	pass   pass
	locks  locks

	doubled   doubled
	members   []string // newest list, sorted
	membersAt time.Time
	queues    []mq.MessageQueue `pack:"-"` // of all topics, nil when to be gathered anew

	stopped bool
	stepped time.Time // last step
	awake   time.Time // first step after a time in which nobody stepped
	out     []Action  `pack:"-"`
}

// topic is what is known of one subscribed topic.
type topic struct {
	name    string
	known   bool
	queues  []mq.MessageQueue            // readable, sorted
	held    []mq.MessageQueue            // those with a slot, sorted
	listed  []string                     // members as of the last list with us in it, or confirmed
	missing int                          // lists in a row with others but not us
	asked   bool                         // the answer to ListMembers or QueryAssignment is awaited
	trouble string                       // told already
	shares  map[string][]mq.MessageQueue `pack:"-"` // of queues among listed, by the strategy; nil: not computed
	owners  map[mq.MessageQueue]string   `pack:"-"` // the same by queue
	broker  brokerSide
}

// New returns a Rebalance that does its first pass on the first event.RebalanceWanted.
func New(cfg Config) *Rebalance {
	r := &Rebalance{
		cfg:    cfg.withDefaults(),
		topics: map[string]*topic{},
		slots:  map[mq.MessageQueue]*slot{},
		locks:  locks{leaving: map[mq.MessageQueue]*departure{}},
	}
	for _, name := range r.cfg.Topics {
		r.topics[name] = r.newTopic(name)
	}
	return r
}

// Step takes in event.RebalanceWanted, event.RouteChanged, event.MembersListed,
// event.AssignmentRead, event.OffsetRead, event.Tick, PullAttempted, Dropped, LocksAnswered, LocksFreed, Released,
// ClockAhead and Stopped. A PullAttempted is only noted, nothing follows from it.
func (r *Rebalance) Step(now time.Time, e event.Event) []Action {
	if r.stopped {
		return nil
	}
	r.out = nil
	r.notice(now)
	var answered time.Time
	switch e := e.(type) {
	case event.RebalanceWanted:
		r.want(now, e.Why)
	case event.RouteChanged:
		r.routeChanged(now, e)
	case event.MembersListed:
		r.membersListed(now, e)
	case event.AssignmentRead:
		r.assignmentRead(now, e)
	case event.OffsetRead:
		r.offsetRead(now, e)
	case PullAttempted:
		r.attempted(now, e.Queue)
		return nil
	case Dropped:
		r.dropped(now, e.Queue)
	case ReleaseLock:
		r.releaseLock(now, e.Queue)
	case LocksAnswered:
		answered = e.At
		r.locksAnswered(now, e)
	case LocksFreed:
		r.locksFreed(now, e)
	case ClockAhead:
		if !r.locks.renewAt.IsZero() {
			r.locks.renewAt = now
		}
	case Released:
		r.released(now, e)
	case Stopped:
		r.stop(now)
		return r.out
	}
	r.runDue(now)
	r.runLocks(now)
	r.flushLocks(answered)
	return r.out
}

// notice sees from long silence that the whole process slept (a suspended laptop): queues
// did not stop pulling by themselves then. Where the wall clock went ahead of the monotonic one
// either that stood still meanwhile or somebody set the clock: locks are not trusted any more
// (see processqueue.LockAge), so they are renewed now.
func (r *Rebalance) notice(now time.Time) {
	if r.stepped.IsZero() || now.Sub(r.stepped) > 2*r.cfg.Interval {
		r.awake = now
	}
	if !r.locks.renewAt.IsZero() && processqueue.LockAge(now, r.stepped)-now.Sub(r.stepped) > r.cfg.MinInterval {
		r.locks.renewAt = now
	}
	r.stepped = now
}

// Attempted is Step for a PullAttempted: each pull of a busy consumer has one.
func (r *Rebalance) Attempted(now time.Time, q mq.MessageQueue) {
	if !r.stopped {
		r.notice(now)
		r.attempted(now, q)
	}
}

func (r *Rebalance) attempted(now time.Time, q mq.MessageQueue) {
	if s := r.slots[q]; s != nil {
		s.attempted = now
	}
}

// routeChanged takes over the queues of a topic. A failed read changes nothing.
func (r *Rebalance) routeChanged(now time.Time, e event.RouteChanged) {
	t := r.topics[e.Topic]
	if t == nil || e.Err != nil || !e.Known {
		return
	}
	queues := make([]mq.MessageQueue, 0, len(e.Queues))
	for _, q := range e.Queues {
		if q.Topic == e.Topic {
			queues = append(queues, q)
		}
	}
	slices.SortFunc(queues, mq.MessageQueue.Compare)
	queues = slices.Compact(queues)
	if t.known && slices.Equal(t.queues, queues) {
		return
	}
	first := !t.known
	t.known, t.queues, t.shares, t.owners, r.queues = true, queues, nil, nil, nil
	switch {
	case !r.pass.begun || t.asked: // the pass to come, or its answer to come, sees them
	case first && r.pass.running:
		r.join(t)
	default:
		r.want(now, "route of "+e.Topic+" changed")
	}
}

// stop gives every queue up.
func (r *Rebalance) stop(now time.Time) {
	r.stopped = true
	r.stopLocks()
	for _, name := range r.cfg.Topics {
		for _, q := range r.topics[name].held {
			r.drop(now, q, event.RevokedByShutdown)
		}
		r.topics[name].held = nil
	}
	clear(r.locks.leaving)
	r.flushLocks(now)
}

func (r *Rebalance) do(a Action) { r.out = append(r.out, a) }

func (r *Rebalance) tell(now time.Time, level event.Level, topic, what string) {
	r.do(event.Entry{At: now, Level: level, Source: "rebalance", Where: topic, What: what, Count: 1})
}
