package events

import (
	"mqscope/engine/snapshot"
	"mqscope/views"
)

// Sheet implements views.Exporter: the events that pass.
func (v *View) Sheet(in views.In) (views.Sheet, bool) {
	if in.Snap == nil {
		return views.Sheet{}, false
	}
	seqs, _ := v.seqs(in.Snap, stateOf(in.State).Params)
	var events []*snapshot.Entry
	for _, seq := range seqs {
		if e := views.EventAt(in.Snap.Events, seq); e != nil {
			events = append(events, e)
		}
	}
	return views.EventSheet("events", in.Snap.At, events), true
}
