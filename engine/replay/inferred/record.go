package inferred

import (
	"fmt"

	"mqscope/engine/capture/infer"
	"mqscope/engine/internal/pack"
	"mqscope/engine/recording"
)

// Kinds of records.
const (
	kindEvent      = 1
	kindCheckpoint = 2
	kindPart       = 3
)

const shapesMeta = "shapes"

// entry is an event as it is recorded; its time is that of the record.
type entry struct {
	Seq  uint64
	Conn int
	// Jumped is set when a commit is below what was committed before, which only who has the
	// State can tell.
	Jumped bool
	Fact   infer.Fact
}

func codec() *pack.Codec {
	facts := infer.Facts()
	types := make([]any, len(facts))
	for i, f := range facts {
		types[i] = f
	}
	return pack.New(types...)
}

// Header completes the header of a recording that a Recorder is to write.
func Header(h recording.Header) recording.Header {
	meta := map[string]string{shapesMeta: codec().Describe(entry{}, checkpoint{}, stateHalf{}, memoryHalf{})}
	for name, value := range h.Meta {
		meta[name] = value
	}
	h.Meta, h.First = meta, 1
	if h.Bodies == "" {
		h.Bodies = "none"
	}
	if h.Secrets == "" {
		h.Secrets = "none"
	}
	return h
}

// reading returns the codec of whoever wrote a file with this header.
func reading(h recording.Header) (*pack.Codec, error) {
	shapes := h.Meta[shapesMeta]
	if shapes == "" {
		return nil, fmt.Errorf("the recording does not describe its records: its header was changed or it is of a mqscope before 1.0")
	}
	c, err := codec().Adapt(shapes)
	if err != nil {
		return nil, fmt.Errorf("what the header says of the records: %w", err)
	}
	return c, nil
}
