package treemap

import (
	"slices"

	"mqscope/engine/snapshot"
	"mqscope/keymap"
)

// target is what a tile stands for.
func (m *memo) target(t *tile) Target {
	switch {
	case t.queue >= 0:
		return Target{Queue: m.snap.Queues[t.queue].ID}
	case t.group >= 0:
		return Target{Group: m.groups[t.group].name, IsRest: true}
	}
	return Target{IsRest: true}
}

// find returns the tile of the cursor: that of its queue, or the one that stands for it, or
// one next to where that was. Nothing selected is the largest queue. There must be tiles.
func (m *memo) find(st State) int {
	at, _ := m.locate(st)
	return at
}

func (m *memo) locate(st State) (at int, found bool) {
	if st.Sel == (Target{}) {
		for i := range m.tiles {
			if m.tiles[i].queue == m.top || slices.Contains(m.tiles[i].rest, m.top) {
				return i, true
			}
		}
		return 0, true
	}
	for i := range m.tiles {
		if m.target(&m.tiles[i]) == st.Sel {
			return i, true
		}
	}
	if !st.Sel.IsRest {
		for i := range m.tiles {
			has := func(q int32) bool { return m.snap.Queues[q].ID == st.Sel.Queue }
			if slices.ContainsFunc(m.tiles[i].rest, has) {
				return i, true
			}
		}
	}
	return min(max(st.Pos, 0), len(m.tiles)-1), false
}

// beside is the tile that lies in a direction: the nearest of those that share a stretch of
// edge with it, and of these the one whose middle is closest. Without one the cursor stays.
func (m *memo) beside(from int, dir keymap.ID) int {
	r := m.tiles[from].r
	best, bestGap, bestOff := from, 0, 0
	for i := range m.tiles {
		o := m.tiles[i].r
		var gap, off int
		var touch bool
		switch dir {
		case keymap.Left:
			gap, touch = r.x0-o.x1, o.y0 < r.y1 && r.y0 < o.y1
		case keymap.Right:
			gap, touch = o.x0-r.x1, o.y0 < r.y1 && r.y0 < o.y1
		case keymap.Up:
			gap, touch = r.y0-o.y1, o.x0 < r.x1 && r.x0 < o.x1
		default:
			gap, touch = o.y0-r.y1, o.x0 < r.x1 && r.x0 < o.x1
		}
		if gap < 0 || !touch || i == from {
			continue
		}
		if dir == keymap.Left || dir == keymap.Right {
			off = distance(o.y0+o.y1, r.y0+r.y1)
		} else {
			off = distance(o.x0+o.x1, r.x0+r.x1)
		}
		if best == from || gap < bestGap || gap == bestGap && off < bestOff {
			best, bestGap, bestOff = i, gap, off
		}
	}
	return best
}

func distance(a, b int) int { return max(a-b, b-a) }

// gone tells whether a queue is no longer among those that the picture shows.
func gone(s *snapshot.Snapshot, id snapshot.MessageQueue) bool {
	return !slices.ContainsFunc(s.Queues, func(q snapshot.Queue) bool { return q.ID == id && s.Counts(&q) })
}
