package redact

import (
	"fmt"

	"mqscope/engine/recording"
)

// layout is what the records of a source are.
type layout struct {
	described uint16            // kind of the records with the description of types, 0: there are none
	roots     map[uint16]string // names of the types of the others
	numbers   map[uint16]bool   // kinds of those that hold numbers alone
	// Checkpoints in parts: the first one and those behind it. Each begins with a byte that tells
	// whether another one follows.
	first, part uint16
	whole       string            // type of all parts together
	behind      int               // at most so many bytes behind it say where things are in it: they are left out
	shapes      []string          // names of the description in the header
	packed      map[string]string // types of other values of the header
}

func layoutOf(h recording.Header) (*layout, error) {
	switch h.Source {
	case "engine":
		return &layout{
			described: 1,
			roots: map[uint16]string{
				2: "engine/consumer.taken", 3: "engine/consumer.look", 4: "engine/event.Entry", 5: "engine/consumer.saved",
				6: "engine/consumer.Delivered",
			},
			numbers: map[uint16]bool{7: true},
			shapes:  []string{"types"},
			packed:  map[string]string{"setup": "engine/consumer.setup"},
		}, nil
	case "capture", "proxy":
		return &layout{
			roots: map[uint16]string{1: "engine/replay/inferred.entry"},
			first: 2, part: 3, whole: "engine/replay/inferred.checkpoint", behind: 4,
			shapes: []string{"shapes"},
		}, nil
	}
	return nil, fmt.Errorf("it is a recording of %.40q: this version of mqscope does not know what may be in that, and so not what to take out", h.Source)
}
