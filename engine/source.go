package engine

import (
	"context"

	"mqscope/engine/snapshot"
)

// Source is something that snapshots come from.
type Source interface {
	// Run drives the source until ctx ends, then ends it cleanly; nil means that it did.
	Run(ctx context.Context) error
	// Snapshot is the newest picture, never nil.
	Snapshot() *snapshot.Snapshot
	// Updates has room for one signal: a newer snapshot is there.
	Updates() <-chan struct{}
	// Do carries out a command. It does not wait for its effect, which a snapshot shows.
	Do(Command)
}

// Command is what a person may ask of a source: Pause, Resume, Watch, or one of those in
// steer.go and of a recorder.Recorder, which only a consumer of our own can carry out.
type Command any

type (
	// Pause stops pulling; cached messages are still consumed.
	Pause struct{}
	// Resume ends a Pause.
	Resume struct{}
	// Watch names the queues that snapshots should show in detail, and says whether somebody
	// looks at locks: what other members hold is asked only then.
	Watch struct {
		Queues []snapshot.MessageQueue
		Locks  bool
	}
)
