//go:build e2e && unix

package tui_test

import (
	"strings"
	"testing"
)

// Two lessons are walked through by hand: to the goals, a step forth and back, to a breakpoint
// that another run finds again, and out.
func TestE2ELessons(t *testing.T) {
	for _, size := range [][2]int{{120, 36}, {80, 24}} {
		m := newTmux(t, size[0], size[1], around("lessons 2"))
		m.see("Lesson 2 of 10")
		m.see("A push consumer is not pushed to")
		m.press("p")
		m.see("Stopped: a pull from the end is sent")
		m.press("p")
		at := m.see("Stopped: the broker holds it: parked")
		m.press(".")
		m.gone("Stopped: the broker holds it")
		m.press(",")
		m.until("step 86", func(s string) bool { return strings.Contains(s, "t+0.708s") && strings.Contains(at, "t+0.708s") })
		m.press("R")
		m.see("t+6.004s")
		m.press("q", "q")
		m.see("EXIT 0")
	}
}

func TestE2EBreakpointsAreThereTheNextTime(t *testing.T) {
	const opened = "step flow-control --breakpoints mine"
	m := newTmux(t, 120, 36, around(opened)+"\n"+around(opened))
	m.see("Lesson 3 of 10")
	m.press("B", "Enter")
	m.see("a line, and if you like")
	m.write("flow.span if yes")
	m.press("Enter")
	m.see("break flow.span")
	m.press("q", "q")
	m.gone("break flow.span")
	m.see("Lesson 3 of 10")
	m.see("break flow.span")
	m.press("q", "q")
	m.see("EXIT 0")
	if text := m.file("mqscope/breakpoints.yaml"); !strings.Contains(text, "flow.span if yes") {
		t.Errorf("the file:\n%s", text)
	}
}
