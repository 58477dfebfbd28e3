package schedule

import "container/heap"

// dueHeap has all tasks, the one to look at first on top. It implements heap.Interface.
type dueHeap []*task

func (h dueHeap) Len() int           { return len(h) }
func (h dueHeap) Less(i, j int) bool { return compareDue(h[i], h[j]) < 0 }

func (h dueHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

// Push adds x, a *task, at the end.
func (h *dueHeap) Push(x any) {
	t := x.(*task)
	t.index = len(*h)
	*h = append(*h, t)
}

// Pop takes the last task off.
func (h *dueHeap) Pop() any {
	last := len(*h) - 1
	t := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return t
}

func (h *dueHeap) fix(t *task) { heap.Fix(h, t.index) }
