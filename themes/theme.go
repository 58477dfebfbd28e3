package themes

import (
	"fmt"
	"strconv"
	"strings"
)

// Profile is how much colour a terminal shows. The zero value sets no limit.
type Profile uint8

const (
	TrueColor Profile = iota
	Color256
	Color16
	Mono // attributes only
)

// String is the name that ParseProfile reads.
func (p Profile) String() string { return [...]string{"truecolor", "256", "16", "mono"}[p] }

// ParseProfile reads truecolor, 256, 16 or mono.
func ParseProfile(s string) (Profile, error) {
	for p := TrueColor; p <= Mono; p++ {
		if p.String() == strings.ToLower(s) {
			return p, nil
		}
	}
	return TrueColor, fmt.Errorf("colour profile %q is unknown: use truecolor, 256, 16 or mono", s)
}

// DetectProfile guesses from COLORTERM and TERM. A terminal that says nothing gets sixteen
// colours, a dumb one none.
func DetectProfile(colorTerm, term string) Profile {
	switch c := strings.ToLower(colorTerm); {
	case c == "truecolor" || c == "24bit":
		return TrueColor
	case term == "dumb" || term == "":
		return Mono
	case strings.Contains(term, "direct"):
		return TrueColor
	case strings.Contains(term, "256color"):
		return Color256
	}
	return Color16
}

// pair opens and closes one look.
type pair struct{ open, close string }

// Theme paints tokens for one terminal. It is made once and never changed: it may be shared.
type Theme struct {
	Name    string
	Dark    bool
	Profile Profile
	Glyphs  *Glyphs

	plain [tokenCount]pair
	// on has the looks of tokens in a row whose background is Select or SelectBlur.
	on [2][tokenCount]pair
}

// Build makes a theme of a palette: dark says what the ground is, profile what the terminal
// can show (the palette may ask for less), glyphs which signs to use (nil: Unicode).
func Build(p *Palette, dark bool, profile Profile, glyphs *Glyphs) *Theme {
	if glyphs == nil {
		glyphs = Unicode()
	}
	t := &Theme{Name: p.Name, Dark: dark, Profile: max(profile, p.Profile), Glyphs: glyphs}
	for tok := Text; tok < tokenCount; tok++ {
		t.plain[tok] = t.pairOf(p.looks[tok], tok.IsBackground())
	}
	for i, bg := range [...]Token{Select, SelectBlur} {
		for tok := Text; tok < tokenCount; tok++ {
			t.on[i][tok] = t.pairOnRow(p, bg, tok)
		}
	}
	return t
}

// pairOnRow keeps text readable on a row's background: dim words become plain there, and on
// a reversed row a colour would become the ground, so only attributes are left.
func (t *Theme) pairOnRow(p *Palette, bg, tok Token) pair {
	if t.Profile >= Color16 {
		if t.Profile == Color16 && p.looks[bg].ansi != ansiReverse {
			return t.plain[tok]
		}
		return sequence(nil, p.looks[tok].mono&^(faint|reverse))
	}
	switch tok {
	case Muted, Faint, Border, KeyText, MsgGap, MsgDone, TaskDrop, TaskPark, OffMin, OffMax, Unknown,
		Stale, MsgHeld, LockOther:
		l := p.looks[Text]
		l.attr = p.looks[tok].attr | p.looks[tok].mono&underline
		return t.pairOf(l, false)
	}
	return t.plain[tok]
}

// Paint returns the sequences before and after text of token tok. Both are empty when the
// token looks like the terminal's own text. They are cached: this is the fast path.
func (t *Theme) Paint(tok Token) (open, end string) {
	p := &t.plain[tok]
	return p.open, p.close
}

// PaintOn is Paint for text in a row with background bg, which the caller opens with
// Paint(bg). Any bg but Select and SelectBlur is none.
func (t *Theme) PaintOn(bg, tok Token) (open, end string) {
	if !bg.IsBackground() {
		return t.Paint(tok)
	}
	p := &t.on[bg-Select][tok]
	return p.open, p.close
}

// Sequences is every sequence that the theme may write: a frame holds no other.
func (t *Theme) Sequences() map[string]bool {
	all := map[string]bool{}
	add := func(p pair) { all[p.open], all[p.close] = true, true }
	for tok := range tokenCount {
		add(t.plain[tok])
		add(t.on[0][tok])
		add(t.on[1][tok])
	}
	delete(all, "")
	return all
}

func (t *Theme) pairOf(l look, background bool) pair {
	c := l.dark
	if !t.Dark {
		c = l.light
	}
	base := 30
	if background {
		base = 40
	}
	switch t.Profile {
	case Mono:
		return sequence(nil, l.mono)
	case Color16:
		switch {
		case l.ansi == ansiDefault:
			return sequence(nil, l.attr)
		case l.ansi == ansiBold:
			return sequence(nil, l.attr|bold)
		case l.ansi == ansiReverse:
			return sequence(nil, l.attr|reverse)
		case l.ansi >= 8:
			return sequence([]int{base + 60 + l.ansi - 8, base + 9}, l.attr)
		}
		return sequence([]int{base + l.ansi, base + 9}, l.attr)
	case Color256:
		return sequence([]int{base + 8, 5, c.index256(), base + 9}, l.attr)
	}
	return sequence([]int{base + 8, 2, int(c.r), int(c.g), int(c.b), base + 9}, l.attr)
}

// sequence makes a pair of SGR sequences: the last of color is what ends it, the others what
// begins it. Ends name what they end, so that a row's background outlives the text on it.
func sequence(color []int, a attr) pair {
	var open, end []string
	if len(color) > 0 {
		for _, n := range color[:len(color)-1] {
			open = append(open, strconv.Itoa(n))
		}
		end = append(end, strconv.Itoa(color[len(color)-1]))
	}
	for _, s := range [...]struct {
		bit     attr
		on, off string
	}{{bold, "1", "22"}, {faint, "2", "22"}, {underline, "4", "24"}, {reverse, "7", "27"}} {
		if a&s.bit != 0 {
			open, end = append(open, s.on), append(end, s.off)
		}
	}
	if len(open) == 0 {
		return pair{}
	}
	return pair{"\x1b[" + strings.Join(open, ";") + "m", "\x1b[" + strings.Join(end, ";") + "m"}
}
