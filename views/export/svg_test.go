package export

import (
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"

	"mqscope/themes"
	"mqscope/views/queues"
	"mqscope/views/viewtest"
)

func theme(t testing.TB) *themes.Theme { return viewtest.Theme(t, "mqscope-dark", "unicode") }

// element is one of an SVG with its text.
type element struct {
	name string
	attr map[string]string
	text string
}

// read parses an SVG strictly. Anything in it that could act or load is an error.
func read(t testing.TB, svg []byte) (out []element) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(string(svg)))
	open := false
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatalf("%v in %s", err, svg)
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			e := element{name: tok.Name.Local, attr: map[string]string{}}
			switch e.name {
			case "svg", "title", "rect", "text":
			default:
				t.Fatalf("an element %s", e.name)
			}
			for _, a := range tok.Attr {
				if n := a.Name.Local; strings.HasPrefix(n, "on") || n == "href" || n == "style" {
					t.Fatalf("an attribute %s", n)
				}
				e.attr[a.Name.Local] = a.Value
			}
			out, open = append(out, e), true
		case xml.EndElement:
			open = false
		case xml.CharData:
			if open {
				out[len(out)-1].text += string(tok)
			}
		case xml.ProcInst, xml.Directive, xml.Comment:
			t.Fatalf("%T in %s", tok, svg)
		}
	}
}

// texts are the runs of an SVG.
func texts(all []element) (out []element) {
	for _, e := range all {
		if e.name == "text" {
			out = append(out, e)
		}
	}
	return out
}

func TestSVGPutsTextAtItsCells(t *testing.T) {
	runs := texts(read(t, SVG("ab  c\n\x1b[1;38;2;1;2;3m订x\x1b[0m \x1b[2;3;94mfaint\x1b[22;39m it", "a title", theme(t))))
	var got []string
	for _, e := range runs {
		a := e.attr
		got = append(got, strings.Join([]string{e.text, a["x"], a["y"], a["textLength"], a["fill"], a["font-weight"], a["font-style"], a["fill-opacity"]}, "|"))
	}
	want := []string{
		"ab|10|22.9|16.8|#d8dee9|||", "c|43.6|22.9|8.4|#d8dee9|||",
		"订|10|39.3|16.8|#010203|bold||", "x|26.8|39.3|8.4|#010203|bold||", "faint|43.6|39.3|42|#7abdff||italic|0.65", "it|94|39.3|16.8|#d8dee9||italic|",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestSVGColours(t *testing.T) {
	for _, c := range []struct{ in, fg, bg string }{
		{"\x1b[31m", "#e06c75", ""}, {"\x1b[38;5;196m", "#ff0000", ""}, {"\x1b[38;5;244m", "#808080", ""}, {"\x1b[38;5;1m", "#e06c75", ""},
		{"\x1b[38;2;300;0;9m", "#ff0009", ""}, {"\x1b[48;2;16;32;48m", "#d8dee9", "#102030"}, {"\x1b[7m", "#1a1d23", "#d8dee9"},
		{"\x1b[7;31m", "#1a1d23", "#e06c75"}, {"\x1b[41m\x1b[49m", "#d8dee9", ""}, {"\x1b[31m\x1b[m", "#d8dee9", ""}, {"\x1b[103m", "#d8dee9", "#f0c674"},
		{"\x1b[38;5m", "#d8dee9", ""}, {"\x1b[?31m", "#d8dee9", ""}, {"\x1b[31K", "#d8dee9", ""}, {"\x1b]0;31m\x07", "#d8dee9", ""},
	} {
		all := read(t, SVG(c.in+"x", "", theme(t)))
		runs := texts(all)
		if len(runs) != 1 || runs[0].text != "x" || runs[0].attr["fill"] != c.fg {
			t.Errorf("%q: %v", c.in, runs)
		}
		bg := ""
		for _, e := range all[3:] { // the first rectangle is the whole ground
			if e.name == "rect" {
				bg = e.attr["fill"]
			}
		}
		if bg != c.bg {
			t.Errorf("%q: ground %q, want %q", c.in, bg, c.bg)
		}
	}
}

func TestSVGUnderlinesBlanksToo(t *testing.T) {
	n := 0
	for _, e := range read(t, SVG("\x1b[4ma b\x1b[24m c", "", theme(t))) {
		if e.name == "rect" && e.attr["height"] == "1" {
			n++
			if e.attr["width"] != "25.2" {
				t.Errorf("a line of %s", e.attr["width"])
			}
		}
	}
	if n != 1 {
		t.Errorf("%d lines", n)
	}
}

// TestSVGOfAnything: whatever a frame holds, the picture is XML without anything that acts.
func TestSVGOfAnything(t *testing.T) {
	for _, s := range hostileFrames() {
		read(t, SVG(s, s, theme(t)))
		for _, r := range string(Text(s)) {
			if r != '\n' && (r < 0x20 || r == 0x7f || r >= 0x80 && r < 0xa0) {
				t.Errorf("%q: %U in the text", s, r)
			}
		}
	}
}

func hostileFrames() []string {
	return []string{
		"", "\n\n", "</text><script>alert(1)</script>", `"'<>&]]>`, "<!--", "<![CDATA[", "&#x41;&lt;", "\x00\x01\x1b", "\x1b[", "\x1b[38;2", "\x1b]8;;http://x\x07y\x1b]8;;\x07",
		"\x1bP1;2q\x1b\\z", "\ufffe\uffff\ufffd", "\xff\xfe\x80", "\u202eabc\u2066", "e\u0301\u0301\u0301", "\U000e0041", "👨‍👩‍👧", "\x9b31m", "\u009b31m", strings.Repeat("\x1b[1m", 1000) + "x",
		"\x1b[" + strings.Repeat("9;", 5000) + "m.", "\r\n\t\v\f", "\ud7ff",
	}
}

func FuzzSVG(f *testing.F) {
	for _, s := range hostileFrames() {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 1<<12 {
			return
		}
		read(t, SVG(s, s, theme(t)))
	})
}

func TestSVGOfAScreenHasItsWords(t *testing.T) {
	v := queues.New()
	shot := viewtest.Shot{View: v, Tab: "queues", State: v.Start(""), Case: viewtest.Case{Snap: viewtest.Hostile()}, W: 120, H: 36, Keys: viewtest.Keys(t), Theme: theme(t)}
	lines, _, _ := shot.Draw()
	all := read(t, SVG(strings.Join(lines, "\n"), "Queues", theme(t)))
	if w := all[0].attr["width"]; w != "1028" {
		t.Errorf("width %s", w)
	}
	var words strings.Builder
	for _, e := range texts(all) {
		words.WriteString(e.text)
		if _, err := strconv.ParseFloat(e.attr["textLength"], 64); err != nil {
			t.Error(err)
		}
	}
	strip := func(s string) string { return strings.ReplaceAll(strings.ReplaceAll(s, " ", ""), "\n", "") }
	if want, got := strip(string(Text(strings.Join(lines, "\n")))), strip(words.String()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func BenchmarkSVG(b *testing.B) {
	v := queues.New()
	shot := viewtest.Shot{View: v, Tab: "queues", State: v.Start(""), Case: viewtest.Case{Snap: viewtest.Normal()}, W: 120, H: 36, Keys: viewtest.Keys(b), Theme: theme(b)}
	lines, _, _ := shot.Draw()
	text := strings.Join(lines, "\n")
	var n int
	for b.Loop() {
		n = len(SVG(text, "Queues", shot.Theme))
	}
	b.ReportMetric(float64(n), "bytes")
}
