package tracks_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/recording"
	"mqscope/engine/replay"
	"mqscope/engine/replay/replaytest"
	"mqscope/engine/replay/tracks"
	"mqscope/engine/snapshot"
	"mqscope/engine/step"
)

// reel moves along a recording of one kind.
func reel(t *testing.T, kind string) (*step.Reel, replay.Track) {
	t.Helper()
	track, err := tracks.Open(recordings(t)[kind], replay.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { track.Close() })
	var r *step.Reel
	r = step.NewReel(step.ReelConfig{
		Recording: track, First: track.Info().Header.First, Start: track.Info().From, Halt: t.Context().Err,
		Place: func(text string) (uint64, error) { return replay.PlaceFrom(track, nil, r.Now(), text) },
	})
	return r, track
}

// did is a decision and where.
type did struct {
	event uint64
	line  *decision.Line
	at    time.Time
	words string
}

func watched(r *step.Reel) *[]did {
	var list []did
	r.Watch(func(l snapshot.TraceLine) {
		list = append(list, did{l.Step, l.Decision.Line, l.Decision.At, decision.Words(&l.Decision)})
	})
	return &list
}

func must(t *testing.T, stop step.Stop, err error) step.Stop {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return stop
}

func TestAReelComesPastEachDecisionBothWays(t *testing.T) {
	r, _ := reel(t, "of our own")
	all := watched(r)
	stop, err := r.Run()
	if must(t, stop, err); stop.Why != "the end of the recording" || stop.Reason != step.Idle {
		t.Errorf("%+v", stop)
	}
	sends := 0
	for _, d := range *all {
		if d.line == decision.PullSend {
			sends++
		}
	}
	if len(*all) < 1000 || sends < 10 {
		t.Fatalf("%d decisions, %d pulls", len(*all), sends)
	}
	// Back it goes by the same ones, behind the last of which the recording went on, and from the
	// middle on again.
	for back := 1; back <= 60; back++ {
		if err := r.Back(1); err != nil {
			t.Fatal(err)
		}
		want := (*all)[len(*all)-back]
		last, ok := r.Last(nil)
		if got := (did{last.Step, last.Decision.Line, last.Decision.At, decision.Words(&last.Decision)}); !ok || got != want {
			t.Fatalf("%d back: %+v, want %+v", back, got, want)
		}
	}
	again := watched(r)
	for range 59 {
		stop, err := r.One()
		must(t, stop, err)
	}
	for i, d := range (*all)[len(*all)-59:] {
		if (*again)[i] != d {
			t.Fatalf("again %d: %+v, want %+v", i, (*again)[i], d)
		}
	}
	if err := r.Seek("#30"); err != nil {
		t.Fatal(err)
	}
	if err := r.Back(1 << 40); err != nil {
		t.Fatal(err)
	}
	if _, ok := r.Last(nil); ok || r.Event() > 3 {
		t.Errorf("the beginning is event %d", r.Event())
	}
}

func TestAReelStopsWhereItIsAsked(t *testing.T) {
	r, _ := reel(t, "of our own")
	place := func(text string) *step.Place {
		p, err := step.ParsePlace(text)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	stop, err := r.Until(place("flow.count if yes"), 10_000)
	if must(t, stop, err); !stop.Met || !r.At(place("flow.count")) {
		t.Errorf("%+v", stop)
	}
	if stop, err = r.Until(place("pull.send if offset > 1000000"), 7); must(t, stop, err).Met || !strings.Contains(stop.Why, "was not reached") {
		t.Errorf("%+v", stop)
	}
	from := r.Now()
	if stop, err = r.RunFor(2 * time.Second); must(t, stop, err).Met && r.Now().Sub(from) < 2*time.Second || !stop.Met {
		t.Errorf("%+v, %v later", stop, r.Now().Sub(from))
	}
	if err := r.Seek("#40"); err != nil || r.Event() < 40 || r.Event() > 50 {
		t.Errorf("%v, event %d", err, r.Event())
	}
	all := watched(r)
	b, err := step.ParseBreakpoint("pull.send after 2")
	if err != nil {
		t.Fatal(err)
	}
	r.Break(b)
	stop, err = r.Run()
	sends := 0
	for _, d := range *all {
		if d.line == decision.PullSend {
			sends++
		}
	}
	if must(t, stop, err); !stop.Break || sends != 3 {
		t.Errorf("%+v after %d pulls", stop, sends)
	}
	if err := r.Seek("+1s"); err != nil || r.Now().Sub((*all)[len(*all)-1].at) > time.Second {
		t.Errorf("%v, at %v", err, r.Now())
	}
	if err := r.Seek("#9999999"); err == nil || !strings.Contains(err.Error(), "the last is #") {
		t.Errorf("%v", err)
	}
}

func TestATurnEndsWhereAnotherBegins(t *testing.T) {
	r, _ := reel(t, "of our own")
	all := watched(r)
	for range 20 {
		stop, err := r.Task()
		if must(t, stop, err); !stop.Met {
			t.Fatalf("%+v", stop)
		}
		if last := (*all)[len(*all)-1]; last.line.Group != decision.Pull {
			t.Fatalf("a turn begins with %s", last.words)
		}
	}
}

func TestAReelGoesByEventsWhereNoDecisionIsKnown(t *testing.T) {
	r, track := reel(t, "imported")
	if r.Decides() {
		t.Fatal("it knows decisions of what was seen on the wire")
	}
	var events []uint64
	r.WatchEvents(func(m snapshot.Moment) { events = append(events, m.Event) })
	for range 5 {
		stop, err := r.One()
		must(t, stop, err)
	}
	if err := r.Back(2); err != nil || len(events) != 5 || r.Event() != events[2] {
		t.Errorf("%v, event %d of %v", err, r.Event(), events)
	}
	stop, err := r.Run()
	if must(t, stop, err); r.Event() != track.Info().Total || stop.Reason != step.Idle {
		t.Errorf("%+v, event %d", stop, r.Event())
	}
}

func TestAReelEndsAtTheDamageAndWhenItIsHalted(t *testing.T) {
	track := replaytest.Every(9, time.Second)
	track.Damage = &recording.Damage{Record: 10, Reason: "cut"}
	halted := 0
	r := step.NewReel(step.ReelConfig{Recording: track, Start: replaytest.Start(), Halt: func() error {
		if halted++; halted == 4 {
			return errors.New("ended by interrupt")
		}
		return nil
	}})
	if _, err := r.Run(); err == nil || err.Error() != "ended by interrupt" || r.Event() != 3 {
		t.Errorf("%v at event %d", err, r.Event())
	}
	if _, err := r.Run(); !errors.Is(err, track.Damage) || r.Event() != 9 {
		t.Errorf("%v at event %d", err, r.Event())
	}
}
