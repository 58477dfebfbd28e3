package replay_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/recording"
	"mqscope/engine/replay"
	"mqscope/engine/replay/command"
	"mqscope/engine/replay/replaytest"
	"mqscope/engine/snapshot"
)

// stage has a Player that runs in a test bubble.
type stage struct {
	*replay.Player
	t *testing.T
}

// playing runs test with a Player of track in a bubble of virtual time.
func playing(t *testing.T, c replay.PlayerConfig, test func(*testing.T, stage)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := replay.NewPlayer(c)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- p.Run(ctx) }()
		defer func() {
			cancel()
			if err := <-done; err != nil {
				t.Errorf("Run: %v", err)
			}
		}()
		synctest.Wait()
		test(t, stage{p, t})
	})
}

// after carries commands out and returns what the picture says then.
func (s stage) after(cmds ...any) snapshot.Replay {
	s.t.Helper()
	for _, c := range cmds {
		s.Do(c)
	}
	synctest.Wait()
	return s.Snapshot().Replay
}

// later lets time pass.
func (s stage) later(d time.Duration) snapshot.Replay {
	time.Sleep(d)
	synctest.Wait()
	return s.Snapshot().Replay
}

func (s stage) at(r snapshot.Replay, event uint64) {
	s.t.Helper()
	if r.Event != event {
		s.t.Errorf("at event %d, want %d (note %q)", r.Event, event, r.Note)
	}
}

func minute() *replaytest.Track { return replaytest.Every(61, time.Second) }

func TestItBeginsWhereTheTrackStandsAndDoesNotMove(t *testing.T) {
	playing(t, replay.PlayerConfig{Track: minute(), File: "x.mqrec"}, func(t *testing.T, s stage) {
		r := s.later(time.Hour)
		s.at(r, 0)
		if !r.Known || r.File != "x.mqrec" || r.Total != 61 || r.Playing || r.Speed != 1 {
			t.Errorf("got %+v", r)
		}
		snap := s.Snapshot()
		if snap.Source.Kind != snapshot.Recorded || !snap.Mode.ReadOnly || snap.At != replaytest.Start() {
			t.Errorf("source %v, mode %+v, at %v", snap.Source.Kind, snap.Mode, snap.At)
		}
	})
}

func TestWhatTheRecordedProgramDidIsNotDoneHere(t *testing.T) {
	track := minute()
	track.Base = &snapshot.Snapshot{Mode: snapshot.Mode{Driving: true, Paused: true}, Sched: snapshot.Sched{Known: true, Stepping: true, Drives: "g"}, Recorder: snapshot.Recorder{On: true}}
	playing(t, replay.PlayerConfig{Track: track}, func(t *testing.T, s stage) {
		snap := s.Snapshot()
		if snap.Mode.Driving || !snap.Mode.Paused || snap.Sched.Stepping || snap.Sched.Drives != "" || !snap.Sched.Known || snap.Recorder.On {
			t.Errorf("mode %+v, sched %+v, recorder %+v", snap.Mode, snap.Sched, snap.Recorder)
		}
	})
}

func TestPlayingKeepsRecordedTime(t *testing.T) {
	for _, tt := range []struct {
		faster int
		speed  float64
		later  time.Duration
		want   uint64
	}{
		{0, 1, 10500 * time.Millisecond, 11},
		{-1, 0.5, 10500 * time.Millisecond, 6},
		{-3, 0.1, 10500 * time.Millisecond, 2},
		{-9, 0.1, 10500 * time.Millisecond, 2},
		{2, 4, 10500 * time.Millisecond, 43},
		{6, 64, 530 * time.Millisecond, 34},
		{7, 0, 0, 61},
		{70, 0, 0, 61},
	} {
		playing(t, replay.PlayerConfig{Track: minute()}, func(t *testing.T, s stage) {
			s.after(command.Speed{Delta: tt.faster}, command.Play{})
			r := s.later(tt.later)
			s.at(r, tt.want)
			if r.Speed != tt.speed {
				t.Errorf("speed %v, want %v", r.Speed, tt.speed)
			}
			if tt.speed > 0 {
				want := replaytest.Start().Add(time.Duration(float64(tt.later) * tt.speed))
				if lag := want.Sub(s.Snapshot().At); lag < 0 || lag > time.Duration(float64(100*time.Millisecond)*tt.speed) {
					t.Errorf("the clock says %v, want %v", s.Snapshot().At, want)
				}
			}
		})
	}
}

func TestTheSpeedMayChangeWhileItPlays(t *testing.T) {
	playing(t, replay.PlayerConfig{Track: minute()}, func(t *testing.T, s stage) {
		s.after(command.Play{})
		s.later(10500 * time.Millisecond)
		s.after(command.Speed{Delta: 1})
		s.at(s.later(5*time.Second), 21)
		s.after(command.Play{Stop: true})
		r := s.later(time.Hour)
		s.at(r, 21)
		if r.Playing {
			t.Error("it plays")
		}
	})
}

func TestASpeedToBeginWith(t *testing.T) {
	for given, want := range map[float64]float64{0: 1, 16: 16, math.Inf(1): 0} {
		playing(t, replay.PlayerConfig{Track: minute(), Speed: given}, func(t *testing.T, s stage) {
			if got := s.Snapshot().Replay.Speed; got != want {
				t.Errorf("speed %v, want %v", got, want)
			}
		})
	}
}

func TestSilenceIsNotSkippedAndTheClockGoesOn(t *testing.T) {
	track := replaytest.Every(2, time.Hour)
	playing(t, replay.PlayerConfig{Track: track}, func(t *testing.T, s stage) {
		s.after(command.Play{})
		s.at(s.later(30*time.Minute), 1)
		if got := s.Snapshot().At.Sub(replaytest.Start()); got < 30*time.Minute-time.Second || got > 30*time.Minute {
			t.Errorf("the clock is %v behind the beginning", got)
		}
		s.at(s.later(31*time.Minute), 2)
	})
}

func TestAClockThatWasSetBackGoesOnFromThere(t *testing.T) {
	track := replaytest.Every(6, time.Second)
	for i := range 3 {
		track.All[3+i].At = replaytest.Start().Add(time.Duration(i-3600) * time.Second)
	}
	playing(t, replay.PlayerConfig{Track: track}, func(t *testing.T, s stage) {
		s.after(command.Play{})
		s.at(s.later(2500*time.Millisecond), 4)
		s.at(s.later(time.Second), 5)
	})
}

func TestPicturesComeAtMostThirtyTimesASecondWhilePlaying(t *testing.T) {
	playing(t, replay.PlayerConfig{Track: replaytest.Every(100_000, time.Millisecond)}, func(t *testing.T, s stage) {
		s.after(command.Play{})
		before := s.Snapshot().Seq
		s.later(10 * time.Second)
		if n := s.Snapshot().Seq - before; n < 250 || n > 310 {
			t.Errorf("%d pictures in ten seconds", n)
		}
		s.after(command.Play{Stop: true})
		before = s.Snapshot().Seq
		s.later(time.Hour)
		if n := s.Snapshot().Seq - before; n != 0 {
			t.Errorf("%d pictures while nothing moved", n)
		}
	})
}

func TestStepping(t *testing.T) {
	track := minute()
	for i := range track.All {
		track.All[i].Event = uint64(3*i + 2) // most records are no events
	}
	playing(t, replay.PlayerConfig{Track: track}, func(t *testing.T, s stage) {
		for _, tt := range []struct {
			n    int
			want uint64
		}{{1, 2}, {1, 5}, {-1, 2}, {-1, 0}, {-1, 0}, {10, 29}, {-3, 20}, {2000, 182}, {1, 182}, {-5, 167}, {-2000, 0}} {
			s.at(s.after(command.Step{N: tt.n}), tt.want)
		}
		s.after(command.Play{})
		r := s.after(command.Step{N: 1})
		s.at(s.later(time.Hour), r.Event)
		if r.Playing {
			t.Error("a step does not stop it")
		}
	})
}

// TestStepsThatPileUpAreMadeAtOnce while one is made.
func TestStepsThatPileUpAreMadeAtOnce(t *testing.T) {
	track := minute()
	seeks := 0
	var made chan struct{}
	track.Before = func(method string) {
		if method == "Seek" {
			if seeks++; made != nil {
				<-made
			}
		}
	}
	playing(t, replay.PlayerConfig{Track: track}, func(t *testing.T, s stage) {
		s.after(command.SeekEvent{Event: 50})
		seeks, made = 0, make(chan struct{})
		s.Do(command.Step{N: -1})
		synctest.Wait()
		for range 19 {
			s.Do(command.Step{N: -1})
		}
		close(made)
		s.at(s.after(), 30)
		if seeks != 2 {
			t.Errorf("%d seeks", seeks)
		}
	})
}

func TestNearIsAroundThePosition(t *testing.T) {
	playing(t, replay.PlayerConfig{Track: minute()}, func(t *testing.T, s stage) {
		for _, at := range []uint64{0, 1, 30, 60, 61} {
			for _, r := range []snapshot.Replay{s.after(command.SeekEvent{Event: at}), s.after(command.Step{N: -1}, command.Step{N: 1})} {
				if at == 0 {
					continue
				}
				first, last := r.Near[0].Event, r.Near[len(r.Near)-1].Event
				if first != uint64(max(int(at)-11, 1)) || last != min(at+12, 61) || last-first+1 != uint64(len(r.Near)) {
					t.Errorf("near %d are %d to %d", at, first, last)
				}
			}
		}
		s.after(command.SeekEvent{Event: 0}, command.Play{})
		r := s.later(20500 * time.Millisecond)
		if last := r.Near[len(r.Near)-1].Event; r.Event != 21 || last != 33 {
			t.Errorf("at %d near ends at %d", r.Event, last)
		}
	})
}

func TestTheEndIsSaidAndPlayingBeginsAnew(t *testing.T) {
	playing(t, replay.PlayerConfig{Track: minute()}, func(t *testing.T, s stage) {
		s.after(command.SeekEvent{Event: 59}, command.Play{})
		r := s.later(time.Minute)
		s.at(r, 61)
		if r.Playing || r.Note != "the end of the recording" {
			t.Errorf("playing %v, note %q", r.Playing, r.Note)
		}
		s.after(command.Play{})
		s.at(s.later(3500*time.Millisecond), 4)
	})
}

func TestDamageIsPlayedUpTo(t *testing.T) {
	track := minute()
	track.Damage = &recording.Damage{Offset: 12345, Record: 62, Reason: "a block is cut", Cut: true}
	playing(t, replay.PlayerConfig{Track: track}, func(t *testing.T, s stage) {
		r := s.after(command.Speed{Delta: 100}, command.Play{})
		s.at(r, 61)
		if r.Playing || !strings.Contains(r.Note, "cut at byte 12345") || !strings.Contains(r.Damage, "byte 12345") {
			t.Errorf("playing %v, note %q, damage %q", r.Playing, r.Note, r.Damage)
		}
		s.at(s.after(command.Step{N: -1}), 60)
	})
}

func TestErrorsOfTheTrackAreSaidAndEndNothing(t *testing.T) {
	track := minute()
	playing(t, replay.PlayerConfig{Track: track}, func(t *testing.T, s stage) {
		s.after(command.SeekEvent{Event: 7})
		track.Fail = errors.New("the disk is on fire")
		noted := uint64(0)
		for _, c := range []any{
			command.Step{N: 1}, command.Step{N: -1}, command.Step{N: 5000}, command.SeekEvent{Event: 3}, command.SeekTime{At: replaytest.Start()},
			command.Seek{Text: "42%"}, command.Play{},
		} {
			s.after(c)
			r := s.later(2 * time.Second)
			s.at(r, 7)
			if !strings.Contains(r.Note, "the disk is on fire") || r.Playing || r.Noted <= noted {
				t.Errorf("%T: note %q, number %d, playing %v", c, r.Note, r.Noted, r.Playing)
			}
			noted = r.Noted
		}
		track.Fail = nil
		s.at(s.after(command.Step{N: 1}), 8)
	})
}

func TestWhatIsNoCommandOfAPlayerIsRefused(t *testing.T) {
	playing(t, replay.PlayerConfig{Track: minute()}, func(t *testing.T, s stage) {
		if r := s.after(struct{}{}); r.Note != "a recording can not be changed" {
			t.Errorf("note %q", r.Note)
		}
		if r := s.after(command.Step{N: 1}); r.Note != "" {
			t.Errorf("note %q stays", r.Note)
		}
	})
}

func TestQueuesAreWatched(t *testing.T) {
	track := minute()
	playing(t, replay.PlayerConfig{Track: track}, func(t *testing.T, s stage) {
		q := mq.MessageQueue{Topic: "orders", BrokerName: "a"}
		before := s.Snapshot().Seq
		s.after(replay.Watch{Queues: []mq.MessageQueue{q}})
		if len(track.Watched) != 1 || s.Snapshot().Seq == before {
			t.Errorf("watched %v, pictures %d", track.Watched, s.Snapshot().Seq-before)
		}
	})
}

func TestASlowTrackHoldsNobodyUp(t *testing.T) {
	track := minute()
	playing(t, replay.PlayerConfig{Track: track}, func(t *testing.T, s stage) {
		track.Before = func(string) { time.Sleep(100 * time.Millisecond) }
		begun := time.Now()
		for range 50 {
			s.Do(command.Step{N: 1})
			_ = s.Snapshot()
		}
		if d := time.Since(begun); d != 0 {
			t.Errorf("commands took %v", d)
		}
		s.at(s.later(20*time.Second), 50)
		s.after(command.Play{})
		s.later(3 * time.Second)
		if r := s.after(command.Play{Stop: true}); r.Event < 51 {
			t.Errorf("at %d", r.Event)
		}
	})
}

func TestTheTrackIsClosedAtTheEnd(t *testing.T) {
	track := minute()
	playing(t, replay.PlayerConfig{Track: track}, func(*testing.T, stage) {})
	if !track.Closed {
		t.Error("the track is open")
	}
}

// TestATrackThatIsNotFastEnoughPlaysAsFastAsItCan has a track that takes a millisecond an event and
// should make four in that time.
func TestATrackThatIsNotFastEnoughPlaysAsFastAsItCan(t *testing.T) {
	track := replaytest.Every(100_000, time.Millisecond)
	track.Before = func(method string) {
		if method == "Next" {
			time.Sleep(time.Millisecond)
		}
	}
	playing(t, replay.PlayerConfig{Track: track, Speed: 4}, func(t *testing.T, s stage) {
		s.after(command.Play{})
		r := s.later(2 * time.Second)
		if r.Event < 1900 || r.Event > 2000 {
			t.Errorf("%d events in two seconds", r.Event)
		}
		if at := s.Snapshot().At; at.Before(track.All[r.Event-1].At) || at.After(track.All[r.Event].At) {
			t.Errorf("the clock says %v at event %d", at, r.Event)
		}
		s.Do(command.Play{Stop: true})
		if r := s.later(100 * time.Millisecond); r.Playing || s.later(time.Second).Event != r.Event {
			t.Errorf("it plays on")
		}
	})
}
