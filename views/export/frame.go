package export

import (
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"mqscope/themes"
)

// Text is a frame without its looks: lines of text, no blanks at their ends.
func Text(frame string) []byte {
	lines := strings.Split(ansi.Strip(frame), "\n")
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(strings.TrimRight(visible(l, ""), " "))
		b.WriteByte('\n')
	}
	return []byte(b.String())
}

// rgb is a colour.
type rgb struct{ r, g, b uint8 }

// ink is how a cell looks. A colour that is not set is the terminal's own.
type ink struct {
	fg, bg                                          rgb
	fgSet, bgSet                                    bool
	bold, faint, italic, underline, reverse, strike bool
}

// piece is a cluster of one line: one or two cells.
type piece struct {
	text string
	at   int // its first cell
	w    int
	ink  ink
}

// pieces reads one line of a frame. Sequences other than those that set looks are left out.
func pieces(line string, in ink, dark bool) ([]piece, ink) {
	var out []piece
	state := byte(0)
	for x := 0; line != ""; {
		seq, w, n, next := ansi.DecodeSequence(line, state, nil)
		state = next
		if w > 0 {
			out = append(out, piece{seq, x, w, in})
			x += w
		} else if p, ok := looks(seq); ok {
			in = in.with(p, dark)
		}
		line = line[max(n, 1):]
	}
	return out, in
}

// looks are the parameters of a sequence that sets looks, at most 32 of them; one that is
// missing is 0, and ok is false for other sequences.
func looks(seq string) (params []int, ok bool) {
	body, ok := strings.CutPrefix(seq, string(rune(0x1b))+"[")
	if !ok || !strings.HasSuffix(body, "m") {
		return nil, false
	}
	for f := range strings.SplitSeq(strings.TrimSuffix(body, "m"), ";") {
		n, err := strconv.Atoi(f)
		if f != "" && err != nil || len(params) == 32 {
			return params, len(params) > 0
		}
		params = append(params, n)
	}
	return params, true
}

// with is the look after a sequence.
func (k ink) with(params []int, dark bool) ink {
	for i := 0; i < len(params); i++ {
		switch n := params[i]; n {
		case 38, 48:
			c, used := extended(params[i+1:], dark)
			if used == 0 {
				return k
			}
			i += used
			k = k.paint(n, c)
		default:
			if c, at, ok := sixteen(n, dark); ok {
				k = k.paint(at, c)
			} else {
				k = k.set(n)
			}
		}
	}
	return k
}

// set is the look after one parameter that names no colour.
func (k ink) set(n int) ink {
	switch n {
	case 0:
		return ink{}
	case 1:
		k.bold = true
	case 2:
		k.faint = true
	case 3, 23:
		k.italic = n == 3
	case 4, 24:
		k.underline = n == 4
	case 7, 27:
		k.reverse = n == 7
	case 9, 29:
		k.strike = n == 9
	case 22:
		k.bold, k.faint = false, false
	case 39:
		k.fgSet = false
	case 49:
		k.bgSet = false
	}
	return k
}

func (k ink) paint(at int, c rgb) ink {
	if at == 38 {
		k.fg, k.fgSet = c, true
	} else {
		k.bg, k.bgSet = c, true
	}
	return k
}

// sixteen reads a parameter that names one of the sixteen colours; at is 38 for the text and
// 48 for the ground.
func sixteen(n int, dark bool) (c rgb, at int, ok bool) {
	switch {
	case n >= 30 && n <= 37:
		return ansiColor(n-30, dark), 38, true
	case n >= 40 && n <= 47:
		return ansiColor(n-40, dark), 48, true
	case n >= 90 && n <= 97:
		return ansiColor(n-90+8, dark), 38, true
	case n >= 100 && n <= 107:
		return ansiColor(n-100+8, dark), 48, true
	}
	return c, 0, false
}

// extended reads what follows 38 or 48; used is how many parameters that took.
func extended(p []int, dark bool) (c rgb, used int) {
	get := func(i int) int { return min(max(p[i], 0), 255) }
	switch {
	case len(p) >= 2 && get(0) == 5:
		return indexed(get(1), dark), 2
	case len(p) >= 4 && get(0) == 2:
		return rgb{uint8(get(1)), uint8(get(2)), uint8(get(3))}, 4
	}
	return c, 0
}

// indexed is one of 256 colours: sixteen, a cube of six levels, a ramp of greys.
func indexed(n int, dark bool) rgb {
	switch {
	case n < 16:
		return ansiColor(n, dark)
	case n >= 232:
		v := uint8(8 + 10*(n-232))
		return rgb{v, v, v}
	}
	level := func(i int) uint8 {
		if i == 0 {
			return 0
		}
		return uint8(55 + 40*i)
	}
	n -= 16
	return rgb{level(n / 36), level(n / 6 % 6), level(n % 6)}
}

// ansiColor is one of the sixteen colours, which are every user's own: these are readable on
// our grounds.
func ansiColor(n int, dark bool) rgb {
	if dark {
		return [...]rgb{
			{0x3b, 0x42, 0x52}, {0xe0, 0x6c, 0x75}, {0x8c, 0xc2, 0x65}, {0xe5, 0xa5, 0x4b}, {0x5a, 0xa2, 0xe8}, {0xc6, 0x78, 0xdd}, {0x42, 0xb3, 0xc2}, {0xd8, 0xde, 0xe9},
			{0x8c, 0x98, 0xa8}, {0xff, 0x8a, 0x80}, {0xa5, 0xe0, 0x75}, {0xf0, 0xc6, 0x74}, {0x7a, 0xbd, 0xff}, {0xde, 0x9c, 0xf0}, {0x5c, 0xd0, 0xdd}, {0xff, 0xff, 0xff},
		}[n]
	}
	return [...]rgb{
		{0x1f, 0x24, 0x30}, {0xb3, 0x26, 0x1e}, {0x2f, 0x6f, 0x1a}, {0x85, 0x5a, 0x00}, {0x1c, 0x5d, 0xa8}, {0x88, 0x3a, 0x9e}, {0x0c, 0x6b, 0x77}, {0x6b, 0x74, 0x86},
		{0x4a, 0x53, 0x65}, {0xc2, 0x35, 0x2b}, {0x37, 0x7d, 0x20}, {0x92, 0x64, 0x00}, {0x1f, 0x6a, 0xbf}, {0x96, 0x42, 0xad}, {0x0e, 0x76, 0x83}, {0x30, 0x36, 0x42},
	}[n]
}

// grounds are the terminal's own colours as the themes take them to be.
func grounds(t *themes.Theme) (fg, bg rgb) {
	if t.Dark {
		return rgb{0xd8, 0xde, 0xe9}, rgb{0x1a, 0x1d, 0x23}
	}
	return rgb{0x1f, 0x24, 0x30}, rgb{0xfa, 0xfa, 0xfa}
}
