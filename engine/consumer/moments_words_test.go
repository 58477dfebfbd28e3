package consumer

import (
	"testing"

	"mqscope/engine/event"
)

// TestMomentsCountAsPeopleDo has one and more of a thing.
func TestMomentsCountAsPeopleDo(t *testing.T) {
	for want, e := range map[string]event.Event{
		"1 member listed":   event.MembersListed{Members: []string{"a"}},
		"2 members listed":  event.MembersListed{Members: []string{"a", "b"}},
		"0 readable queues": event.RouteChanged{},
	} {
		if got := momentOf(e).Words; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
