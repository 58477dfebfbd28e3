package themes

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// rgb is a colour of 8 bits a channel.
type rgb struct{ r, g, b uint8 }

// parseRGB reads six hexadecimal digits, with or without #.
func parseRGB(s string) (rgb, error) {
	h := strings.TrimPrefix(s, "#")
	v, err := strconv.ParseUint(h, 16, 32)
	if err != nil || len(h) != 6 {
		return rgb{}, fmt.Errorf("colour %q: want six hexadecimal digits such as 56B4E9", s)
	}
	return rgb{uint8(v >> 16), uint8(v >> 8), uint8(v)}, nil
}

func parseANSI(s string) (int, error) {
	switch s {
	case "default":
		return ansiDefault, nil
	case "reverse":
		return ansiReverse, nil
	case "bold":
		return ansiBold, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n > 15 {
		return 0, fmt.Errorf("ansi %q: want 0 to 15, default, bold or reverse", s)
	}
	return n, nil
}

// attr is a set of SGR attributes.
type attr uint8

const (
	bold attr = 1 << iota
	faint
	underline
	reverse
)

func parseAttr(s string) (attr, error) {
	var a attr
	for w := range strings.FieldsSeq(s) {
		switch w {
		case "bold":
			a |= bold
		case "faint":
			a |= faint
		case "underline":
			a |= underline
		case "reverse":
			a |= reverse
		case "none":
		default:
			return 0, fmt.Errorf("attribute %q: want bold, faint, underline, reverse or none", w)
		}
	}
	return a, nil
}

// luminance is the relative luminance of WCAG 2.
func (c rgb) luminance() float64 {
	lin := func(v uint8) float64 {
		f := float64(v) / 255
		if f <= 0.04045 {
			return f / 12.92
		}
		return math.Pow((f+0.055)/1.055, 2.4)
	}
	return 0.2126*lin(c.r) + 0.7152*lin(c.g) + 0.0722*lin(c.b)
}

// contrast is the contrast ratio of WCAG 2, 1 to 21.
func (c rgb) contrast(o rgb) float64 {
	a, b := c.luminance(), o.luminance()
	return (max(a, b) + 0.05) / (min(a, b) + 0.05)
}

// index256 is the nearest of the fixed colours 16 to 255. The first sixteen are the user's
// own and unknown to us, so they are not used.
func (c rgb) index256() int {
	step := func(v uint8) (i int, level int) {
		levels := [...]int{0, 95, 135, 175, 215, 255}
		for j, l := range levels {
			if abs(int(v)-l) < abs(int(v)-levels[i]) {
				i = j
			}
		}
		return i, levels[i]
	}
	ri, rl := step(c.r)
	gi, gl := step(c.g)
	bi, bl := step(c.b)
	gray := min(max((int(c.r)+int(c.g)+int(c.b))/3-8, 0)/10, 23)
	level := 8 + 10*gray
	if c.distance(level, level, level) < c.distance(rl, gl, bl) {
		return 232 + gray
	}
	return 16 + 36*ri + 6*gi + bi
}

func (c rgb) distance(r, g, b int) int {
	dr, dg, db := int(c.r)-r, int(c.g)-g, int(c.b)-b
	return dr*dr + dg*dg + db*db
}

func abs(n int) int { return max(n, -n) }
