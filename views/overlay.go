package views

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Box is something that lies over a frame.
type Box struct {
	X, Y, W, H int
	Lines      []string // exactly H, each at most W cells
	Hits       []Hit    // in the box's own coordinates
}

// Center places a box of w by h in a frame of fw by fh.
func Center(w, h, fw, fh int) Box {
	w, h = max(min(w, fw), 0), max(min(h, fh), 0)
	return Box{X: (fw - w) / 2, Y: (fh - h) / 2, W: w, H: h}
}

// Over lays a box over a frame, which keeps its size. What is left and right of the box
// stays; a wide cluster that the box's edge cuts in half becomes a blank.
func Over(frame []string, b Box) []string {
	out := append([]string(nil), frame...)
	for i, line := range b.Lines {
		y := b.Y + i
		if i >= b.H || y < 0 || y >= len(out) {
			continue
		}
		left := ansi.Truncate(out[y], b.X, "")
		left += strings.Repeat(blank, max(b.X-ansi.StringWidth(left), 0))
		line = ansi.Truncate(line, b.W, "")
		fill := strings.Repeat(blank, max(b.W-ansi.StringWidth(line), 0))
		right := ""
		if rest := ansi.StringWidth(out[y]) - b.X - b.W; rest > 0 {
			right = ansi.TruncateLeft(out[y], b.X+b.W, "")
			if ansi.StringWidth(right) > rest { // a wide cluster stood on the edge
				right = ansi.TruncateLeft(out[y], b.X+b.W+1, "")
			}
			right = strings.Repeat(blank, max(rest-ansi.StringWidth(right), 0)) + right
		}
		out[y] = left + line + fill + right
	}
	return out
}

// HitsOver returns the hits of a box in the frame's coordinates. While an overlay is open
// the frame below does not act.
func (b Box) HitsOver() []Hit {
	out := make([]Hit, len(b.Hits))
	for i, h := range b.Hits {
		h.X, h.Y = h.X+b.X, h.Y+b.Y
		out[i] = h
	}
	return out
}
