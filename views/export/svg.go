package export

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"
	"unicode/utf8"

	"mqscope/themes"
)

// Tenths of a pixel: the size of a cell, where text stands in it, and the margin.
const (
	cellW    = 84
	cellH    = 164 // as high as the usual fonts are, so that the lines of boxes meet
	baseline = 129
	margin   = 100
	fontSize = 14
)

// SVG draws a frame: text at the places that its cells have, whatever the font, without any
// script or link. title is for those who do not see it.
func SVG(frame, title string, t *themes.Theme) []byte {
	lines := strings.Split(frame, "\n")
	rows := make([][]piece, len(lines))
	width, look := 0, ink{}
	for y, line := range lines {
		rows[y], look = pieces(line, look, t.Dark)
		if n := len(rows[y]); n > 0 {
			width = max(width, rows[y][n-1].at+rows[y][n-1].w)
		}
	}
	d := drawing{theme: t}
	d.fg, d.bg = grounds(t)
	w, h := tenths(width*cellW+2*margin), tenths(len(lines)*cellH+2*margin)
	fmt.Fprintf(&d.b, `<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %s %s" role="img" `, w, h, w, h)
	fmt.Fprintf(&d.b, `font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="%d">`, fontSize)
	d.b.WriteString("\n<title>")
	d.text(title)
	fmt.Fprintf(&d.b, "</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"%s\"/>\n", hex(d.bg))
	for y, row := range rows {
		d.grounds(row, y)
		d.words(row, y)
	}
	d.b.WriteString("</svg>\n")
	return d.b.Bytes()
}

// drawing is a picture in the making.
type drawing struct {
	b      bytes.Buffer
	theme  *themes.Theme
	fg, bg rgb
}

// colors are those of text and ground; ground says that there is one.
func (d *drawing) colors(k ink) (fg, bg rgb, ground bool) {
	fg, bg = d.fg, d.bg
	if k.fgSet {
		fg = k.fg
	}
	if k.bgSet {
		bg = k.bg
	}
	if k.reverse {
		fg, bg = bg, fg
	}
	return fg, bg, k.bgSet || k.reverse
}

// grounds draws what lies behind the cells of a line.
func (d *drawing) grounds(row []piece, y int) {
	for i := 0; i < len(row); {
		_, bg, ground := d.colors(row[i].ink)
		j := i + 1
		for ; j < len(row); j++ {
			if _, other, on := d.colors(row[j].ink); other != bg || on != ground {
				break
			}
		}
		if ground {
			d.rect(row[i].at, row[j-1].at+row[j-1].w, margin+y*cellH, cellH, bg)
		}
		i = j
	}
}

// rect fills cells from and up to to of a line; y and h are tenths.
func (d *drawing) rect(from, to, y, h int, c rgb) {
	fmt.Fprintf(&d.b, `<rect x="%s" y="%s" width="%s" height="%s" fill="%s"/>`+"\n",
		tenths(margin+from*cellW), tenths(y), tenths((to-from)*cellW), tenths(h), hex(c))
}

// words draws the text of a line in runs that look alike, and lines below and through them.
func (d *drawing) words(row []piece, y int) {
	for i := 0; i < len(row); {
		j := i + 1
		for j < len(row) && joins(row[j-1], row[j]) {
			j++
		}
		d.run(row[i:j], y)
		i = j
	}
	for i := 0; i < len(row); {
		j := i + 1
		for j < len(row) && row[j].ink == row[i].ink {
			j++
		}
		fg, _, _ := d.colors(row[i].ink)
		from, to, top := row[i].at, row[j-1].at+row[j-1].w, margin+y*cellH
		if row[i].ink.underline {
			d.rect(from, to, top+baseline+15, 10, fg)
		}
		if row[i].ink.strike {
			d.rect(from, to, top+baseline-42, 10, fg)
		}
		i = j
	}
}

// joins tells whether b goes on the run of a. Fonts differ in how wide they make what is no
// ASCII, so that stands apart.
func joins(a, b piece) bool {
	return a.ink == b.ink && a.w == 1 && b.w == 1 && ascii(a) == ascii(b) && (a.text != " " || b.text != " ")
}

func ascii(p piece) bool { return len(p.text) == 1 }

func (d *drawing) run(row []piece, y int) {
	for len(row) > 0 && row[0].text == " " {
		row = row[1:]
	}
	for len(row) > 0 && row[len(row)-1].text == " " {
		row = row[:len(row)-1]
	}
	if len(row) == 0 {
		return
	}
	k, from, last := row[0].ink, row[0].at, row[len(row)-1]
	fg, _, _ := d.colors(k)
	fmt.Fprintf(&d.b, `<text x="%s" y="%s" textLength="%s" lengthAdjust="spacingAndGlyphs" fill="%s"`,
		tenths(margin+from*cellW), tenths(margin+y*cellH+baseline), tenths((last.at+last.w-from)*cellW), hex(fg))
	if k.bold {
		d.b.WriteString(` font-weight="bold"`)
	}
	if k.italic {
		d.b.WriteString(` font-style="italic"`)
	}
	if k.faint {
		d.b.WriteString(` fill-opacity="0.65"`)
	}
	d.b.WriteByte('>')
	for _, p := range row {
		d.text(p.text)
	}
	d.b.WriteString("</text>\n")
}

// text writes words; what XML does not know or nobody sees is written out first.
func (d *drawing) text(s string) {
	s = visible(s, "")
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	_ = xml.EscapeText(&d.b, []byte(s)) // a buffer takes all
}

// tenths writes a number of tenths.
func tenths(n int) string {
	if n%10 == 0 {
		return fmt.Sprint(n / 10)
	}
	return fmt.Sprintf("%d.%d", n/10, n%10)
}

func hex(c rgb) string { return fmt.Sprintf("#%02x%02x%02x", c.r, c.g, c.b) }
