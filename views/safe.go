package views

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"mqscope/themes"
)

// Lit is text of this program: a literal of its source. A literal becomes a Lit by itself, a
// string variable does not; a test forbids conversions outside this package. That keeps
// bytes from the network out of the places where a Lit is drawn.
type Lit string

// Safe is text that can be drawn: valid UTF-8 without controls, its width measured. Only
// this package makes one, from a Lit, from a number, or from untrusted text through a
// Cleaner. The zero Safe is empty.
type Safe struct {
	text  string
	width int
	shown []extent // parts that stand for characters which do not show as they are
}

// extent is a stretch of bytes.
type extent struct{ from, to int }

// String is the text.
func (s Safe) String() string { return s.text }

// Width is in cells.
func (s Safe) Width() int { return s.width }

// Empty tells whether there is nothing to draw.
func (s Safe) Empty() bool { return s.text == "" }

// Hidden is how many characters of the original do not show as they are: controls, marks
// that change direction, bytes that are no text. A cut counts as one.
func (s Safe) Hidden() int { return len(s.shown) }

// Own makes a Safe of the program's own text.
func Own(l Lit) Safe { return trusted(string(l)) }

// Sign makes a Safe of a glyph.
func Sign(g themes.Glyph) Safe { return trusted(string(g)) }

// trusted is for text that this package has built itself.
func trusted(s string) Safe { return Safe{text: s, width: widthOf(s)} }

// widthOf is the one place where width is measured: by grapheme cluster, as Lip Gloss does,
// and without a say of the locale.
func widthOf(s string) int {
	if isPlain(s) {
		return len(s)
	}
	return ansi.StringWidth(s)
}

// isPlain tells whether s is printable ASCII, the common case that needs no care.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] > 0x7e {
			return false
		}
	}
	return true
}

// cluster returns the first grapheme cluster of cleaned text and its width.
func cluster(s string) (c string, width int) {
	if s[0] < 0x80 && (len(s) == 1 || s[1] < 0x80) {
		return s[:1], 1
	}
	return ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
}

// Join puts texts one after the other.
func Join(parts ...Safe) Safe {
	n := 0
	for _, p := range parts {
		n += len(p.text)
	}
	var b strings.Builder
	b.Grow(n)
	out := Safe{}
	for _, p := range parts {
		for _, e := range p.shown {
			out.shown = append(out.shown, extent{b.Len() + e.from, b.Len() + e.to})
		}
		b.WriteString(p.text)
		out.width += p.width
	}
	out.text = b.String()
	return out
}

// prefix is the longest beginning of s that has at most w cells, in bytes and cells.
func (s Safe) prefix(w int) (n, cells int) {
	if s.width == len(s.text) {
		return max(0, min(w, len(s.text))), max(0, min(w, len(s.text)))
	}
	for n < len(s.text) {
		c, cw := cluster(s.text[n:])
		if cells+cw > w {
			break
		}
		n, cells = n+len(c), cells+cw
	}
	return n, cells
}

// slice cuts bytes out of s; width is theirs.
func (s Safe) slice(from, to, width int) Safe {
	out := Safe{text: s.text[from:to], width: width}
	for _, e := range s.shown {
		if e.to > from && e.from < to {
			out.shown = append(out.shown, extent{max(e.from, from) - from, min(e.to, to) - from})
		}
	}
	return out
}

// head is s without what does not fit into w cells.
func (s Safe) head(w int) Safe {
	n, cells := s.prefix(w)
	return s.slice(0, n, cells)
}

// tail is the end of s that fits into w cells.
func (s Safe) tail(w int) Safe {
	n, cells := s.prefix(s.width - max(w, 0))
	for s.width-cells > w && n < len(s.text) { // a wide cluster stood on the edge
		c, cw := cluster(s.text[n:])
		n, cells = n+len(c), cells+cw
	}
	return s.slice(n, len(s.text), s.width-cells)
}

// Cut shortens s to w cells, saying at the end that it did.
func (s Safe) Cut(w int, g *themes.Glyphs) Safe {
	if s.width <= w {
		return s
	}
	dots := trusted(string(g.Ellipsis))
	if w <= dots.width {
		return s.head(w)
	}
	return Join(s.head(w-dots.width), dots)
}

// Middle shortens s to w cells by taking from its middle: both ends of a name matter.
func (s Safe) Middle(w int, g *themes.Glyphs) Safe {
	if s.width <= w {
		return s
	}
	dots := trusted(string(g.Ellipsis))
	rest := w - dots.width
	if rest < 2 {
		return s.head(w)
	}
	end := rest / 3
	return Join(s.head(rest-end), dots, s.tail(end))
}

// Tail shortens s to w cells by taking from its head: of a number the last digits tell
// neighbours apart.
func (s Safe) Tail(w int, g *themes.Glyphs) Safe {
	if s.width <= w {
		return s
	}
	dots := trusted(string(g.Ellipsis))
	if w <= dots.width {
		return s.tail(w)
	}
	return Join(dots, s.tail(w-dots.width))
}

// Wrap breaks s into lines of at most w cells, at spaces where there are some.
func (s Safe) Wrap(w int) []Safe {
	if w < 2 { // a wide cluster would never fit
		return nil
	}
	var out []Safe
	for s.width > w {
		n, cells := s.prefix(w)
		if at := strings.LastIndexByte(s.text[:n], ' '); at > n/2 {
			n, cells = at, widthOf(s.text[:at])
		}
		out = append(out, s.slice(0, n, cells))
		s = s.slice(n, len(s.text), s.width-cells)
		if strings.HasPrefix(s.text, " ") {
			s = s.slice(1, len(s.text), s.width-1)
		}
	}
	return append(out, s)
}

// Span is a piece of text and what it means.
type Span struct {
	Tok  themes.Token
	Text Safe
}

// Spans is a line of pieces.
type Spans []Span

// Width is the sum of the pieces.
func (s Spans) Width() int {
	w := 0
	for _, p := range s {
		w += p.Text.width
	}
	return w
}

// fit shortens the widest piece so that all have at most w cells; where that leaves too
// little of it only the first piece stays.
func (s Spans) fit(w int, g *themes.Glyphs) Spans {
	over := s.Width() - w
	if over <= 0 || len(s) == 0 {
		return s
	}
	widest := 0
	for i := range s {
		if s[i].Text.width > s[widest].Text.width {
			widest = i
		}
	}
	if left := s[widest].Text.width - over; left >= 6 {
		out := append(Spans(nil), s...)
		out[widest].Text = out[widest].Text.Cut(left, g)
		return out
	}
	if s[0].Text.width <= w {
		return s[:1]
	}
	return nil
}

// Say is a Span of own text.
func Say(tok themes.Token, l Lit) Span { return Span{tok, Own(l)} }
