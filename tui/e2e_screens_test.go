//go:build e2e && unix

package tui_test

import (
	"strings"
	"testing"
)

// TestE2EEveryScreen walks through the screens of an orderly demo, asks a what-if and gives
// a lock back, as a person would.
func TestE2EEveryScreen(t *testing.T) {
	for _, size := range [][2]int{{120, 36}, {80, 24}, {60, 16}} {
		m := newTmux(t, size[0], size[1], around("demo --orderly"))
		m.see("billing")
		m.press("3")
		m.see("cached bytes (s)")
		m.press("4")
		m.until("locks of ours", func(s string) bool {
			return strings.Contains(s, "locks of ours are held") && strings.Contains(s, " mine ")
		})
		m.press("X")
		m.see("not armed")
		m.press("!")
		m.see("ARMED")
		m.until("the question", func(s string) bool {
			asked := strings.Contains(s, "Release our lock of")
			if !asked { // a rebalance may have taken the queue under the cursor away
				m.press("g", "X")
				m.settle()
			}
			return asked
		})
		m.settle()
		m.press("Right", "Enter")
		m.see("Release asked for")
		m.press("5")
		m.see("Histogram")
		m.press("6", "+")
		m.see("What if")
		m.press("7")
		m.until("tasks that wait at the broker", func(s string) bool { return strings.Contains(s, "parked") && strings.Contains(s, "long poll") })
		m.press("0")
		m.until("what became of the lock", func(s string) bool { // a rebalance may have come first
			return strings.Contains(s, "lock is released") || strings.Contains(s, "lock not released")
		})
		m.press("C-c")
		m.see("Quit, and leave") // once, because it is armed
		m.press("C-c")
		m.see("MODES SAME")
	}
}
