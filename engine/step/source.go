package step

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"mqscope/engine/clock"
	"mqscope/engine/snapshot"
	"mqscope/engine/step/command"
)

const (
	// slice is how many decisions a run makes before it looks for commands.
	slice = 1000
	// frame is the least time between two pictures of a run.
	frame = 33 * time.Millisecond
)

// SourceConfig is what a Source steps.
type SourceConfig struct {
	Make Maker
	// Clock is that of the person, for the pace of a run. Default clock.System.
	Clock clock.Clock
	// Pace is the time between the decisions of a run at first, 0 is as fast as it goes.
	Pace time.Duration
	// Breakpoints are set at the beginning.
	Breakpoints []*Breakpoint
}

// Source steps a world on a goroutine of its own and publishes pictures of it. Its methods may be
// called from any goroutine, Run once.
type Source struct {
	config  SourceConfig
	stepper *Stepper
	updates chan struct{}
	wake    chan struct{}
	newest  atomic.Pointer[snapshot.Snapshot]

	mu       sync.Mutex
	commands []any // not carried out yet

	// Of the goroutine of Run.
	pace  time.Duration
	seq   uint64
	shown time.Time // when the last picture was published
}

// NewSource makes the world; Run moves it.
func NewSource(c SourceConfig) (*Source, error) {
	if c.Clock == nil {
		c.Clock = clock.System{}
	}
	stepper, err := New(c.Make)
	if err != nil {
		return nil, err
	}
	stepper.SetBreakpoints(c.Breakpoints)
	s := &Source{config: c, stepper: stepper, updates: make(chan struct{}, 1), wake: make(chan struct{}, 1), pace: c.Pace}
	s.publish(false)
	return s, nil
}

// Snapshot is the newest picture.
func (s *Source) Snapshot() *snapshot.Snapshot { return s.newest.Load() }

// Updates has room for one signal: a newer snapshot is there.
func (s *Source) Updates() <-chan struct{} { return s.updates }

// Do has a command of package command, a Change or one for the world carried out, in the order
// in which they come. What is wrong with it a snapshot shows as why the run stopped.
func (s *Source) Do(cmd any) {
	s.mu.Lock()
	s.commands = append(s.commands, cmd)
	s.mu.Unlock()
	signal(s.wake)
}

// Run carries commands out until ctx ends.
func (s *Source) Run(ctx context.Context) error {
	defer s.end()
	var due time.Time // when the next decision of a paced run may be made
	for ctx.Err() == nil {
		if s.carryOut() {
			s.publish(false)
			due = time.Time{}
		}
		if !s.stepper.Moving() {
			if more, err := s.stepper.Tend(slice); err != nil {
				s.refuse(err)
				s.publish(false)
			} else if more {
				continue
			}
			select {
			case <-s.wake:
			case <-ctx.Done():
			}
			continue
		}
		if wait := due.Sub(s.config.Clock.Now()); s.pace > 0 && wait > 0 {
			s.sleep(ctx, wait)
			continue
		}
		due = s.config.Clock.Now().Add(s.pace)
		s.advance()
	}
	return nil
}

// advance goes on by a slice of a run, one decision when it has a pace.
func (s *Source) advance() {
	most := uint64(slice)
	if s.pace > 0 {
		most = 1
	}
	_, done, _ := s.stepper.Advance(most) // an error is shown as why it stopped
	if !done && s.pace == 0 {
		// So that going back is quick right after the run too.
		if _, err := s.stepper.Tend(slice / 2); err != nil {
			s.stepper.Halt()
			s.refuse(err)
			done = true
		}
	}
	if done || s.pace > 0 || s.config.Clock.Now().Sub(s.shown) >= frame {
		s.publish(false)
	}
}

// sleep waits for a time, the end or a command.
func (s *Source) sleep(ctx context.Context, d time.Duration) {
	t := s.config.Clock.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C():
	case <-s.wake:
	case <-ctx.Done():
	}
}

// carryOut takes the commands that have come and tells whether there were any.
func (s *Source) carryOut() bool {
	s.mu.Lock()
	list := s.commands
	s.commands = nil
	s.mu.Unlock()
	for _, cmd := range list {
		switch cmd := cmd.(type) {
		case command.Pace:
			s.pace = paced(s.pace, cmd.Delta)
		case command.One: // made at once: others may stand behind it
			_, _ = s.stepper.One() // an error is shown as why it stopped
		default:
			if err := s.stepper.begin(cmd); err != nil {
				s.refuse(err)
			}
		}
	}
	return len(list) > 0
}

// refuse shows why a command was not carried out.
func (s *Source) refuse(err error) {
	s.stepper.hit = snapshot.SchedHit{Step: s.stepper.Steps(), Why: err.Error()}
}

// paces are the times between decisions, from the longest to none.
func paces() []time.Duration {
	return []time.Duration{
		5 * time.Second, 2 * time.Second, time.Second, 500 * time.Millisecond, 200 * time.Millisecond,
		100 * time.Millisecond, 50 * time.Millisecond, 20 * time.Millisecond, 10 * time.Millisecond, 0,
	}
}

// paced is a pace that is so many notches shorter, or longer where delta is negative.
func paced(now time.Duration, delta int) time.Duration {
	list := paces()
	at := 0
	for at < len(list)-1 && list[at] > now {
		at++
	}
	return list[min(max(at+delta, 0), len(list)-1)]
}

func (s *Source) publish(ended bool) {
	picture := s.stepper.Snapshot()
	s.seq++
	s.shown = s.config.Clock.Now()
	picture.Seq, picture.Wall, picture.Sched.Pace = s.seq, s.shown, s.pace
	if ended {
		picture.Source.State = snapshot.Ended
	}
	s.newest.Store(picture)
	signal(s.updates)
}

func (s *Source) end() {
	s.stepper.Halt()
	s.publish(true)
	s.stepper.Close()
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
