package step_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine/snapshot"
	"mqscope/engine/step"
	"mqscope/engine/step/command"
	"mqscope/engine/step/steptest"
)

// sourced runs a source in a bubble while test does something with it.
func sourced(t *testing.T, c step.SourceConfig, test func(t *testing.T, s *step.Source)) {
	synctest.Test(t, func(t *testing.T) {
		s, err := step.NewSource(c)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- s.Run(ctx) }()
		test(t, s)
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if s.Snapshot().Source.State != snapshot.Ended {
			t.Error("the last picture does not say that it ended")
		}
	})
}

// after waits until nothing moves any more and returns the schedule then shown.
func after(s *step.Source) snapshot.Sched {
	synctest.Wait()
	return s.Snapshot().Sched
}

func TestASourceCarriesCommandsOutInOrder(t *testing.T) {
	opened := 0
	c := step.SourceConfig{Make: steptest.Maker(steptest.Options{Seed: 1, Opened: &opened}), Breakpoints: []*step.Breakpoint{breakpoint(t, "pull.send")}}
	sourced(t, c, func(t *testing.T, s *step.Source) {
		if shown := s.Snapshot(); shown.Seq != 1 || !shown.Sched.Stepping || len(shown.Sched.Breakpoints) != 1 {
			t.Fatalf("first picture %+v", shown)
		}
		for range 3 {
			s.Do(command.One{})
		}
		if shown := after(s); shown.Steps != 3 { // none is lost, though they came at once
			t.Fatalf("at step %d after three steps", shown.Steps)
		}
		s.Do(command.Back{N: 1})
		s.Do(command.Goto{Step: 9})
		s.Do(command.Back{N: 2})
		if shown := after(s); shown.Steps != 7 || shown.Newest != 9 || shown.Running {
			t.Fatalf("at step %d of %d", shown.Steps, shown.Newest)
		}
		s.Do(command.Run{})
		shown := after(s)
		if n := len(shown.History); shown.History[n-1].Decision.Line.ID != "pull.send" || shown.Hit.Why != "break pull.send" || shown.Running {
			t.Fatalf("stopped with %+v", shown.Hit)
		}
		select {
		case <-s.Updates():
		default:
			t.Error("no signal of a newer picture")
		}
		seq := s.Snapshot().Seq
		s.Do(command.SetBreakpoint{Text: "flow.spam"})
		if shown := after(s); shown.Hit.Why == "" || shown.Hit.Bad || s.Snapshot().Seq <= seq {
			t.Fatalf("a mistake is shown as %+v", shown.Hit)
		}
	})
	if opened != 0 {
		t.Errorf("%d worlds were not closed", opened)
	}
}

func TestARunHasItsPaceAndCanBePaused(t *testing.T) {
	c := step.SourceConfig{Make: steptest.Maker(steptest.Options{Seed: 1}), Pace: time.Second}
	sourced(t, c, func(t *testing.T, s *step.Source) {
		s.Do(command.Run{})
		if shown := after(s); shown.Steps != 1 || !shown.Running || shown.Pace != time.Second {
			t.Fatalf("step %d, running %v, pace %v", shown.Steps, shown.Running, shown.Pace)
		}
		time.Sleep(4500 * time.Millisecond)
		if shown := after(s); shown.Steps != 5 {
			t.Fatalf("step %d after 4.5s", shown.Steps)
		}
		s.Do(command.Pace{Delta: 1})
		if shown := after(s); shown.Pace != 500*time.Millisecond {
			t.Fatalf("pace %v", shown.Pace)
		}
		s.Do(command.Pause{})
		at := after(s)
		time.Sleep(time.Minute)
		if shown := after(s); shown.Steps != at.Steps || shown.Running {
			t.Fatalf("went on from step %d to %d", at.Steps, shown.Steps)
		}
		s.Do(command.Pace{Delta: -100})
		if shown := after(s); shown.Pace != 5*time.Second {
			t.Fatalf("longest pace %v", shown.Pace)
		}
		s.Do(command.Pace{Delta: 100})
		if shown := after(s); shown.Pace != 0 {
			t.Fatalf("shortest pace %v", shown.Pace)
		}
	})
}

func TestAFastRunCanBePaused(t *testing.T) {
	s, err := step.NewSource(step.SourceConfig{Make: steptest.Maker(steptest.Options{})})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	until := func(is func(s *snapshot.Sched) bool) *snapshot.Sched {
		for {
			<-s.Updates()
			if shown := &s.Snapshot().Sched; is(shown) {
				return shown
			}
		}
	}
	s.Do(command.Run{}) // there is no end to it
	until(func(s *snapshot.Sched) bool { return s.Running && s.Steps > 1000 })
	s.Do(command.Pause{})
	shown := until(func(s *snapshot.Sched) bool { return !s.Running })
	s.Do(command.Back{N: 10})
	if back := until(func(s *snapshot.Sched) bool { return s.Steps != shown.Steps }); back.Steps != shown.Steps-10 {
		t.Errorf("paused at %d, then at %d", shown.Steps, back.Steps)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestASourceShowsThatItsWorldIsNotDeterministic(t *testing.T) {
	c := step.SourceConfig{Make: steptest.Maker(steptest.Options{Stray: 10})}
	sourced(t, c, func(t *testing.T, s *step.Source) {
		s.Do(command.Goto{Step: 3000})
		s.Do(command.Back{N: 1})
		if shown := after(s); shown.Hit.Why == "" {
			t.Errorf("shown is %+v", shown.Hit)
		}
	})
}

func TestAWorldThatCanNotBeMadeIsAnError(t *testing.T) {
	want := errors.New("no room")
	if _, err := step.NewSource(step.SourceConfig{Make: func() (step.World, error) { return nil, want }}); !errors.Is(err, want) {
		t.Error(err)
	}
}
