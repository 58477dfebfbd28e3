package stage

import (
	"container/heap"
	"time"
)

// event is something that is due once: a call, or the end of a timer.
type event struct {
	at    time.Time
	order uint64
	call  func()
	timer chan time.Time
	index int // in the heap, -1 outside
}

// events is a heap, the first one due on top.
type events []*event

func (h *events) push(e *event) { heap.Push((*ordered)(h), e) }
func (h *events) pop() *event   { return heap.Pop((*ordered)(h)).(*event) }

func (h *events) remove(e *event) bool {
	if e == nil || e.index < 0 || e.index >= len(*h) || (*h)[e.index] != e {
		return false
	}
	heap.Remove((*ordered)(h), e.index)
	return true
}

// ordered is events as package heap wants them.
type ordered events

func (h ordered) Len() int { return len(h) }

func (h ordered) Less(i, j int) bool {
	if !h[i].at.Equal(h[j].at) {
		return h[i].at.Before(h[j].at)
	}
	return h[i].order < h[j].order
}

func (h ordered) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

// Push implements heap.Interface.
func (h *ordered) Push(x any) {
	e := x.(*event)
	e.index = len(*h)
	*h = append(*h, e)
}

// Pop implements heap.Interface.
func (h *ordered) Pop() any {
	last := len(*h) - 1
	e := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	e.index = -1
	return e
}
