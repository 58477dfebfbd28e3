package views

import "mqscope/engine/snapshot"

// Differences says in a few words how a member subscribes otherwise than this one: of the
// first topic what, of the rest how many.
func (c *Cleaner) Differences(list []snapshot.Difference) Safe {
	if len(list) == 0 {
		return Safe{}
	}
	d := &list[0]
	topic, what := c.Cell(d.Topic), Safe{}
	switch {
	case d.Theirs == "":
		what = Own(" only here")
	case d.Ours == "":
		what = Own(" only there")
	default:
		what = Join(Own(" "), c.Cell(d.Theirs), Own(" there"))
	}
	if more := len(list) - 1; more > 0 {
		what = Join(what, Own(", +"), Exact(int64(more)))
	}
	return Join(topic, what)
}
