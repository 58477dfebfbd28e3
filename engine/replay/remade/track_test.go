package remade_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"mqscope/engine/replay"
	"mqscope/engine/snapshot"
)

// shown is what of a snapshot is compared: all but functions and the play itself.
func shown(s *snapshot.Snapshot) snapshot.Snapshot {
	c := *s
	c.WhatIf, c.Seq, c.Wall, c.Replay, c.Sched.History, c.Sched.Current, c.Sched.Steps, c.Sched.Newest = nil, 0, time.Time{}, snapshot.Replay{}, nil, snapshot.SchedTrace{}, 0, 0
	c.Sched.Tasks = slices.Clone(s.Sched.Tasks)
	for i := range c.Sched.Tasks {
		c.Sched.Tasks[i].Current = false
	}
	c.Events = snapshot.Events{Dropped: s.Events.Dropped + uint64(len(s.Events.Entries))}
	return c
}

// through plays all of a track and returns its moments, and what it showed at each.
func through(t *testing.T, track replay.Track) (moments []snapshot.Moment, pictures []snapshot.Snapshot) {
	t.Helper()
	for {
		m, err := track.Next()
		if errors.Is(err, io.EOF) {
			return moments, pictures
		}
		if err != nil {
			t.Fatal(err)
		}
		moments, pictures = append(moments, m), append(pictures, shown(track.Picture()))
	}
}

func TestARecordingIsMadeAgain(t *testing.T) {
	r := recorded(t, 5*time.Second)
	track := open(t, r.file(t))
	moments, _ := through(t, track)
	if d := track.Picture().Replay.Departed; d != "" {
		t.Error(d)
	}
	kinds := map[string]int{}
	interests := map[snapshot.InterestKind]int{}
	for _, m := range moments {
		kinds[m.Kind]++
		interests[m.Interest]++
	}
	for _, kind := range []string{"pull.found", "pull.no-new", "members", "offset.read", "flow.room", "hand.pause", "hand.resume", "rebalance.wanted"} {
		if kinds[kind] == 0 {
			t.Errorf("no %s in %v", kind, kinds)
		}
	}
	for _, i := range []snapshot.InterestKind{snapshot.InterestRebalance, snapshot.InterestFlow} {
		if interests[i] == 0 {
			t.Errorf("nothing of interest for its %v in %v", i, interests)
		}
	}
	var listed []snapshot.Moment
	for m, err := range track.Moments(0) {
		if err != nil {
			t.Fatal(err)
		}
		listed = append(listed, m)
	}
	if !reflect.DeepEqual(listed, moments) {
		t.Errorf("%d moments listed, %d played", len(listed), len(moments))
		for i := range min(len(listed), len(moments)) {
			if !reflect.DeepEqual(listed[i], moments[i]) {
				t.Fatalf("%+v listed, %+v played", listed[i], moments[i])
			}
		}
	}
}

func TestAnyPlaceIsTheSameFromEverywhere(t *testing.T) {
	r := recorded(t, 60*time.Second)
	path := r.file(t)
	moments, pictures := through(t, open(t, path))
	track := open(t, path)
	rng := rand.New(rand.NewPCG(7, 8))
	at := 0
	for range 300 {
		switch rng.IntN(4) {
		case 0:
			at = rng.IntN(len(moments))
		case 1:
			at = max(at-1, 0)
		case 2:
			at = min(at+1, len(moments)-1)
		case 3:
			at = max(at-rng.IntN(200), 0)
		}
		if err := track.Seek(moments[at].Event); err != nil {
			t.Fatal(err)
		}
		if track.Event() != moments[at].Event {
			t.Fatalf("sought event %d, is at %d", moments[at].Event, track.Event())
		}
		if got := shown(track.Picture()); !reflect.DeepEqual(got, pictures[at]) {
			for _, f := range differing(got, pictures[at]) {
				t.Error(f)
			}
			t.Fatalf("event %d is shown otherwise", moments[at].Event)
		}
	}
	if d := track.Picture().Replay.Departed; d != "" {
		t.Error(d)
	}
	for range 50 {
		i := rng.IntN(len(moments))
		if err := track.SeekTime(moments[i].At); err != nil {
			t.Fatal(err)
		}
		last := i + slices.IndexFunc(append(moments[i:], snapshot.Moment{At: moments[i].At.Add(1)}), func(m snapshot.Moment) bool { return m.At.After(moments[i].At) }) - 1
		if track.Event() < moments[last].Event || last+1 < len(moments) && track.Event() >= moments[last+1].Event {
			t.Fatalf("time of event %d leads to %d, want %d", moments[i].Event, track.Event(), moments[last].Event)
		}
	}
}

// differing names the fields that differ.
func differing(a, b snapshot.Snapshot) (out []string) {
	for i := range min(len(a.Queues), len(b.Queues)) {
		x, y := reflect.ValueOf(a.Queues[i]), reflect.ValueOf(b.Queues[i])
		for j := range x.NumField() {
			if v, w := x.Field(j).Interface(), y.Field(j).Interface(); !reflect.DeepEqual(v, w) {
				out = append(out, fmt.Sprintf("%v %s: %+v, was %+v", a.Queues[i].ID, x.Type().Field(j).Name, v, w))
			}
		}
	}
	a.Queues, b.Queues = nil, nil
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	for i := range x.NumField() {
		if v, w := x.Field(i).Interface(), y.Field(i).Interface(); !reflect.DeepEqual(v, w) {
			out = append(out, fmt.Sprintf("%s: %+v, was %+v", x.Type().Field(i).Name, v, w))
		}
	}
	return out
}

// What is not the run that was recorded is seen, and named by its first event.
func TestARunThatDepartsIsNamed(t *testing.T) {
	r := recorded(t, 2*time.Second)
	whole := r.reel.List
	pulls := 0
	for m, err := range open(t, r.file(t)).Moments(0) {
		if err != nil {
			t.Fatal(err)
		}
		if m.Kind != "pull.found" {
			continue
		}
		if pulls++; pulls != 3 {
			continue
		}
		// Without this answer the consumer can not have gone on as it did.
		at := int(m.Event) - 1 // records count from 1
		r.reel.List = slices.Concat(whole[:at], whole[at+1:])
		track := open(t, r.file(t))
		through(t, track)
		var number uint64
		if _, err := fmt.Sscanf(track.Picture().Replay.Departed, "event %d:", &number); err != nil || number < m.Event || number > m.Event+10 {
			t.Errorf("the answer at event %d is missing, departed: %q", m.Event, track.Picture().Replay.Departed)
		}
		return
	}
	t.Fatal("no three pulls")
}
