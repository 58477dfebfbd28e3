package viewtest

import (
	"testing"

	"mqscope/themes"
	"mqscope/views"
)

// ScreenCase is a situation of one screen with what the person did there before.
type ScreenCase struct {
	Case
	// Acts are told to the view before the frame is drawn.
	Acts []views.Event
}

// Screens are cases in which nothing was done yet.
func Screens(cases ...Case) []ScreenCase {
	out := make([]ScreenCase, len(cases))
	for i, c := range cases {
		out[i] = ScreenCase{Case: c}
	}
	return out
}

// GoldensOf compares the cases of one screen at every size with their golden frames.
func GoldensOf(t *testing.T, root, name string, s Subject, cases []ScreenCase) {
	t.Helper()
	for _, c := range cases {
		goldens(t, root, name+"/"+c.Name, func(w, h int) Shot { return c.Shot(s, w, h) })
	}
}

// Shot is the frame after the acts, still without a theme.
func (c ScreenCase) Shot(s Subject, w, h int) Shot {
	shot := s.Shot(c.Case, w, h, nil)
	bw, bh := views.BodySize(w, h, c.Snap)
	for _, ev := range append([]views.Event{{Action: views.Refresh}}, c.Acts...) {
		ev.W, ev.H, ev.Now = bw, bh, Now()
		shot.State, _ = shot.View.Reduce(shot.State, ev, c.Snap)
		shot.Focus = ev.Focus
	}
	return shot
}

// CheckThemes draws the cases of one screen at every size, each in mono and two other themes
// with one of the sets of signs, and checks all properties of a frame: every theme says the
// same.
func CheckThemes(t *testing.T, s Subject, cases []ScreenCase) {
	t.Helper()
	n, choices := 0, themes.Choices()
	for _, c := range cases {
		for _, size := range Sizes() {
			shot := c.Shot(s, size[0], size[1])
			shot.Keys = Keys(t)
			checkThemes(t, shot, themes.GlyphNames()[n%3], "mono", choices[n%len(choices)], choices[(n+5)%len(choices)])
			n++
		}
	}
}
