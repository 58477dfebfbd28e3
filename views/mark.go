package views

import (
	"mqscope/engine/snapshot"
	"mqscope/themes"
)

// MarkToken is the meaning of a mark.
func MarkToken(m snapshot.Mark) themes.Token {
	switch m {
	case snapshot.MarkOK:
		return themes.OK
	case snapshot.MarkWatch:
		return themes.Watch
	case snapshot.MarkWarn:
		return themes.Warn
	case snapshot.MarkBad:
		return themes.Bad
	case snapshot.MarkStale:
		return themes.Stale
	}
	return themes.Unknown
}

// MarkGlyph is the sign of a mark.
func MarkGlyph(m snapshot.Mark, g *themes.Glyphs) themes.Glyph {
	switch m {
	case snapshot.MarkOK:
		return g.OK
	case snapshot.MarkWatch:
		return g.Watch
	case snapshot.MarkWarn:
		return g.Warn
	case snapshot.MarkBad:
		return g.Bad
	case snapshot.MarkStale:
		return g.Stale
	}
	return g.Unknown
}

// MarkSpan is the sign of a mark in its token.
func MarkSpan(m snapshot.Mark, g *themes.Glyphs) Span {
	return Span{MarkToken(m), Sign(MarkGlyph(m, g))}
}

// MarkWord is the mark for ears.
func MarkWord(m snapshot.Mark) Lit {
	switch m {
	case snapshot.MarkOK:
		return "ok"
	case snapshot.MarkWatch:
		return "watch"
	case snapshot.MarkWarn:
		return "warning"
	case snapshot.MarkBad:
		return "bad"
	case snapshot.MarkStale:
		return "stale"
	}
	return "unknown"
}

// Severity orders marks from the worst, which is 0: bad, warn, watch, stale, unknown, ok.
// Unknown and stale are never healthy, but less urgent than what is known to be wrong.
func Severity(m snapshot.Mark) int {
	switch m {
	case snapshot.MarkBad:
		return 0
	case snapshot.MarkWarn:
		return 1
	case snapshot.MarkWatch:
		return 2
	case snapshot.MarkStale:
		return 3
	case snapshot.MarkOK:
		return 5
	}
	return 4
}

// Worse returns the more severe of two marks.
func Worse(a, b snapshot.Mark) snapshot.Mark {
	if Severity(b) < Severity(a) {
		return b
	}
	return a
}

// MarkSigns are the ways a mark may be written in a filter: its sign in any set.
func MarkSigns(m snapshot.Mark) []string {
	return []string{
		string(MarkGlyph(m, themes.Unicode())), string(MarkGlyph(m, themes.CJK())), string(MarkGlyph(m, themes.ASCII())),
	}
}
