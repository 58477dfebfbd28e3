//go:build e2e && unix

package tui_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// A recording of a capture is played by hand: steps, jumps, a bookmark that is there the next
// time, a place that is typed, and out.
func TestE2EReplay(t *testing.T) {
	capture, err := filepath.Abs("../testdata/captures/push-concurrent.pcap")
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range [][2]int{{120, 36}, {80, 24}, {60, 16}} {
		m := newTmux(t, size[0], size[1], `"$BIN" import '`+capture+`' -o "$DIR/x.mqrec" >"$DIR/summary"`+"\n"+
			around(`replay "$DIR/x.mqrec" --at 50%`)+"\n"+around(`replay "$DIR/x.mqrec" --at ";1"`))
		m.see("403/469")
		m.press(".", ".", ",")
		m.see("404/469")
		m.press("2")
		m.see("Queues")
		m.press("]")
		m.gone("404/469")
		m.press("[")
		m.press(":")
		m.write("seek #300")
		m.press("Enter")
		m.see("300/469")
		m.press(`\;`)
		m.write("here")
		m.press("Enter")
		m.see("Bookmark 1 is set")
		m.press("!")
		m.see("recording can not be changed")
		m.press(">", ">", ">", ">", ">", ">", ">", "p")
		m.see("469/469")
		m.press("q", "q")
		m.see("300/469")
		m.press("q")
		m.see("EXIT 0")
		if text := m.file("x.mqrec.marks"); !strings.Contains(text, `"note": "here"`) {
			t.Errorf("the bookmarks:\n%s", text)
		}
	}
}
