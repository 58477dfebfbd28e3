package replay

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mqscope/engine/recording"
)

// What recordings say in their headers that they hold.
const (
	SourceEngine  = "engine"  // what entered the loop of our own consumer
	SourceCapture = "capture" // what was inferred from a packet capture
	SourceProxy   = "proxy"   // what was inferred from the traffic through a proxy
)

// MetaRedacted is in the header of a recording of which something was taken out since.
const MetaRedacted = "redacted"

// Options is how a Track is opened.
type Options struct {
	// Group and Client are whom the pictures of an inferred recording are about: no group is the
	// one that used the most queues, no client is all of the group.
	Group, Client string
	// Again opens the same file once more, for what a track reads beside its way. Open sets it.
	Again func() (*recording.Reader, error)
}

// Opener makes a Track of a recording of the source that it knows. The track owns r from then
// on; when there is an error the caller still does.
type Opener func(r *recording.Reader, o Options) (Track, error)

// Open opens the recording at path with the opener of its source.
func Open(path string, o Options, openers map[string]Opener) (Track, error) {
	r, err := recording.Open(path)
	if err != nil {
		return nil, err
	}
	if o.Again == nil {
		o.Again = func() (*recording.Reader, error) { return recording.Open(path) }
	}
	t, err := open(r, o, openers)
	if err != nil {
		if closed := r.Close(); closed != nil {
			err = errors.Join(err, closed)
		}
		return nil, &recording.FileError{Path: path, Err: err}
	}
	return t, nil
}

func open(r *recording.Reader, o Options, openers map[string]Opener) (Track, error) {
	source := r.Header().Source
	if opener := openers[source]; opener != nil {
		return opener(r, o)
	}
	if source == "" {
		return nil, errors.New("the recording does not say what it holds: it was not made by mqscope record, proxy or import")
	}
	known := strings.Join(slices.Sorted(maps.Keys(openers)), ", ")
	return nil, fmt.Errorf("a recording of %.40q, this program plays those of %s: take a newer mqscope", source, known)
}

// ToCheckpoint has r stand in front of the checkpoint that is record number n.
func ToCheckpoint(r *recording.Reader, n uint64) error {
	at, err := r.SeekCheckpoint(n)
	if err == nil && at != n {
		err = fmt.Errorf("record %d is no checkpoint, the one before it is record %d", n, at)
	}
	return err
}
