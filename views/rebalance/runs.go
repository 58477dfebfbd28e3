package rebalance

import (
	"mqscope/engine/snapshot"
	"mqscope/views"
)

// runs writes positions as runs of queue numbers per broker; of several brokers it says how
// many there are of each: "a0-15 (16) b3 b7-9 (4)". It stops when w cells are full and says that there are more.
func (d *drawing) runs(list []int32, ids []snapshot.MessageQueue, blocks []block, w int) views.Safe {
	g := d.in.Theme.Glyphs
	if len(list) == 0 {
		return views.Own("-").Cut(w, g)
	}
	var out views.Safe
	at := 0
	last := blocks[len(blocks)-1]
	for _, b := range blocks {
		if int(list[0]) < b.from+b.n {
			last = b
			break
		}
	}
	several := int(list[len(list)-1]) >= last.from+last.n
	for _, b := range blocks {
		name := d.clean.Cell(d.f.short.Of(b.broker))
		if len(blocks) == 1 {
			name = views.Safe{}
		} else if name.Width() > 8 {
			name = name.Middle(8, g)
		}
		first := at
		for at < len(list) && int(list[at]) < b.from+b.n {
			from := at
			for at+1 < len(list) && int(list[at+1]) < b.from+b.n && list[at+1] == list[at]+1 && ids[list[at+1]].QueueID == ids[list[at]].QueueID+1 {
				at++
			}
			if out.Width() > 0 {
				out = views.Join(out, views.Own(" "))
			}
			out = views.Join(out, name, views.Plain(int64(ids[list[from]].QueueID)))
			if at > from {
				out = views.Join(out, views.Own("-"), views.Plain(int64(ids[list[at]].QueueID)))
			}
			at++
			if out.Width() > w {
				return out.Cut(w, g)
			}
		}
		if n := at - first; n > 2 && several {
			out = views.Join(out, views.Own(" ("), views.Exact(int64(n)), views.Own(")"))
		}
	}
	return out.Cut(w, g)
}
