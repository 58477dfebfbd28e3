package replay_test

import (
	"testing"

	"mqscope/engine/event"
	"mqscope/engine/replay"
	"mqscope/engine/replay/command"
	"mqscope/engine/replay/replaytest"
	"mqscope/engine/snapshot"
)

// short is a track whose event stream lacks lines behind each jump.
type short struct {
	*replaytest.Track
	missing int
	asked   func()
}

func (s *short) Seek(n uint64) error {
	s.missing = 300
	return s.Track.Seek(n)
}

func (s *short) Lacks() bool { return s.missing > 0 }

func (s *short) Fill() {
	s.missing--
	if s.asked != nil {
		s.asked()
	}
}

func (s *short) Picture() *snapshot.Snapshot {
	p := s.Track.Picture()
	p.Events = snapshot.Events{Entries: make([]event.Entry, 500-s.missing), Dropped: uint64(s.missing)}
	return p
}

func TestWhatTheEventStreamLacksBehindAJumpComesByItself(t *testing.T) {
	track := &short{Track: minute()}
	playing(t, replay.PlayerConfig{Track: track}, func(t *testing.T, s stage) {
		s.at(s.after(command.SeekEvent{Event: 30}), 30)
		if e := s.Snapshot().Events; len(e.Entries) != 500 || e.Dropped != 0 {
			t.Errorf("%d lines, %d missing", len(e.Entries), e.Dropped)
		}
		track.asked = func() {
			if track.missing == 200 {
				track.asked = nil
				s.Do(command.SeekEvent{Event: 10}) // who asks for something else gets it first
			}
		}
		s.at(s.after(command.SeekEvent{Event: 31}), 10)
	})
}

func TestWhatTheEventStreamLacksIsThereAtOnceForWhoPrintsIt(t *testing.T) {
	track := &short{Track: minute()}
	p := replay.NewPlayer(replay.PlayerConfig{Track: track})
	if err := p.Begin("#30"); err != nil {
		t.Fatal(err)
	}
	if e := p.Snapshot().Events; e.Dropped == 0 {
		t.Fatal("nothing was missing")
	}
	p.FillUp()
	if s := p.Snapshot(); s.Events.Dropped != 0 || s.Replay.Event != 30 {
		t.Errorf("at event %d, %d missing", s.Replay.Event, s.Events.Dropped)
	}
}
