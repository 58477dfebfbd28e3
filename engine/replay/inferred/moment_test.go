package inferred

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mqscope/engine/capture"
	"mqscope/engine/capture/infer"
	"mqscope/engine/capture/infer/infertest"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/replay"
	"mqscope/engine/snapshot"
)

// TestPointsOfInterest counts them in the captures, commits that go back by a book of its own.
func TestPointsOfInterest(t *testing.T) {
	total := map[snapshot.InterestKind]int{}
	for _, name := range infertest.Names(t) {
		events := infertest.Read(t, name).Events
		want := map[snapshot.InterestKind]int{}
		type key struct {
			group string
			queue mq.MessageQueue
		}
		committed := map[key]int64{}
		for _, e := range events {
			switch f := e.Fact.(type) {
			case infer.Assigned, infer.Released, infer.MemberLeft, infer.MembersChanged:
				want[snapshot.InterestRebalance]++
			case infer.MemberSeen:
				if f.New {
					want[snapshot.InterestRebalance]++
				}
			case infer.Failed, infer.Unreadable:
				want[snapshot.InterestError]++
			case infer.ResetOrdered:
				want[snapshot.InterestOffset]++
			case infer.PullDone:
				if f.Status == mq.OffsetIllegal && f.Answered {
					want[snapshot.InterestOffset]++
				}
			case infer.Committed:
				before, known := committed[key{f.Group, f.Queue}]
				if f.Code != protocol.Success {
					continue
				}
				if known && f.Offset < before {
					want[snapshot.InterestOffset]++
				}
				committed[key{f.Group, f.Queue}] = f.Offset
			}
		}
		got := map[snapshot.InterestKind]int{}
		tr := play(t, record(t, events, RecorderOptions{}), replay.Options{})
		for m, err := range tr.Moments(0) {
			if err != nil {
				t.Fatal(err)
			}
			if m.Interest != snapshot.NoInterest && m.Interest != snapshot.InterestLock {
				got[m.Interest]++
			}
			total[m.Interest]++
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
	for _, k := range []snapshot.InterestKind{snapshot.InterestRebalance, snapshot.InterestError, snapshot.InterestOffset} {
		if total[k] == 0 {
			t.Errorf("no capture has one of %v", k)
		}
	}
}

func TestWhatOneWouldWantToLookAt(t *testing.T) {
	q := mq.MessageQueue{Topic: "t", BrokerName: "b"}
	commit := func(offset int64, code protocol.ResponseCode) infer.Event {
		return infer.Event{Fact: infer.Committed{Group: "g", Queue: q, Offset: offset, Code: code}}
	}
	tr := play(t, record(t, []infer.Event{
		{Fact: infer.Locked{Group: "g", Held: []mq.MessageQueue{q}}},
		{Fact: infer.Locked{Group: "g", Refuse: []mq.MessageQueue{q}}},
		commit(5, 0), commit(7, 0), commit(3, protocol.SystemError), commit(6, 0), commit(6, 0),
	}, RecorderOptions{}), replay.Options{})
	var got []snapshot.InterestKind
	for m, err := range tr.Moments(0) {
		if err != nil || m.Group != "g" {
			t.Fatal(m, err)
		}
		got = append(got, m.Interest)
	}
	const no = snapshot.NoInterest
	if d := cmp.Diff([]snapshot.InterestKind{no, snapshot.InterestLock, no, no, no, snapshot.InterestOffset, no}, got); d != "" {
		t.Error(d)
	}
}

// TestAServerThatCanNotBeReachedIsAnError: while it is away nothing else may be seen.
func TestAServerThatCanNotBeReachedIsAnError(t *testing.T) {
	tr := play(t, record(t, []infer.Event{
		{Fact: infer.Noted{Note: capture.Note{Kind: capture.NoteRefused, Text: "10.0.0.1:10911 can not be reached"}}},
		{Fact: infer.Noted{Note: capture.Note{Kind: capture.NoteMid}}},
	}, RecorderOptions{}), replay.Options{})
	var got []snapshot.InterestKind
	for m, err := range tr.Moments(0) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, m.Interest)
	}
	if d := cmp.Diff([]snapshot.InterestKind{snapshot.InterestError, snapshot.NoInterest}, got); d != "" {
		t.Error(d)
	}
}

// TestOneGroupIsAsItIsAmongOthers: what a recording of one group leaves out changes nothing of it.
func TestOneGroupIsAsItIsAmongOthers(t *testing.T) {
	events := infertest.Read(t, "push-orderly").Events
	whole := infer.NewState()
	for _, e := range events {
		whole.Step(e)
	}
	tr := play(t, record(t, events, RecorderOptions{Group: "g_ord2"}), replay.Options{})
	if err := tr.Seek(tr.Info().Total); err != nil {
		t.Fatal(err)
	}
	if len(tr.State().Groups) != 1 || tr.Group() != "g_ord2" {
		t.Fatalf("groups %v, shown is %q", tr.State().Groups, tr.Group())
	}
	all := cmp.Options{cmp.AllowUnexported(infer.Queue{}), cmpopts.EquateNaNs()}
	if d := cmp.Diff(whole.Groups["g_ord2"], tr.State().Groups["g_ord2"], all); d != "" {
		t.Errorf("(-among others +alone):\n%s", d)
	}
}

func TestTheGroupThatIsShown(t *testing.T) {
	path := record(t, infertest.Read(t, "push-orderly").Events, RecorderOptions{})
	if g := play(t, path, replay.Options{}).Group(); g != "g_ord" {
		t.Errorf("shows %q, want the one that pulled most", g)
	}
	tr := play(t, path, replay.Options{Group: "g_ord2"})
	if err := tr.Seek(tr.Info().Total); err != nil {
		t.Fatal(err)
	}
	tr.Watch([]mq.MessageQueue{{Topic: "orders", BrokerName: "broker-a", QueueID: 1}})
	p := tr.Picture()
	if p.Group.Name != "g_ord2" || len(p.Queues) < 4 || !p.Replay.Known || !p.Replay.Inferred || p.Replay.Event != tr.Event() || len(p.Histories) != 1 {
		t.Errorf("%+v, %d queues, %+v, %d histories", p.Group, len(p.Queues), p.Replay, len(p.Histories))
	}
}
