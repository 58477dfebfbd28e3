package remade

import (
	"errors"
	"io"

	"mqscope/engine/step"
	"mqscope/engine/step/command"
)

// towardMost is how many decisions Toward goes on by at most.
const towardMost = 64

// Aim says what Toward goes on to.
func (t *Track) Aim(cmd any) (mine bool, err error) {
	reel := step.NewReel(step.ReelConfig{Recording: t, Start: t.info.From, Halt: func() error { return nil }})
	reel.Limit(1)
	switch c := cmd.(type) {
	case command.Task:
		t.toward = reel.Task
	case command.Until:
		if c.Task != 0 {
			t.toward = func() (step.Stop, error) { return reel.UntilTask(c.Task) }
			return true, nil
		}
		place, err := step.ParsePlace(c.Condition)
		if err != nil {
			return true, err
		}
		t.toward = func() (step.Stop, error) { return reel.Until(place, 1) }
	default:
		return false, nil
	}
	return true, nil
}

// Toward goes on by some decisions, to the one that was aimed at, or to a breakpoint.
func (t *Track) Toward() (there bool, why string, err error) {
	if t.toward == nil {
		return false, "", errors.New("nothing is aimed at")
	}
	for range towardMost {
		stop, err := t.toward()
		switch {
		case err != nil:
			return false, "", err
		case stop.Reason == step.Idle:
			return false, "", io.EOF
		case t.trail.AtHit():
			return true, t.trail.Hit(), nil
		case stop.Met:
			return true, "", nil
		}
	}
	return false, "", nil
}
