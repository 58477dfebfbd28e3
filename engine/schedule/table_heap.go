package schedule

import "cmp"

// taskHeap has the scheduled pull tasks, the next due on top. It implements heap.Interface.
type taskHeap []*Task

func (h taskHeap) Len() int { return len(h) }

func (h taskHeap) Less(i, j int) bool {
	if c := h[i].Due.Compare(h[j].Due); c != 0 {
		return c < 0
	}
	return cmp.Less(h[i].order, h[j].order)
}

func (h taskHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push adds x, a *Task, at the end.
func (h *taskHeap) Push(x any) { *h = append(*h, x.(*Task)) }

// Pop takes the last task off.
func (h *taskHeap) Pop() any {
	last := len(*h) - 1
	t := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return t
}
