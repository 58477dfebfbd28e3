package replay_test

import (
	"strings"
	"testing"
	"time"

	"mqscope/engine/replay"
	"mqscope/engine/replay/command"
	"mqscope/engine/replay/replaytest"
	"mqscope/engine/snapshot"
)

func TestPointsOfInterestAreFoundInTheBackground(t *testing.T) {
	track := minute().Interest(snapshot.InterestFlow, 10, 20, 40)
	playing(t, replay.PlayerConfig{Track: track}, func(t *testing.T, s stage) {
		r := s.after()
		if len(r.Interests) != 3 || r.Interests[2] != (snapshot.Interest{Kind: snapshot.InterestFlow, Event: 40, At: track.All[39].At}) || r.Searched != 61 {
			t.Errorf("found %v of %d", r.Interests, r.Searched)
		}
		s.at(r, 0)
	})
}

func TestWalkingThroughPointsOfInterestAndBookmarks(t *testing.T) {
	track := minute().Interest(snapshot.InterestFlow, 10, 20, 40)
	playing(t, replay.PlayerConfig{Track: track}, func(t *testing.T, s stage) {
		s.after(command.SeekEvent{Event: 30}, command.Mark{}, command.SeekEvent{Event: 50}, command.Mark{}, command.SeekEvent{Event: 0})
		next, back := command.Interest{}, command.Interest{Back: true}
		for _, want := range []uint64{10, 20, 30, 40, 50} {
			s.at(s.after(next), want)
		}
		r := s.after(next)
		s.at(r, 50)
		if !strings.Contains(r.Note, "no bookmark behind this") {
			t.Errorf("note %q", r.Note)
		}
		for _, want := range []uint64{40, 30, 20, 10} {
			s.at(s.after(back), want)
		}
		r = s.after(back)
		s.at(r, 10)
		if !strings.Contains(r.Note, "no bookmark before this") {
			t.Errorf("note %q", r.Note)
		}
	})
}

func TestABookmarkAtTheBeginningIsGoneBackTo(t *testing.T) {
	playing(t, replay.PlayerConfig{Track: minute()}, func(t *testing.T, s stage) {
		s.after(command.Mark{}, command.SeekEvent{Event: 5})
		s.at(s.after(command.Interest{Back: true}), 0)
	})
}

// halfway stands where the first record of the next event has been read: a time may be between them.
type halfway struct{ *replaytest.Track }

func (h halfway) Event() uint64 {
	if n := h.Track.Event(); n > 0 {
		return n + 1
	}
	return 0
}

func TestABookmarkIsAtTheEventThatHappened(t *testing.T) {
	track := halfway{minute()}
	for i := range track.All {
		track.All[i].Event *= 2
	}
	playing(t, replay.PlayerConfig{Track: track}, func(t *testing.T, s stage) {
		r := s.after(command.SeekEvent{Event: 20}, command.Mark{})
		if len(r.Bookmarks) != 1 || r.Bookmarks[0].Event != 20 || !r.Bookmarks[0].At.Equal(track.At()) {
			t.Errorf("it stands at %d: bookmarks %+v", r.Event, r.Bookmarks)
		}
	})
}

// TestAPointThatIsNotFoundYetIsGoneToOnceItIs asks for one while the search has only begun.
func TestAPointThatIsNotFoundYetIsGoneToOnceItIs(t *testing.T) {
	for _, back := range []bool{false, true} {
		track := replaytest.Every(100_000, time.Millisecond).Interest(snapshot.InterestError, 30_000, 60_000, 90_000)
		track.Before = func(method string) {
			if method == "Moments" {
				time.Sleep(time.Millisecond)
			}
		}
		playing(t, replay.PlayerConfig{Track: track}, func(t *testing.T, s stage) {
			s.Do(command.SeekEvent{Event: 70_000})
			s.Do(command.Interest{Back: back})
			want := uint64(90_000)
			if back {
				want = 60_000
			}
			s.at(s.later(time.Minute), want)
		})
	}
}

// TestPointsThatFollowEachOtherCloselyAreOne has four queues assigned at once, an error among them,
// and another assignment a second later: found by the search, and before it comes there.
func TestPointsThatFollowEachOtherCloselyAreOne(t *testing.T) {
	for _, slow := range []bool{false, true} {
		track := replaytest.Every(100_000, 10*time.Millisecond).
			Interest(snapshot.InterestRebalance, 90_000, 90_001, 90_003, 90_010, 90_110).Interest(snapshot.InterestError, 90_002)
		if slow {
			track.Before = func(method string) {
				if method == "Moments" {
					time.Sleep(time.Millisecond)
				}
			}
		}
		playing(t, replay.PlayerConfig{Track: track}, func(t *testing.T, s stage) {
			s.Do(command.SeekEvent{Event: 89_990})
			for _, want := range []uint64{90_000, 90_002, 90_110} {
				s.Do(command.Interest{})
				s.at(s.later(4*time.Millisecond), want)
			}
			if found := len(s.after().Interests) > 0; found == slow {
				t.Errorf("slow %v, but found %v", slow, found)
			}
			s.after(command.SeekEvent{Event: 90_001}, command.Interest{})
			s.at(s.later(4*time.Millisecond), 90_002)
			s.Do(command.SeekEvent{Event: 90_110})
			for _, want := range []uint64{90_002, 90_000} {
				s.Do(command.Interest{Back: true})
				s.at(s.later(100*time.Millisecond), want)
			}
			if n := len(s.later(time.Second).Interests); n != 3 {
				t.Errorf("%d points are kept", n)
			}
		})
	}
}

func TestAnotherCommandEndsTheHunt(t *testing.T) {
	track := replaytest.Every(100_000, time.Millisecond).Interest(snapshot.InterestError, 90_000)
	track.Before = func(string) { time.Sleep(time.Millisecond) }
	playing(t, replay.PlayerConfig{Track: track}, func(t *testing.T, s stage) {
		s.Do(command.Interest{})
		time.Sleep(3 * time.Millisecond)
		s.Do(command.Play{Stop: true})
		s.at(s.later(time.Minute), 0)
	})
}

func TestTooManyPointsOfInterestAreNotAllKeptButAllFound(t *testing.T) {
	track := replaytest.Every(60_000, time.Second)
	for i := range track.All {
		if i%2 == 1 && i < 30_000 || i == 50_000 {
			track.All[i].Interest = snapshot.InterestFlow
		}
	}
	playing(t, replay.PlayerConfig{Track: track}, func(t *testing.T, s stage) {
		r := s.after()
		if len(r.Interests) != 10_000 || r.Searched != 60_000 || !strings.Contains(r.Note, "10,000") {
			t.Errorf("%d kept, %d searched, note %q", len(r.Interests), r.Searched, r.Note)
		}
		s.at(s.after(command.SeekEvent{Event: 25_000}, command.Interest{}), 25_002)
		s.at(s.after(command.SeekEvent{Event: 35_000}, command.Interest{}), 50_001)
		s.at(s.after(command.Interest{Back: true}), 30_000)
		s.at(s.after(command.SeekEvent{Event: 15_001}, command.Interest{Back: true}), 15_000)
		if r := s.after(command.SeekEvent{Event: 50_001}, command.Interest{}); !strings.Contains(r.Note, "behind this") {
			t.Errorf("note %q", r.Note)
		}
	})
}

func TestGoingBackTwiceWhilePlayingLeadsFurtherBack(t *testing.T) {
	track := minute().Interest(snapshot.InterestFlow, 10, 20, 40)
	playing(t, replay.PlayerConfig{Track: track, Speed: 4}, func(t *testing.T, s stage) {
		s.after(command.SeekEvent{Event: 41}, command.Play{})
		s.at(s.after(command.Interest{Back: true}), 40)
		s.at(s.later(600*time.Millisecond), 42)
		r := s.after(command.Interest{Back: true})
		s.at(r, 20)
		if !r.Playing {
			t.Error("it does not play on")
		}
		s.later(1500 * time.Millisecond)
		s.at(s.after(command.Interest{Back: true}), 20)
	})
}
