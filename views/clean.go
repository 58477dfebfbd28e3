package views

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"mqscope/themes"
)

// Limits of what is cleaned.
const (
	cellClusters  = 256      // of one cell, the note about a cut included
	bodyBytes     = 64 << 10 // of one page of a body
	tailClusters  = 24       // longest note about a cut
	marksPerBase  = 4
	runesInOne    = 12 // of a grapheme cluster that is drawn as it is
	scanRunes     = 32 // looked at to find the end of a cluster
	tabStop       = 8
	cachedNames   = 1 << 15
	noClusterStop = 1 << 30
)

// Cleaner makes untrusted text safe: what does not show as it is becomes visible, nothing is
// dropped. It remembers names, because the same ones are drawn in every frame. It is for one
// goroutine.
type Cleaner struct {
	glyphs *themes.Glyphs
	names  map[string]Safe
}

// NewCleaner returns a Cleaner for the Unicode set; Use changes that.
func NewCleaner() *Cleaner {
	return &Cleaner{glyphs: themes.Unicode(), names: map[string]Safe{}}
}

// Use makes the Cleaner write for a set of signs: for the ASCII set text is escaped down to
// ASCII.
func (c *Cleaner) Use(g *themes.Glyphs) {
	if g.Name != c.glyphs.Name {
		clear(c.names)
	}
	c.glyphs = g
}

// Cell cleans text for one line: at most 256 clusters, line feeds made visible.
func (c *Cleaner) Cell(s string) Safe {
	if isPlain(s) && len(s) <= cellClusters {
		return Safe{text: s, width: len(s)}
	}
	if safe, ok := c.names[s]; ok {
		return safe
	}
	if len(c.names) >= cachedNames {
		clear(c.names)
	}
	safe := c.clean(s, cellClusters)
	c.names[strings.Clone(s)] = safe
	return safe
}

// Body cleans at most 64 KiB of text into lines; rest is how many bytes were left out.
func (c *Cleaner) Body(b []byte) (lines []Safe, rest int) {
	if len(b) > bodyBytes {
		cut := bodyBytes
		for cut > bodyBytes-utf8.UTFMax && !utf8.RuneStart(b[cut]) {
			cut--
		}
		b, rest = b[:cut], len(b)-cut
	}
	for line := range strings.SplitSeq(string(b), "\n") {
		lines = append(lines, c.clean(line, noClusterStop))
	}
	if rest > 0 {
		lines = append(lines, Safe{}.note(c.more(rest)))
	}
	return lines, rest
}

func (c *Cleaner) more(bytes int) string {
	return string(c.glyphs.Ellipsis) + " " + bytesText(int64(bytes), " ") + " more"
}

// note appends text that stands for something that is not drawn.
func (s Safe) note(text string) Safe {
	at := len(s.text)
	s.text += text
	s.width += widthOf(text)
	s.shown = append(s.shown, extent{at, len(s.text)})
	return s
}

// clean is the table of tui.md section 5.4. Its result has at most limit clusters and is a
// fixed point: cleaning it again changes nothing. The time is linear in what is looked at.
func (c *Cleaner) clean(s string, limit int) Safe {
	w := writer{ascii: c.glyphs.ASCII, dots: string(c.glyphs.Ellipsis)}
	keep := w   // the state at the last place where a cut leaves room for the note
	keptAt := 0 // and what was read by then
	for i := 0; i < len(s); {
		i += w.next(s[i:])
		if w.clusters > limit {
			w = keep
			w.out = w.out[:keep.len]
			return w.safe().note(c.more(len(s) - keptAt))
		}
		if w.clusters <= limit-tailClusters {
			w.len = len(w.out)
			keep, keptAt = w, i
		}
	}
	return w.safe()
}

// writer collects cleaned text.
type writer struct {
	ascii    bool
	dots     string
	out      []byte
	len      int // of out, when the writer was kept
	width    int
	clusters int
	shown    []extent
}

func (w *writer) safe() Safe {
	return Safe{text: string(w.out), width: w.width, shown: w.shown}
}

// plain writes n ASCII bytes.
func (w *writer) plain(s string) {
	w.out = append(w.out, s...)
	w.width += len(s)
	w.clusters += len(s)
}

// stand writes text that stands for a character which does not show as it is.
func (w *writer) stand(text string) {
	from := len(w.out)
	w.out = append(w.out, text...)
	w.width += widthOf(text)
	w.clusters += utf8.RuneCountInString(text)
	w.shown = append(w.shown, extent{from, len(w.out)})
}

func (w *writer) escape(r rune) {
	if r > 0xFFFF {
		w.stand(fmt.Sprintf(`\U%08x`, r))
		return
	}
	w.stand(fmt.Sprintf(`\u%04x`, r))
}

// next cleans the first thing of s and returns how many bytes that was.
func (w *writer) next(s string) int {
	b := s[0]
	if b >= 0x20 && b < 0x7f && (len(s) == 1 || s[1] < 0x80) {
		w.plain(s[:1])
		return 1
	}
	if b < 0x20 || b == 0x7f {
		w.control(b)
		return 1
	}
	r, size := utf8.DecodeRuneInString(s)
	switch {
	case r == utf8.RuneError && size == 1:
		w.stand(fmt.Sprintf(`\x%02x`, b))
		return 1
	case invisible(r), w.ascii && r > 0x7e:
		w.escape(r)
		return size
	}
	return w.cluster(s)
}

func (w *writer) control(b byte) {
	switch {
	case b == '\t':
		w.plain("        "[:tabStop-w.width%tabStop])
	case w.ascii:
		w.stand(string([]byte{'^', b ^ 0x40}))
	case b == 0x7f:
		w.stand("␡")
	default:
		w.stand(string(rune(0x2400) + rune(b)))
	}
}

// cluster writes the first grapheme cluster of s if it is one that terminals agree on.
func (w *writer) cluster(s string) int {
	piece, whole := visiblePiece(s)
	if w.ascii { // the caller has seen a letter with something above ASCII behind it
		w.plain(s[:1])
		return 1
	}
	c, width := ansi.FirstGraphemeCluster(piece, ansi.GraphemeWidth)
	marks, runes := 0, 0
	for _, r := range c {
		runes++
		if unicode.Is(unicode.M, r) {
			marks++
		}
	}
	_, first := utf8.DecodeRuneInString(c)
	switch {
	case marks > marksPerBase || runes > runesInOne || width > 2 && runes > 1:
		n := len(c)
		if len(c) == len(piece) && !whole {
			n += marksAhead(s[n:], &runes)
		}
		if c, width = s[:first], widthOf(s[:first]); !stands(c, width) {
			w.escapeAll(c)
		} else {
			w.one(c, width)
		}
		w.stand(fmt.Sprintf(`\u%s%d`, w.dots, runes-1))
		return n
	case !stands(c, width):
		w.escapeAll(c)
	default:
		w.one(c, width)
	}
	return len(c)
}

func (w *writer) one(c string, width int) {
	w.out = append(w.out, c...)
	w.width += width
	w.clusters++
}

func (w *writer) escapeAll(s string) {
	for _, r := range s {
		w.escape(r)
	}
}

// stands tells whether a cluster has one or two cells and stays by itself whatever is drawn
// beside it: a mark without a base would sit on our own text.
func stands(c string, width int) bool {
	if width < 1 || width > 2 {
		return false
	}
	before, _ := ansi.FirstGraphemeCluster("x"+c, ansi.GraphemeWidth)
	after, _ := ansi.FirstGraphemeCluster(c+"x", ansi.GraphemeWidth)
	return len(before) == 1 && len(after) == len(c)
}

// visiblePiece is the beginning of s up to something that is made visible, at least one
// character and at most scanRunes; whole is false when it was cut for its length.
func visiblePiece(s string) (piece string, whole bool) {
	_, n := utf8.DecodeRuneInString(s)
	for runes := 1; n < len(s); runes++ {
		r, size := utf8.DecodeRuneInString(s[n:])
		if r < 0x20 || r == 0x7f || r == utf8.RuneError && size == 1 || invisible(r) {
			return s[:n], true
		}
		if runes >= scanRunes {
			return s[:n], false
		}
		n += size
	}
	return s, true
}

// marksAhead is how many bytes of s are marks, which are counted into runes.
func marksAhead(s string, runes *int) int {
	for i, r := range s {
		if !unicode.Is(unicode.M, r) || invisible(r) {
			return i
		}
		*runes++
	}
	return len(s)
}

// invisible tells whether r must be escaped: controls of C1, marks that change direction,
// characters that are not seen or that terminals disagree about, and those without a
// meaning. U+FFFD is a character like others when it was written as such.
func invisible(r rune) bool {
	switch {
	case r < 0x7f:
		return false
	case r <= 0xa0, r == 0xad: // C1, no-break space, soft hyphen
		return true
	case r == 0x3000: // the ideographic space is as wide as its neighbours
		return false
	case r == 0x2800: // a Braille pattern without dots
		return true
	}
	return !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S) ||
		unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}
