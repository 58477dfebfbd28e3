package replay_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"mqscope/engine/replay"
	"mqscope/engine/replay/command"
	"mqscope/engine/replay/replaytest"
	"mqscope/engine/snapshot"
)

// decider is a track each of whose events has three decisions, with breakpoints on some events.
type decider struct {
	*replaytest.Track
	at     int // decisions of the last event that are shown
	breaks map[uint64]string
	asked  []any
	looked func() // at each step of a scout
}

// lookout looks at one event at a time.
type lookout struct {
	d      *decider
	at, to uint64
	step   uint64
}

func (d *decider) Scout(from, to uint64, back bool) (replay.Scout, error) {
	if len(d.breaks) == 0 {
		return nil, nil
	}
	l := &lookout{d, from, min(to, 62), 1}
	if back {
		l.step--
		l.step--
	}
	return l, nil
}

func (l *lookout) Reached() uint64 { return l.at }

func (l *lookout) Look() (replay.Hit, bool) {
	if l.d.looked != nil {
		l.d.looked()
	}
	if l.at += l.step; l.at == l.to || l.at == 0 {
		return replay.Hit{}, true
	}
	if why := l.d.breaks[l.at]; why != "" {
		return replay.Hit{Event: l.at, Why: why}, true
	}
	return replay.Hit{}, false
}

func (d *decider) Next() (snapshot.Moment, error) {
	d.at = 3
	return d.Track.Next()
}

func (d *decider) Seek(n uint64) error {
	d.at = 3
	return d.Track.Seek(n)
}

func (d *decider) Decision(back bool) bool {
	switch {
	case back && d.at > 1:
		d.at--
	case !back && d.at < 3:
		d.at++
	default:
		return false
	}
	return true
}

func (d *decider) FirstDecision() { d.at = 1 }

func (d *decider) Hit() string { return d.breaks[d.Event()] }

func (d *decider) Break(cmd any) error {
	d.asked = append(d.asked, cmd)
	if _, wrong := cmd.(string); wrong {
		return errors.New("no such place")
	}
	return nil
}

func TestPlayingStopsAtABreakpoint(t *testing.T) {
	for _, speed := range []int{0, 2, 100} {
		track := &decider{Track: minute(), breaks: map[uint64]string{20: "breakpoint flow.span", 40: "breakpoint flow.span"}}
		playing(t, replay.PlayerConfig{Track: track}, func(t *testing.T, s stage) {
			s.after(command.Speed{Delta: speed}, command.Play{})
			for _, want := range []uint64{20, 40} {
				r := s.later(2 * time.Minute)
				s.at(r, want)
				if r.Playing || r.Note != "breakpoint flow.span" || !s.Snapshot().At.Equal(track.All[want-1].At) {
					t.Errorf("playing %v, note %q, at %v", r.Playing, r.Note, s.Snapshot().At)
				}
				s.after(command.Play{})
			}
			r := s.later(2 * time.Minute)
			s.at(r, 61)
			hits := slices.DeleteFunc(slices.Clone(r.Interests), func(i snapshot.Interest) bool { return i.Kind != snapshot.InterestBreakpoint })
			if len(hits) != 2 || hits[0].Event != 20 || hits[1].Event != 40 {
				t.Errorf("points of interest at breakpoints: %+v", hits)
			}
			s.at(s.after(command.SeekEvent{Event: 39}, command.Interest{}), 40)
			s.at(s.after(command.SeekEvent{Event: 21}, command.Interest{Back: true}), 20)
		})
	}
}

func TestAStepPassesABreakpoint(t *testing.T) {
	track := &decider{Track: minute(), breaks: map[uint64]string{2: "breakpoint"}}
	playing(t, replay.PlayerConfig{Track: track}, func(t *testing.T, s stage) {
		s.at(s.after(command.Step{N: 5}), 5)
	})
}

func TestSteppingByDecisions(t *testing.T) {
	track := &decider{Track: minute()}
	playing(t, replay.PlayerConfig{Track: track}, func(t *testing.T, s stage) {
		s.after(command.SeekEvent{Event: 10})
		for _, tt := range []struct {
			back  bool
			event uint64
			at    int
		}{
			{false, 11, 1}, {false, 11, 2}, {false, 11, 3}, {false, 12, 1}, {true, 11, 3}, {true, 11, 2}, {true, 11, 1}, {true, 10, 3},
		} {
			s.at(s.after(command.Decision{Back: tt.back}), tt.event)
			if track.at != tt.at {
				t.Errorf("back %v: %d decisions of event %d are shown, want %d", tt.back, track.at, tt.event, tt.at)
			}
		}
	})
	playing(t, replay.PlayerConfig{Track: track}, func(t *testing.T, s stage) {
		if s.after(command.SeekEvent{Event: 61}, command.Decision{}); track.at != 3 {
			t.Errorf("at the end %d decisions are shown", track.at)
		}
	})
	playing(t, replay.PlayerConfig{Track: minute()}, func(t *testing.T, s stage) { // one that knows none
		s.at(s.after(command.Decision{}, command.Decision{}, command.Decision{Back: true}), 1)
	})
}

func TestCommandsAboutBreakpointsGoToTheTrack(t *testing.T) {
	track := &decider{Track: minute()}
	playing(t, replay.PlayerConfig{Track: track}, func(t *testing.T, s stage) {
		before := s.Snapshot().Seq
		if r := s.after(7); r.Note != "" || s.Snapshot().Seq == before {
			t.Errorf("note %q, no new picture", r.Note)
		}
		if r := s.after("x"); r.Note != "no such place" || len(track.asked) != 2 {
			t.Errorf("note %q, asked %v", r.Note, track.asked)
		}
	})
}

func TestPointsOfInterestAreBreakpointsThatWereNotReachedYet(t *testing.T) {
	track := &decider{Track: minute().Interest(snapshot.InterestFlow, 30), breaks: map[uint64]string{20: "breakpoint flow.span", 40: "breakpoint flow.span"}}
	playing(t, replay.PlayerConfig{Track: track}, func(t *testing.T, s stage) {
		for _, tt := range []struct {
			back bool
			want uint64
			note string
		}{
			{false, 20, "breakpoint flow.span"},
			{false, 30, ""},
			{false, 40, "breakpoint flow.span"},
			{false, 40, "no point of interest and no bookmark behind this"},
			{true, 30, ""},
			{true, 20, ""}, // known since
			{true, 20, "no point of interest and no bookmark before this"},
		} {
			r := s.after(command.Interest{Back: tt.back})
			s.at(r, tt.want)
			if r.Note != tt.note || r.Sought != 0 {
				t.Errorf("at %d: note %q, want %q; looks at %d", tt.want, r.Note, tt.note, r.Sought)
			}
		}
	})
}

func TestAnotherKeyEndsTheSearchForBreakpoints(t *testing.T) {
	track := &decider{Track: minute(), breaks: map[uint64]string{60: "breakpoint flow.span"}}
	playing(t, replay.PlayerConfig{Track: track}, func(t *testing.T, s stage) {
		looks, shown := 0, uint64(0)
		track.looked = func() {
			if looks++; looks == 10 {
				s.Do(command.Step{N: 1})
			}
			shown = max(shown, s.Snapshot().Replay.Sought)
		}
		s.at(s.after(command.Interest{}), 1)
		if looks != 10 || shown == 0 {
			t.Errorf("looked %d times, showed %d", looks, shown)
		}
	})
}

// What passes while it looks is no time that is played.
func TestPlayingGoesOnWhereItWasAfterASearch(t *testing.T) {
	track := &decider{Track: minute(), breaks: map[uint64]string{1000: "breakpoint flow.span"}}
	playing(t, replay.PlayerConfig{Track: track}, func(t *testing.T, s stage) {
		track.looked = func() { time.Sleep(time.Second) }
		s.after(command.Play{})
		s.Do(command.Interest{})
		s.at(s.later(62*time.Second), 2)
	})
}
