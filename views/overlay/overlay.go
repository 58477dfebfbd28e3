package overlay

import (
	"mqscope/keymap"
	"mqscope/themes"
	"mqscope/views"
)

// Overlay is one thing over the frame.
type Overlay interface {
	// TakesText says that printable keys are text: package tui looks keys up as for an
	// input then, and sends the whole text as views.SetFilter when it changes.
	TakesText() bool
	// Render draws the box for a frame.
	Render(In) views.Box
	// Reduce is what an action does.
	Reduce(views.Event) (Overlay, Result)
}

// In is what a box is drawn from.
type In struct {
	W, H  int // of the frame
	Theme *themes.Theme
	Keys  *keymap.Map
	Text  *views.Cleaner // nil: a fresh one
	// Cursor is the place in the typed text, in runes.
	Cursor int
}

func (in In) cleaner() *views.Cleaner {
	c := in.Text
	if c == nil {
		c = views.NewCleaner()
	}
	c.Use(in.Theme.Glyphs)
	return c
}

// Result is what an overlay came to. The zero Result means that it stays open.
type Result struct {
	Done     bool      // close it
	Accepted bool      // it was accepted, not cancelled
	Choice   string    // id of the option taken, or the text typed
	Preview  string    // id of the option to try while the picker stays open
	Run      keymap.ID // action to run, taken from help
}

// frame draws the box's edge and returns its inside, indented by a cell.
func frame(c *views.Canvas, b views.Box, title, note views.Spans, g *themes.Glyphs) views.Area {
	a := c.Reset(b.W, b.H)
	in := views.Pane{Title: title, Note: note, Boxed: true, Bright: true}.Draw(a, g)
	return in.Sub(1, 0, in.W-2, in.H)
}

// finish turns the canvas into the box.
func finish(c *views.Canvas, b views.Box, t *themes.Theme) views.Box {
	b.Lines, b.Hits = c.Lines(t), c.Hits()
	return b
}

// escNote is the right end of a title: how to leave.
func escNote(in In, c *views.Cleaner, id keymap.ID) views.Spans {
	return views.Spans{{Tok: themes.Key, Text: views.KeyName(c.Cell(in.Keys.KeyOf(id)), in.Theme.Glyphs)}, views.Say(themes.KeyText, " closes")}
}
