package store_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/embedded/store"
	"mqscope/engine/mq"
)

// wait puts a message into the queue of its delay level.
func wait(t *testing.T, s *store.Store, level int, ms int64, body string) {
	t.Helper()
	q, used := s.Delays.Queue(level)
	if _, err := s.Append(q, message(ms, "", body), s.Delays.DueAt(used, ms)); err != nil {
		t.Fatal(err)
	}
}

// due takes all that is due at ms.
func due(t *testing.T, s *store.Store, ms int64) []string {
	t.Helper()
	var list []string
	for {
		record, ok := s.Delays.Due(ms)
		if !ok {
			return list
		}
		text := bodies(t, record)[0]
		list = append(list, text[strings.IndexByte(text, '=')+1:])
	}
}

func TestDelayedMessagesComeWhenDueAndInOrder(t *testing.T) {
	s := newStore(t, store.Config{}) // levels 1 s, 5 s, 1 min
	if _, ok := s.Delays.Next(); ok {
		t.Error("something waits in an empty store")
	}
	wait(t, s, 2, 0, "five")
	wait(t, s, 1, 100, "one")
	wait(t, s, 1, 200, "two")
	wait(t, s, 9, 0, "clamped to the last level")
	if at, ok := s.Delays.Next(); !ok || at != 1100 {
		t.Errorf("next due at %d %v, want 1100", at, ok)
	}
	for _, step := range []struct {
		at   int64
		want []string
	}{
		{1099, nil},
		{1100, []string{"one"}},
		{5000, []string{"two", "five"}},
		{59_999, nil},
		{60_000, []string{"clamped to the last level"}},
	} {
		if diff := cmp.Diff(step.want, due(t, s, step.at)); diff != "" {
			t.Errorf("at %d (-want +got):\n%s", step.at, diff)
		}
	}
	if n := s.Delays.Waiting(1) + s.Delays.Waiting(2) + s.Delays.Waiting(3); n != 0 {
		t.Errorf("%d still wait", n)
	}
	s.Delays.Rewind(1, 1)
	if diff := cmp.Diff([]string{"two"}, due(t, s, 5000)); diff != "" {
		t.Errorf("after a rewind (-want +got):\n%s", diff)
	}
	if got := s.Lookup(mq.ScheduleTopic, 0).Max(); got != 2 {
		t.Errorf("the queue of level 1 ends at %d: messages of a delay stay in its queue", got)
	}
}

func TestInsideALevelTheFirstHoldsBackTheOthers(t *testing.T) {
	s := newStore(t, store.Config{})
	wait(t, s, 1, 5000, "stored before the clock went back")
	wait(t, s, 1, 0, "stored after it")
	if list := due(t, s, 5999); list != nil {
		t.Errorf("%v came before the first of its level", list)
	}
	if list := due(t, s, 6000); len(list) != 2 {
		t.Errorf("%v, want both", list)
	}
}

func TestWaitingMessagesThatWereDroppedAreSkipped(t *testing.T) {
	var lost int64
	s := newStore(t, store.Config{MaxBytes: store.LeastMaxBytes, OnDrop: func(list []store.Dropped) {
		for _, d := range list {
			if d.Topic == mq.ScheduleTopic {
				lost += d.To - d.From
			}
		}
	}})
	for range 10 {
		wait(t, s, 3, 0, "early")
	}
	for range 3000 {
		put(t, s, "T", 0, 0, "", strings.Repeat("x", 1000))
	}
	wait(t, s, 3, 1, "late")
	if lost != 10 {
		t.Errorf("%d waiting messages were reported dropped, want 10", lost)
	}
	if diff := cmp.Diff([]string{"late"}, due(t, s, time.Minute.Milliseconds()+1)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestOffsets(t *testing.T) {
	var o store.Offsets
	if _, ok := o.Get("g", "t", 0); ok {
		t.Error("an empty table has an offset")
	}
	o.Put("g", "t", 0, 5)
	o.Put("g", "t", 1, -1)
	o.Put("g", "u", 0, 7)
	o.Put("h", "t", 0, 1)
	o.Put("g", "t", 0, 4)
	if diff := cmp.Diff(map[int32]int64{0: 4, 1: -1}, o.Queues("g", "t")); diff != "" {
		t.Errorf("queues (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"t", "u"}, o.Topics("g")); diff != "" {
		t.Errorf("topics (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"g", "h"}, o.Groups("t")); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
	if v, ok := o.Take("g", "u", 0); !ok || v != 7 {
		t.Errorf("take: %d %v", v, ok)
	}
	if _, ok := o.Take("g", "u", 0); ok {
		t.Error("taken twice")
	}
	if diff := cmp.Diff([]store.Pair{{Group: "g", Topic: "t"}, {Group: "h", Topic: "t"}}, o.Pairs()); diff != "" {
		t.Errorf("pairs (-want +got):\n%s", diff)
	}
	o.DeleteGroup("h")
	o.DeleteTopic("t")
	if len(o.Pairs()) != 0 {
		t.Errorf("left: %v", o.Pairs())
	}
}
