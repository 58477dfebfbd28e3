package pull

import (
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/mq"
)

// Turn is the event that it is one request's turn, with all that the checks look at.
type Turn struct {
	Queue        mq.MessageQueue
	Epoch        uint64
	Next         int64
	Dropped      bool
	Running      bool // the consumer is
	Paused       bool
	Subscribed   bool // there is a subscription for the topic
	SubVersion   int64
	Expression   string
	CommitOffset int64 // from memory; piggybacked when > 0
	Load         Load
	Task         uint64 // of the request, for the record

	// Ordered says that messages are consumed in order: there is no limit to the span then, and
	// with Lock set the lock of the queue counts.
	Ordered bool
	Lock    *Lock
}

// Lock is that of a queue, at its broker.
type Lock struct {
	Held       bool // granted, and not too old
	StartKnown bool // the start offset was read with the lock held
	Granted    bool
	Age, Trust time.Duration // since it was granted; up to which it counts
}

// CauseNotLocked is why a queue is not pulled whose lock is not held
// (Java: DefaultMQPushConsumerImpl.pullMessage, "the message queue not locked").
const CauseNotLocked event.Cause = "not locked"

// Send is the action to send one pull. The caller chooses the connection.
type Send struct {
	Queue      mq.MessageQueue
	Epoch      uint64
	Offset     int64
	MaxNums    int32
	MaxBytes   int32
	SysFlag    int32
	Commit     int64 // 0 when none is piggybacked
	SubVersion int64
	BrokerID   int64 // suggested by the last answer, 0 at first
	Hold       time.Duration
	Timeout    time.Duration
	Task       uint64
}

// Recheck is the action to read the start offset again, at the first pull with the lock held.
// The request is out until it is put back (Java: the previouslyLocked branch of pullMessage).
type Recheck struct {
	Queue mq.MessageQueue
	Epoch uint64
	Next  int64
	Task  uint64
}

// Back is the action to put the request back into the schedule, Die the one to end it.
type (
	Back = event.PutBack
	Die  = event.RequestDied
)

// CorrectOffset is the action to raise the stored offset to Offset when nothing is cached
// (Java: correctTagsOffset).
type CorrectOffset struct {
	Queue  mq.MessageQueue
	Epoch  uint64
	Offset int64
	Task   uint64
}

// RepairOffset is the action that follows OFFSET_ILLEGAL: drop the queue, freeze and persist
// the corrected offset, remove it, rebalance (Java: PullCallback.onSuccess, OFFSET_ILLEGAL).
// The request has ended with it.
type RepairOffset struct {
	Queue       mq.MessageQueue
	Epoch       uint64
	Asked, Next int64
	Min, Max    int64
	Task        uint64
}

// Action is one of Send, Back, Die, Recheck, CorrectOffset, RepairOffset, event.Entry.
type Action any

// Pull decides how one pull goes: whether it may be made, what the request says, what
// follows from the answer. It is plain state: one owner steps it.
type Pull struct {
	// Decisions is told what is decided; it may be nil.
	Decisions *decision.Recorder `pack:"-"`

	cfg    Config
	queues map[mq.MessageQueue]*queue
	last   mq.Last[*queue] `pack:"-"` // of queues
	one    [1]Action       `pack:"-"` // room for what is returned
}

// queue is what is remembered of one queue's pulls during one assignment.
type queue struct {
	epoch   uint64
	suggest int64 // broker id for the next pull
	asked   int64 // offset of the pull that is out
	sentTo  int64 // broker id of the pull that is out
	out     bool  // a pull was sent and not answered
	task    uint64
	// In a row, up to the last answer:
	failures, flows, idle int
	trouble               trouble // told already
}

// trouble is a kind of thing that can be wrong with a queue's pulls. It is told when it
// begins, not again with each pull.
type trouble string

const (
	noTrouble      trouble = ""
	noProgress     trouble = "no progress"
	badCorrection  trouble = "bad correction"
	slaveIsBehind  trouble = "slave is behind"
	bringsAgain    trouble = "brings again"
	negativeOffset trouble = "negative offset"
)

// New returns a Pull; zero fields of cfg get their defaults.
func New(cfg Config) *Pull {
	return &Pull{cfg: cfg.WithDefaults(), queues: map[mq.MessageQueue]*queue{}}
}

// Step answers a Turn with one Send, Back, Recheck or Die, and an event.PullDone with what follows:
// one Back or RepairOffset, or nothing when it does not answer the pull that is out (it came
// twice, or the queue was given up meanwhile). An event.QueueRevoked forgets the queue.
//
// What it returns is good until the next call: who keeps it makes a copy.
func (p *Pull) Step(now time.Time, e event.Event) []Action {
	switch e := e.(type) {
	case Turn:
		return p.Turn(now, &e)
	case event.PullDone:
		return p.Answered(now, &e)
	case event.QueueRevoked:
		if q := p.queues[e.Queue]; q != nil && q.epoch == e.Epoch {
			delete(p.queues, e.Queue)
			p.last.Forget()
		}
	}
	return nil
}

// Answered is Step for an event.PullDone, Turn for a Turn. A busy consumer has so many of these that
// making events of them would be felt.
func (p *Pull) Answered(now time.Time, e *event.PullDone) []Action {
	q, _ := p.last.Of(p.queues, e.Queue)
	if q == nil || q.epoch != e.Epoch || !q.out || q.asked != e.Offset {
		p.stale(q, e)
		return nil
	}
	q.out = false
	a := answer{Pull: p, queue: q, now: now, done: *e, actions: p.one[:0]}
	a.decide()
	return a.actions
}

// stale tells of an answer that nobody waits for; q may be nil.
func (p *Pull) stale(q *queue, e *event.PullDone) {
	if !p.Decisions.On() {
		return
	}
	d := decision.Decision{
		Line: decision.PullStale, Queue: e.Queue, N: [6]int64{e.Offset}, Text: e.Status.String(),
		Then: decision.Then{Do: decision.Stop},
	}
	if q != nil && q.epoch == e.Epoch {
		d.Task = q.task
	}
	p.Decisions.Record(&d)
}

// of returns the memory of a queue, a fresh one for a new assignment.
func (p *Pull) of(id mq.MessageQueue, epoch uint64) *queue {
	q, _ := p.last.Of(p.queues, id)
	if q == nil || q.epoch != epoch {
		q = &queue{epoch: epoch, suggest: mq.MasterID}
		p.queues[id] = q
		p.last.Forget()
	}
	return q
}
