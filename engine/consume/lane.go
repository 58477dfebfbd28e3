package consume

import (
	"container/heap"
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/processqueue"
)

// lane is one message queue and its place among those that are consumed in order: on the
// list of work, in the hands of one worker, or waiting for something. It is what keeps two
// calls of one queue apart, even across assignments (Java: MessageQueueLock).
type lane struct {
	id    mq.MessageQueue
	q     *processqueue.Queue // of the newest assignment
	state laneState
	again bool      // messages came while it was running
	gone  bool      // forgotten while it was running
	due   time.Time // of a suspension
	index int       // in the heap of suspended ones
	next  *lane     // in the list of work

	// owed is the queue whose kept messages are to be committed once its lock is held again.
	// It belongs to whoever runs the lane.
	owed *processqueue.Queue
}

type laneState uint8

const (
	idle      laneState = iota // nothing waits
	ready                      // on the list of work
	running                    // a worker has it
	suspended                  // until due
	unlocked                   // until the broker's lock is held
)

// String is the word in traces.
func (s laneState) String() string {
	return [...]string{"idle", "ready", "running", "suspended", "unlocked"}[s]
}

// laneList is a first-in, first-out list of lanes.
type laneList struct {
	first, last *lane
	n           int
}

func (l *laneList) push(a *lane) {
	a.next = nil
	if l.last == nil {
		l.first = a
	} else {
		l.last.next = a
	}
	l.last = a
	l.n++
}

func (l *laneList) pop() *lane {
	a := l.first
	l.first = a.next
	if l.first == nil {
		l.last = nil
	}
	a.next = nil
	l.n--
	return a
}

// remove takes a out, wherever it stands.
func (l *laneList) remove(a *lane) {
	var before *lane
	for b := l.first; b != a; b = b.next {
		before = b
	}
	if before == nil {
		l.pop()
		return
	}
	before.next, a.next = a.next, nil
	if l.last == a {
		l.last = before
	}
	l.n--
}

// laneHeap is the suspended lanes, the first one due on top.
type laneHeap []*lane

func (h laneHeap) Len() int           { return len(h) }
func (h laneHeap) Less(i, j int) bool { return h[i].due.Before(h[j].due) }
func (h laneHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

// Push implements heap.Interface.
func (h *laneHeap) Push(a any) {
	l := a.(*lane)
	l.index = len(*h)
	*h = append(*h, l)
}

// Pop implements heap.Interface.
func (h *laneHeap) Pop() any {
	last := len(*h) - 1
	l := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return l
}

// sleep puts l among the suspended; true when it is the first one due.
func (h *laneHeap) sleep(l *lane, due time.Time) (first bool) {
	l.state, l.due = suspended, due
	heap.Push(h, l)
	return l.index == 0
}

// wakeOne takes out the first one due at now, nil when there is none.
func (h *laneHeap) wakeOne(now time.Time) *lane {
	if len(*h) == 0 || (*h)[0].due.After(now) {
		return nil
	}
	return heap.Pop(h).(*lane)
}

func (h *laneHeap) remove(l *lane) { heap.Remove(h, l.index) }
