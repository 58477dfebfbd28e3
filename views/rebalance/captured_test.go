package rebalance

import (
	"strings"
	"testing"

	"mqscope/engine/snapshot"
	"mqscope/views"
	"mqscope/views/viewtest"
	"mqscope/views/viewtest/captured"
)

func TestGoldenFramesOfCaptures(t *testing.T) { captured.Goldens(t, root, "rebalance", subject()) }

// TestMembersThatEachReadAllQueuesAreNotIdle: of a broadcasting group nobody owns a queue.
func TestMembersThatEachReadAllQueuesAreNotIdle(t *testing.T) {
	s := captured.Cases(t, root)[0].Snap
	s.Group.Model = 1 // broadcasting
	for i := range s.Queues {
		s.Queues[i].Owner = snapshot.UnknownBecause[string]("each member reads all queues")
	}
	v := New()
	out := v.Render(views.In{Snap: s, State: v.Start(""), W: 120, H: 30, Now: s.At, Theme: viewtest.Theme(t, "mono", "unicode")})
	text := strings.Join(viewtest.Plain(out.Lines), "\n")
	if !strings.Contains(text, "✓ Broadcasting: each of 2 members reads all 4 queues") || strings.Contains(text, "192.0.2.2@c5507 idle") || strings.Contains(text, "no owner") {
		t.Error(text)
	}
}
