package themes

import (
	"fmt"
	"strings"
)

// Glyph is a sign of this program's own. It is safe to draw as it is.
type Glyph string

// Glyphs is a set of signs. In a set each state of a family has a sign of its own, so that
// no state is told by colour alone.
type Glyphs struct {
	Name  string
	ASCII bool // nothing above 0x7E: text from outside is escaped down to ASCII too

	// Marks of a state.
	OK, Watch, Warn, Bad, Unknown, Stale Glyph
	Cursor, Marked, Focus                Glyph
	// Cells of a ProcessQueue.
	Wait, Run, Late, Done, Retry, Held, Gap Glyph
	// Ruler fills: consumed, between commit and next, waiting at the broker.
	Consumed, Window, Ahead Glyph

	Live, Ellipsis, Dot, Times, AtLeast, Arrow, Micro Glyph
	Up, Down, Flat, MoreLeft, MoreRight, Crumb        Glyph
	SortDown, SortUp, Delta, Folded, Open             Glyph
	BarFull, BarEmpty                                 Glyph
	Horizontal, Vertical                              Glyph
	TopLeft, TopRight, BottomLeft, BottomRight        Glyph
	Spark                                             []Glyph // from nothing to most
	Scroll                                            Glyph   // thumb of a scroll bar
	LineBegin, LineEnd                                Glyph   // ends of a line of time
}

// Unicode is the default set. Terminals set up for Chinese, Japanese or Korean may draw some
// of its signs two cells wide: their width is ambiguous.
func Unicode() *Glyphs {
	return &Glyphs{
		Name: "unicode",
		OK:   "✓", Watch: "!", Warn: "▲", Bad: "✗", Unknown: "?", Stale: "~",
		Cursor: "►", Marked: "*", Focus: "▸",
		Wait: "■", Run: "►", Late: "✗", Done: "░", Retry: "↻", Held: "z", Gap: ".",
		Consumed: "░", Window: "▓", Ahead: ".",
		Live: "●", Ellipsis: "…", Dot: "·", Times: "×", AtLeast: "≥", Arrow: "→", Micro: "µ",
		Up: "↑", Down: "↓", Flat: "=", MoreLeft: "‹", MoreRight: "›", Crumb: "›",
		SortDown: "▾", SortUp: "▴", Delta: "Δ", Folded: "+", Open: "-",
		BarFull: "█", BarEmpty: "·",
		Horizontal: "─", Vertical: "│",
		TopLeft: "╭", TopRight: "╮", BottomLeft: "╰", BottomRight: "╯",
		Spark:  []Glyph{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
		Scroll: "┃", LineBegin: "├", LineEnd: "┤",
	}
}

// CJK uses only signs that are one cell wide in every terminal.
func CJK() *Glyphs {
	return &Glyphs{
		Name: "cjk",
		OK:   "✓", Watch: "!", Warn: "^", Bad: "✗", Unknown: "?", Stale: "~",
		Cursor: "►", Marked: "*", Focus: "▸",
		Wait: "#", Run: "►", Late: "✗", Done: "░", Retry: "↻", Held: "z", Gap: ".",
		Consumed: "░", Window: "#", Ahead: ".",
		Live: "*", Ellipsis: "..", Dot: "|", Times: "x", AtLeast: ">=", Arrow: "->", Micro: "u",
		Up: "^", Down: "v", Flat: "=", MoreLeft: "‹", MoreRight: "›", Crumb: "›",
		SortDown: "▾", SortUp: "▴", Delta: "d", Folded: "+", Open: "-",
		BarFull: "#", BarEmpty: ".",
		Horizontal: "-", Vertical: "|",
		TopLeft: "+", TopRight: "+", BottomLeft: "+", BottomRight: "+",
		Spark:  []Glyph{"⣀", "⣤", "⣶", "⣿"},
		Scroll: "#", LineBegin: "|", LineEnd: "|",
	}
}

// ASCII uses nothing above 0x7E.
func ASCII() *Glyphs {
	return &Glyphs{
		Name: "ascii", ASCII: true,
		OK: "v", Watch: "!", Warn: "^", Bad: "X", Unknown: "?", Stale: "~",
		Cursor: ">", Marked: "*", Focus: ">",
		Wait: "#", Run: ">", Late: "X", Done: ":", Retry: "@", Held: "z", Gap: ".",
		Consumed: ":", Window: "#", Ahead: ".",
		Live: "*", Ellipsis: "..", Dot: "|", Times: "x", AtLeast: ">=", Arrow: "->", Micro: "u",
		Up: "^", Down: "v", Flat: "=", MoreLeft: "<", MoreRight: ">", Crumb: ">",
		SortDown: "v", SortUp: "^", Delta: "d", Folded: "+", Open: "-",
		BarFull: "#", BarEmpty: ".",
		Horizontal: "-", Vertical: "|",
		TopLeft: "+", TopRight: "+", BottomLeft: "+", BottomRight: "+",
		Spark:  []Glyph{"_", ".", "-", "=", "+", "*", "#", "@"},
		Scroll: "#", LineBegin: "|", LineEnd: "|",
	}
}

// GlyphNames are the names that GlyphsByName knows.
func GlyphNames() []string { return []string{"unicode", "cjk", "ascii"} }

// GlyphsByName returns a set, or an error that lists the names.
func GlyphsByName(name string) (*Glyphs, error) {
	switch strings.ToLower(name) {
	case "unicode":
		return Unicode(), nil
	case "cjk":
		return CJK(), nil
	case "ascii":
		return ASCII(), nil
	}
	return nil, fmt.Errorf("glyph set %q is unknown: use one of %s", name, strings.Join(GlyphNames(), ", "))
}

// ChooseGlyphs names the set to use: what the flag says, else the configuration, else ascii
// when the locale (LC_ALL, LC_CTYPE or LANG, the first that is set) is not UTF-8.
func ChooseGlyphs(flag, config, locale string) string {
	if flag != "" {
		return flag
	}
	if config != "" && config != "auto" {
		return config
	}
	l := strings.ToLower(locale)
	if strings.Contains(l, "utf-8") || strings.Contains(l, "utf8") {
		return "unicode"
	}
	return "ascii"
}
