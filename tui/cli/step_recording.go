package cli

import (
	"context"
	"errors"
	"fmt"

	"mqscope/engine/replay"
	"mqscope/engine/replay/tracks"
	"mqscope/engine/step"
	steps "mqscope/engine/step/script"
)

// scriptRecording carries a script out on a recording and prints what happens.
func (f *stepFlags) scriptRecording(ctx context.Context, p Process, file string) (err error) {
	list, err := f.set(true)
	if err != nil {
		return err
	}
	track, err := tracks.Open(file, replay.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, track.Close()) }()
	marks, info := replay.OpenBookmarks(replay.OwnDisk{}, file, track.Info()), track.Info()
	var reel *step.Reel
	reel = step.NewReel(step.ReelConfig{
		Recording: track, First: info.Header.First, Start: info.From, Halt: ctx.Err,
		Place: func(text string) (uint64, error) { return replay.PlaceFrom(track, marks, reel.Now(), text) },
	})
	on := steps.OnSeen
	if reel.Decides() {
		on = steps.OnRemade
	}
	parsed, err := readScript(ctx, p, f.script, on)
	if err != nil {
		return usageError{err}
	}
	if len(list) > 0 && !reel.Decides() {
		return usage("--breakpoints %s: they stop at decisions, of which none is known of what was seen on the wire", f.breakpoints)
	}
	reel.SetBreakpoints(list)
	err = f.carryOut(p, func(o steps.Options) ([]steps.Failure, error) { return steps.Play(ctx, reel, parsed, o) })
	if departed := track.Picture().Replay.Departed; departed != "" {
		err = errors.Join(err, fmt.Errorf("what was played is not what was recorded: %s", clean(departed)))
	}
	return err
}
