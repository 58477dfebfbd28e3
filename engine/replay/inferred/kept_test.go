package inferred

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"mqscope/engine/capture/infer"
	"mqscope/engine/capture/infer/infertest"
	"mqscope/engine/mq"
	"mqscope/engine/recording"
	"mqscope/engine/replay"
)

func pullOf(group string, queue int32, at time.Time) infer.Event {
	q := mq.MessageQueue{Topic: "orders", BrokerName: "b", QueueID: queue}
	return infer.Event{At: at, Fact: infer.PullDone{Client: "c", Group: group, Queue: q, Answered: true, Status: mq.Found, Max: 9}}
}

// TestCopiesStayWithinTheirBound goes on and makes a copy at each event of a large state.
func TestCopiesStayWithinTheirBound(t *testing.T) {
	at := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	var events []infer.Event
	for i := range 1100 {
		events = append(events, pullOf("g", int32(i%1000), at.Add(time.Duration(i)*time.Millisecond)))
	}
	tr := play(t, record(t, events, RecorderOptions{}), replay.Options{})
	for _, from := range []uint64{tr.Info().Total - 30, tr.Info().Total - 45} { // on, and again from before there
		if err := tr.Seek(from); err != nil {
			t.Fatal(err)
		}
		for range 30 {
			if _, err := tr.Next(); err != nil {
				t.Fatal(err)
			}
			tr.keepNow()
		}
		sum := 0
		for i, m := range tr.kept.all {
			sum += m.size
			if i > 0 && m.event <= tr.kept.all[i-1].event {
				t.Fatal("copies are not in order")
			}
		}
		if sum != tr.kept.bytes || sum > keptBytes || len(tr.kept.all) < 2 {
			t.Errorf("%d copies of %d bytes, counted as %d", len(tr.kept.all), sum, tr.kept.bytes)
		}
		if n := tr.kept.all[len(tr.kept.all)-1].event; n != tr.Event() {
			t.Errorf("the last copy is at %d, far from %d", n, tr.Event())
		}
	}
}

// TestAnEventThatDoesNotFollowEndsTheTrack has what a checkpoint may claim: the state makes no
// sense to the event behind it.
func TestAnEventThatDoesNotFollowEndsTheTrack(t *testing.T) {
	events := infertest.Read(t, "push-tags").Events
	tr := play(t, record(t, events, RecorderOptions{}), replay.Options{})
	if err := tr.Seek(50); err != nil {
		t.Fatal(err)
	}
	tr.memory = nil
	tr.state.Groups = nil
	for {
		_, err := tr.Next()
		if _, damaged := errors.AsType[*recording.Damage](err); damaged {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if tr.Info().Damage == "" || tr.Picture() == nil {
		t.Errorf("%+v", tr.Info())
	}
	if err := tr.Seek(tr.Info().Total); err != nil || tr.State().Seq != uint64(len(events)) {
		t.Errorf("%v, stands behind event %d: the state was kept", err, tr.State().Seq)
	}
}

func TestTheGroupThatPulledMostIsShown(t *testing.T) {
	at := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	for most := range 3 {
		var events []infer.Event
		for i := range 30 {
			group := i % 3
			if i > 20 {
				group = most
			}
			events = append(events, pullOf(fmt.Sprint("g", group), 0, at))
		}
		if got, want := play(t, record(t, events, RecorderOptions{}), replay.Options{}).Group(), fmt.Sprint("g", most); got != want {
			t.Errorf("shows %q, want %q", got, want)
		}
	}
}
