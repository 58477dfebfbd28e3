package scheduler

import (
	"time"

	"mqscope/engine/snapshot"
)

// at is the task in a row.
func (f *facts) at(row int) *snapshot.SchedTask { return &f.d.Tasks[f.order[row]] }

// resort is how long rows stay where they are while a consumer runs by itself: its tasks come
// and go ten times a second, and nobody could read them.
const resort = time.Second

// rank puts the tasks into rows: in their own order, or in that of the picture before.
func (f *facts) rank(before *facts, now time.Time) {
	tasks := f.d.Tasks
	order := before.order
	f.sorted = before.sorted
	keep := before.snap != nil && !f.d.Stepping && len(order) == len(tasks) && len(before.d.Tasks) == len(tasks) &&
		now.Sub(before.sorted) < resort && !now.Before(before.sorted)
	if keep {
		rows := make(map[Target]int32, len(tasks))
		for i := range tasks {
			rows[targetOf(&tasks[i])] = int32(i)
		}
		next := make([]int32, len(tasks))
		for row, i := range order {
			place, there := rows[targetOf(&before.d.Tasks[i])]
			if keep = keep && there; keep {
				next[row] = place
			}
		}
		if keep && len(rows) == len(tasks) {
			f.order = next
			return
		}
	}
	f.order, f.sorted = make([]int32, len(tasks)), now
	for i := range f.order {
		f.order[i] = int32(i)
	}
}

// find is the row of the cursor; it begins at the task whose turn it is. found is false when
// the task is not there any more.
func (f *facts) find(st State) (pos int, found bool) {
	n := len(f.order)
	if st.Sel == (Target{}) {
		for i := range n {
			if f.at(i).Current {
				return i, true
			}
		}
		return min(0, n-1), true
	}
	same := -1
	for i := range n {
		t := f.at(i)
		if t.Queue == st.Sel.Queue {
			if t.ID == st.Sel.ID {
				return i, true
			}
			if same < 0 {
				same = i
			}
		}
	}
	if same >= 0 { // the queue has another task now
		return same, true
	}
	return min(max(st.Pos, 0), n-1), false
}
