package picture_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mqscope/engine/capture/infer"
	"mqscope/engine/capture/infer/infertest"
	"mqscope/engine/capture/picture"
	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

// pictures are those of all groups, each as a whole and for one of its clients.
func (w *world) pictures(at time.Time) (out []*snapshot.Snapshot) {
	for _, name := range slices.Sorted(maps.Keys(w.s.Groups)) {
		g := w.s.Groups[name]
		o := picture.Options{Group: name, At: at, Watched: slices.SortedFunc(maps.Keys(g.Queues), mq.MessageQueue.Compare)}
		out = append(out, picture.Picture(w.s, w.m, o))
		if len(g.Members) > 0 {
			o.Client = slices.Min(slices.Collect(maps.Keys(g.Members)))
			out = append(out, picture.Picture(w.s, w.m, o))
		}
	}
	return out
}

func same(t testing.TB, what string, a, b []*snapshot.Snapshot) {
	t.Helper()
	if diff := cmp.Diff(a, b, cmpopts.EquateNaNs(), cmpopts.IgnoreFields(snapshot.Snapshot{}, "WhatIf")); diff != "" {
		t.Fatalf("%s: pictures differ:\n%s", what, diff)
	}
}

// TestAnyPrefixHasAPicture draws all groups after each event, or, of long captures, each few.
func TestAnyPrefixHasAPicture(t *testing.T) {
	for _, name := range infertest.Names(t) {
		s := read(t, name)
		w, step := newWorld(), 1+len(s.events)/60
		for i, e := range s.events {
			w.step(e)
			if i%step > 0 {
				continue
			}
			for _, p := range w.pictures(e.At) {
				honest(t, p)
			}
			picture.Picture(w.s, w.m, picture.Options{})
			picture.Picture(w.s, w.m, picture.Options{Group: "g_none", Client: "nobody", At: e.At.Add(-time.Hour)})
		}
	}
}

// honest checks what holds for every picture from outside: no reading that nobody can have, and a
// reason wherever one is missing.
func honest(t *testing.T, p *snapshot.Snapshot) {
	t.Helper()
	if !p.Replay.Inferred || p.Source.Kind != snapshot.Recorded || p.Sched.Known || p.Mode.Driving || !p.Mode.ReadOnly {
		t.Fatalf("%+v %+v: not marked as seen from outside", p.Replay, p.Source)
	}
	for i := range p.Queues {
		q := &p.Queues[i]
		for _, v := range []snapshot.Val[int64]{q.Min, q.Max, q.Committed, q.Next, q.CachedMin, q.CachedMax, q.Bytes, q.Span, q.Lag} {
			reasoned(t, q.ID, v)
		}
		reasoned(t, q.ID, q.Count)
		reasoned(t, q.ID, q.Owner)
		reasoned(t, q.ID, q.InRate)
		reasoned(t, q.ID, q.OutRate)
		reasoned(t, q.ID, q.LagSlope)
		reasoned(t, q.ID, q.LastPull)
		reasoned(t, q.ID, q.LastTaken)
		if !q.Inferred || q.Bytes.OK() || q.LastTaken.OK() || q.InListener != 0 || q.Flow.Cause != "" || q.Lock.ClientLease != 0 {
			t.Fatalf("%+v: has what does not show on the wire", q)
		}
		if i > 0 && p.Queues[i-1].ID.Compare(q.ID) >= 0 {
			t.Fatalf("%v stands before %v", p.Queues[i-1].ID, q.ID)
		}
		for _, r := range p.Windows[q.ID].Runs {
			if r.State != snapshot.Delivered && r.State != snapshot.Gap || r.To < r.From {
				t.Fatalf("%v: run %+v", q.ID, r)
			}
		}
		if q.Mark != snapshot.MarkOK && q.Note == "" {
			t.Fatalf("%v is %v without a reason", q.ID, q.Mark)
		}
	}
	for i := 1; i < len(p.Events.Entries); i++ {
		if a, b := &p.Events.Entries[i-1], &p.Events.Entries[i]; a.Seq >= b.Seq || b.At.Before(a.At) {
			t.Fatalf("event %d stands before %d", a.Seq, b.Seq)
		}
	}
	for _, r := range p.Rebalances {
		if len(r.Before) != len(r.Queues) || len(r.After) != len(r.Queues) {
			t.Fatalf("rebalance %+v", r)
		}
	}
	if _, err := snapshot.Encode(p); err != nil {
		t.Fatal(err)
	}
}

func reasoned[T any](t *testing.T, id mq.MessageQueue, v snapshot.Val[T]) {
	t.Helper()
	if v.State == snapshot.Unknown && v.Reason == "" {
		t.Fatalf("%v: a %T is unknown without a reason", id, v.V)
	}
}

// stories are the captures, and one that is long enough to fill all that has an end.
func stories(t *testing.T) map[string][]infer.Event {
	out := make(map[string][]infer.Event)
	for _, name := range infertest.Names(t) {
		out[name] = read(t, name).events
	}
	long := traffic(4, 4_000)
	const other, group = "192.0.2.2@18", "g"
	for i := range long {
		long[i].At = long[0].At.Add(time.Duration(i) * 500 * time.Millisecond) // half an hour
		if q := (mq.MessageQueue{Topic: "orders", BrokerName: "broker-1"}); i%500 == 499 {
			long[i].Fact = infer.Assigned{Client: other, Group: group, Queue: q}
		} else if i%500 == 9 {
			long[i].Fact = infer.Released{Client: other, Group: group, Queue: q}
		}
	}
	out["long"] = long
	return out
}

// TestAMemoryCanBeKeptAndGoneOnWith compares a world that went on with one that was cloned on the
// way, and the clone with one that was made anew.
func TestAMemoryCanBeKeptAndGoneOnWith(t *testing.T) {
	for name, events := range stories(t) {
		straight := newWorld()
		var kept []*world
		var ats []int
		for i, e := range events {
			if i%(1+len(events)/4) == 0 {
				kept, ats = append(kept, straight.clone()), append(ats, i)
			}
			straight.step(e)
		}
		at := straight.s.At.Add(time.Second)
		for i, k := range kept {
			again := newWorld()
			for _, e := range events[:ats[i]] {
				again.step(e)
			}
			same(t, name+" kept", k.pictures(k.s.At), again.pictures(again.s.At))
			for _, e := range events[ats[i]:] {
				k.step(e)
			}
			same(t, name+" gone on with", k.pictures(at), straight.pictures(at))
		}
	}
}

// TestAPictureChangesNothing draws in between, for another moment, and compares.
func TestAPictureChangesNothing(t *testing.T) {
	for name, events := range stories(t) {
		quiet, watched := newWorld(), newWorld()
		for i, e := range events {
			quiet.step(e)
			watched.step(e)
			if i%50 == 0 {
				watched.pictures(e.At.Add(time.Duration(i) * time.Second))
			}
		}
		same(t, name+" drawn in between", quiet.pictures(quiet.s.At), watched.pictures(watched.s.At))
	}
}

// TestAnEmptyMemoryIsReady: the zero value is what a stored empty one may come back as.
func TestAnEmptyMemoryIsReady(t *testing.T) {
	s := read(t, "push-concurrent")
	zero, made := &world{infer.NewState(), &picture.Memory{}}, newWorld()
	for _, e := range s.events {
		zero.step(e)
		made.step(e)
	}
	same(t, "zero", zero.pictures(zero.s.At), made.pictures(made.s.At))
}

// TestACloneKeepsARebalanceThatGoesOn: what follows changes the last one in place.
func TestACloneKeepsARebalanceThatGoesOn(t *testing.T) {
	s := read(t, "push-concurrent")
	w, at := s.at(23.2)
	kept := w.clone()
	for _, e := range s.events[w.s.Seq:] {
		w.step(e)
	}
	again, _ := s.at(23.2)
	same(t, "while nobody has two queues", kept.pictures(at), again.pictures(at))
	for _, e := range s.events[kept.s.Seq:] {
		kept.step(e)
	}
	same(t, "gone on with", kept.pictures(w.s.At), w.pictures(w.s.At))
}
