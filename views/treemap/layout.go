package treemap

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strings"

	"mqscope/engine/snapshot"
	"mqscope/views"
)

// reading is how large a queue is; ok is false when that is not known.
type reading struct {
	size  int64
	ok    bool
	stale bool
}

// read returns what the metric says of q.
func (m Metric) read(q *snapshot.Queue) reading {
	var v snapshot.Val[int64]
	switch m {
	case ByCount:
		v = snapshot.Val[int64]{V: int64(q.Count.V), State: q.Count.State}
	case ByLag:
		v = q.Lag
	default:
		v = q.Bytes
	}
	switch v.State {
	case snapshot.NotApplicable:
		return reading{ok: true}
	case snapshot.Unknown:
		return reading{}
	}
	return reading{max(v.V, 0), true, v.State == snapshot.Stale}
}

// why says why the size of q is not known.
func (m Metric) why(q *snapshot.Queue) string {
	switch m {
	case ByCount:
		return q.Count.Reason
	case ByLag:
		return q.Lag.Reason
	}
	return q.Bytes.Reason
}

// group is one of the outer rectangles, or what is merged into one.
type group struct {
	name    string
	r       rect
	queues  []int32 // in the order of the picture
	sum     float64
	known   int
	unknown int
	stale   bool
}

// tile is a rectangle: a queue, or queues that are too small for one of their own.
type tile struct {
	r     rect
	group int32 // -1 for the one that stands for whole groups
	queue int32 // -1 when it stands for rest
	rest  []int32
	// groups is how many groups it stands for.
	groups int
}

// memo is the layout of one snapshot at one size.
type memo struct {
	snap  *snapshot.Snapshot
	size  Metric
	by    Grouping
	w, h  int
	short views.ShortNames

	groups []group
	shown  int // groups that have a rectangle of their own
	tiles  []tile
	sum    float64
	none   int // queues whose size is not known
	top    int32
	sick   float64 // part of sum that bad and warned queues have
	sickN  int
}

// layout returns the rectangles for an area of w by h cells.
func (v *View) layout(s *snapshot.Snapshot, p Params, w, h int) *memo {
	m := &v.memo
	if m.snap == s && m.size == p.Size && m.by == p.Group && m.w == w && m.h == h {
		return m
	}
	*m = memo{snap: s, size: p.Size, by: p.Group, w: w, h: h, short: views.ShortBrokers(s), top: -1, groups: m.groups[:0], tiles: m.tiles[:0]}
	m.sort(v.order(s, p.Size))
	m.place()
	return m
}

// class is the size class of a queue: classes grow by a factor of two.
func class(size int64) int { return bits.Len64(uint64(size)) }

// magnitude is the size class of a sum.
func magnitude(sum float64) int {
	_, exp := math.Frexp(sum)
	return exp
}

// order has the queues by size class from the largest, in each in the order of ids; queues
// without a known size come last.
func (v *View) order(s *snapshot.Snapshot, size Metric) []int32 {
	var at [66]int
	slot := func(q *snapshot.Queue) int {
		r := size.read(q)
		if !r.ok {
			return 65
		}
		return 64 - class(r.size)
	}
	n := 0
	for i := range s.Queues {
		if s.Counts(&s.Queues[i]) {
			at[slot(&s.Queues[i])]++
			n++
		}
	}
	from := 0
	for i, count := range at {
		at[i], from = from, from+count
	}
	if cap(v.sorted) < n {
		v.sorted = make([]int32, n)
	}
	v.sorted = v.sorted[:n]
	for i := range s.Queues {
		if s.Counts(&s.Queues[i]) {
			k := slot(&s.Queues[i])
			v.sorted[at[k]] = int32(i)
			at[k]++
		}
	}
	return v.sorted
}

// on is what is shown of a snapshot: how large messages are does not show from outside.
func (p Params) on(s *snapshot.Snapshot) Params {
	if p.Size == ByBytes && s != nil && s.Replay.Inferred {
		p.Size = ByCount
	}
	return p
}

func (g Grouping) of(q *snapshot.Queue) string {
	switch g {
	case ByTopic:
		return q.ID.Topic
	case ByOwner:
		if !q.Owner.OK() {
			return "?"
		}
		return q.Owner.V
	case Flat:
		return ""
	}
	return q.ID.BrokerName
}

// sort puts the queues into groups: the largest class first, then by name.
func (m *memo) sort(order []int32) {
	at := map[string]int{}
	most := int64(-1)
	for _, i := range order {
		q := &m.snap.Queues[i]
		name := m.by.of(q)
		g, ok := at[name]
		if !ok {
			g = len(m.groups)
			at[name] = g
			m.groups = append(m.groups, group{name: name})
		}
		gr := &m.groups[g]
		gr.queues = append(gr.queues, i)
		r := m.size.read(q)
		if !r.ok {
			gr.unknown++
			m.none++
			continue
		}
		gr.known++
		gr.sum += float64(r.size)
		gr.stale = gr.stale || r.stale
		m.sum += float64(r.size)
		if r.size > most {
			most, m.top = r.size, i
		}
		if views.Severity(q.Mark) <= 1 {
			m.sick += float64(r.size)
			m.sickN++
		}
	}
	slices.SortStableFunc(m.groups, func(a, b group) int {
		return cmp.Or(cmp.Compare(magnitude(b.sum), magnitude(a.sum)), strings.Compare(a.name, b.name))
	})
}

// place cuts the area into groups and those into tiles.
func (m *memo) place() {
	if m.sum <= 0 || m.w <= leastW || m.h <= leastH {
		return
	}
	all := rect{0, 0, m.w - 1, m.h - 1}
	sizes := make([]float64, len(m.groups))
	for i := range m.groups {
		sizes[i] = m.groups[i].sum
	}
	rects, shown, rest := fit(sizes, all)
	if rest && len(m.groups)-shown == 1 {
		shown, rest = shown+1, false
	}
	m.shown = shown
	for i := range shown {
		m.groups[i].r = rects[i]
		m.inside(int32(i))
	}
	if rest {
		t := tile{r: rects[shown], group: -1, queue: -1, groups: len(m.groups) - shown}
		for _, g := range m.groups[shown:] {
			t.rest = append(t.rest, g.queues...)
		}
		m.tiles = append(m.tiles, t)
	}
}

// inside cuts a group into tiles.
func (m *memo) inside(g int32) {
	gr := &m.groups[g]
	sizes := make([]float64, len(gr.queues))
	for i, q := range gr.queues {
		sizes[i] = float64(m.size.read(&m.snap.Queues[q]).size)
	}
	rects, shown, rest := fit(sizes, gr.r)
	if rest && len(gr.queues)-shown == 1 {
		shown, rest = shown+1, false
	}
	for i := range shown {
		m.tiles = append(m.tiles, tile{r: rects[i], group: g, queue: gr.queues[i]})
	}
	if rest {
		m.tiles = append(m.tiles, tile{r: rects[shown], group: g, queue: -1, rest: gr.queues[shown:]})
	}
}

// Sizes that are too small for a rectangle get one all the same, as long as that makes them
// no more than this many times larger and takes no more than this part of the whole.
const (
	mostLarger = 2.5
	mostTaken  = 0.35
)

// fit cuts r into rectangles for the first of sizes, which are about in falling order, and
// one more for the rest when there is one: what is too small for the least rectangle.
func fit(sizes []float64, r rect) (rects []rect, shown int, rest bool) {
	total := 0.0
	for _, s := range sizes {
		total += s
	}
	cells := float64(max(r.w()*r.h(), 1))
	least := total * leastW * leastH / cells
	for shown < len(sizes) && sizes[shown] > 0 && sizes[shown] >= least {
		shown++
	}
	for n := int(cells * mostTaken / (leastW * leastH)); n > 0 && shown < len(sizes) && sizes[shown]*mostLarger >= least; n-- {
		shown++
	}
	var buf []float64
	for ; ; shown-- {
		rest = shown < len(sizes)
		buf = buf[:0]
		for _, s := range sizes[:shown] {
			buf = append(buf, max(s, least))
		}
		if rest {
			left := 0.0
			for _, s := range sizes[shown:] {
				left += s
			}
			buf = append(buf, max(left, least))
		}
		var ok bool
		if rects, ok = squarify(buf, r, rects[:0]); ok || shown == 0 {
			break
		}
	}
	if len(rects) == 0 {
		rects = append(rects, r) // too small for anything: one rectangle that is not readable
	}
	return rects, shown, rest
}
