package pull

import (
	"time"

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
}

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
}

// RepairOffset is the action that follows OFFSET_ILLEGAL: drop the queue, freeze and persist
// the corrected offset, remove it, rebalance (Java: PullCallback.onSuccess, OFFSET_ILLEGAL).
// The request has ended with it.
type RepairOffset struct {
	Queue       mq.MessageQueue
	Epoch       uint64
	Asked, Next int64
	Min, Max    int64
}

// Action is one of Send, Back, Die, CorrectOffset, RepairOffset, event.Entry.
type Action any

// Pull decides how one pull goes: whether it may be made, what the request says, what
// follows from the answer. It is plain state: one owner steps it.
type Pull struct {
	cfg    Config
	queues map[mq.MessageQueue]*queue
}

// queue is what is remembered of one queue's pulls during one assignment.
type queue struct {
	epoch   uint64
	suggest int64 // broker id for the next pull
	asked   int64 // offset of the pull that is out
	sentTo  int64 // broker id of the pull that is out
	out     bool  // a pull was sent and not answered
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

// Step answers a Turn with one Send, Back or Die, and an event.PullDone with what follows:
// one Back or RepairOffset, or nothing when it does not answer the pull that is out (it came
// twice, or the queue was given up meanwhile). An event.QueueRevoked forgets the queue.
func (p *Pull) Step(now time.Time, e event.Event) []Action {
	switch e := e.(type) {
	case Turn:
		return p.turn(now, e)
	case event.PullDone:
		q := p.queues[e.Queue]
		if q == nil || q.epoch != e.Epoch || !q.out || q.asked != e.Offset {
			return nil
		}
		q.out = false
		a := answer{Pull: p, queue: q, now: now, done: e}
		a.decide()
		return a.actions
	case event.QueueRevoked:
		if q := p.queues[e.Queue]; q != nil && q.epoch == e.Epoch {
			delete(p.queues, e.Queue)
		}
	}
	return nil
}

// of returns the memory of a queue, a fresh one for a new assignment.
func (p *Pull) of(id mq.MessageQueue, epoch uint64) *queue {
	q := p.queues[id]
	if q == nil || q.epoch != epoch {
		q = &queue{epoch: epoch, suggest: mq.MasterID}
		p.queues[id] = q
	}
	return q
}
