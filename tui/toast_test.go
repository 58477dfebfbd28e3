package tui

import (
	"testing"
	"time"

	"mqscope/engine/snapshot"
	"mqscope/views"
	"mqscope/views/viewtest"
)

func TestToastsGoWhenTheirTimeIsOver(t *testing.T) {
	tests := []struct {
		name  string
		level snapshot.Mark
		after time.Duration
		there bool
	}{
		{"a good one is there for three seconds", snapshot.MarkOK, 2900 * time.Millisecond, true},
		{"and gone then", snapshot.MarkOK, 3100 * time.Millisecond, false},
		{"a warning is there for six", snapshot.MarkWarn, 5900 * time.Millisecond, true},
		{"and gone then", snapshot.MarkWarn, 6100 * time.Millisecond, false},
		{"a bad one stays", snapshot.MarkBad, time.Hour, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newScreen(t, viewtest.Normal(), 120, 36)
			s.m.toast(tt.level, views.Own("something happened"))
			s.send(wakeMsg{})
			s.wait(tt.after)
			if got := s.m.toasts.note() != nil; got != tt.there {
				t.Fatalf("there is %v, want %v", got, tt.there)
			}
			if tt.there {
				s.has("something happened")
			} else {
				s.hasNot("something happened")
			}
		})
	}
}

func TestABadToastIsNotReplacedBeforeItWasSeen(t *testing.T) {
	s := newScreen(t, viewtest.Normal(), 120, 36)
	s.m.toast(snapshot.MarkBad, views.Own("it broke"))
	s.m.toast(snapshot.MarkOK, views.Own("all is well"))
	s.send(wakeMsg{})
	s.wait(time.Minute)
	s.has("it broke")
	s.press("j")
	s.hasNot("it broke")
}
