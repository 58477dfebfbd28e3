package themes

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/width"
)

func TestEveryTokenHasANameThatReadsBack(t *testing.T) {
	seen := map[string]bool{}
	for tok := Text; tok < tokenCount; tok++ {
		name := tok.String()
		if name == "" || name == "none" || seen[name] {
			t.Errorf("token %d is called %q", tok, name)
		}
		seen[name] = true
		if back, ok := ParseToken(name); !ok || back != tok {
			t.Errorf("%s reads back as %v", name, back)
		}
	}
}

func TestBuiltinPalettesAreWhole(t *testing.T) {
	for _, name := range Names() {
		p, err := Builtin(name)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if p.Name != name || p.About == "" {
			t.Errorf("%s is called %q and says %q of itself", name, p.Name, p.About)
		}
		for tok := Text; tok < tokenCount; tok++ {
			if l := p.looks[tok]; l.dark == (rgb{}) && l.light == (rgb{}) {
				t.Errorf("%s has no look for %s", name, tok)
			}
		}
	}
}

// TestContrast checks the ratios of tui.md section 4 against the two design grounds.
func TestContrast(t *testing.T) {
	grounds := []struct {
		dark bool
		ink  rgb
	}{{true, rgb{0x1A, 0x1D, 0x23}}, {false, rgb{0xFA, 0xFA, 0xFA}}}
	for _, name := range []string{"mqscope", "high-contrast", "deuteranopia", "tritanopia"} {
		p, err := Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range grounds {
			color := func(tok Token) rgb {
				if g.dark {
					return p.looks[tok].dark
				}
				return p.looks[tok].light
			}
			for tok := Text; tok < tokenCount; tok++ {
				if tok.IsBackground() || tok == Border {
					continue // a line that only divides carries nothing
				}
				least := 4.5
				if tok.IsFill() {
					least = 3
				}
				if name == "high-contrast" && !tok.IsFill() {
					least = 7
				}
				if c := color(tok).contrast(g.ink); c < least {
					t.Errorf("%s dark=%v: %s has contrast %.2f, want %.1f", name, g.dark, tok, c, least)
				}
			}
			for _, bg := range []Token{Select, SelectBlur} {
				if c := color(Text).contrast(color(bg)); c < 4.5 {
					t.Errorf("%s dark=%v: text on %s has contrast %.2f", name, g.dark, bg, c)
				}
				for _, tok := range []Token{OK, Watch, Warn, Bad, MsgRun, MsgRetry} {
					if c := color(tok).contrast(color(bg)); c < 3 {
						t.Errorf("%s dark=%v: %s on %s has contrast %.2f", name, g.dark, tok, bg, c)
					}
				}
			}
		}
	}
}

var sgr = regexp.MustCompile(`^\x1b\[[0-9;]+m$`)

func allThemes(t *testing.T) []*Theme {
	t.Helper()
	var all []*Theme
	for _, name := range Names() {
		p, err := Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, dark := range []bool{true, false} {
			for prof := TrueColor; prof <= Mono; prof++ {
				all = append(all, Build(p, dark, prof, nil))
			}
		}
	}
	return all
}

func TestThemesWriteOnlySGR(t *testing.T) {
	for _, th := range allThemes(t) {
		for s := range th.Sequences() {
			if !sgr.MatchString(s) {
				t.Errorf("%s %v: %q is no SGR sequence", th.Name, th.Profile, s)
			}
		}
		for tok := range tokenCount {
			for _, bg := range []Token{None, Select, SelectBlur} {
				if open, end := th.PaintOn(bg, tok); (open == "") != (end == "") {
					t.Errorf("%s %v: %s on %s opens %q and ends %q", th.Name, th.Profile, tok, bg, open, end)
				}
			}
		}
	}
}

func TestMonoWritesAttributesItself(t *testing.T) {
	p, err := Builtin("mono")
	if err != nil {
		t.Fatal(err)
	}
	th := Build(p, true, TrueColor, nil)
	only := regexp.MustCompile(`^\x1b\[([1247]|2[247])(;([1247]|2[247]))*m$`)
	for s := range th.Sequences() {
		if !only.MatchString(s) {
			t.Errorf("mono writes %q", s)
		}
	}
	for tok, want := range map[Token]string{Select: "\x1b[7m", Title: "\x1b[1m", Faint: "\x1b[2m", Stale: "\x1b[4m", Bad: "\x1b[1;4m"} {
		if open, _ := th.Paint(tok); open != want {
			t.Errorf("%s opens with %q, want %q", tok, open, want)
		}
	}
}

func TestProfilesKeepToTheirColours(t *testing.T) {
	for _, th := range allThemes(t) {
		for s := range th.Sequences() {
			bad := false
			switch th.Profile {
			case Color256:
				bad = strings.Contains(s, "8;2;")
			case Color16, Mono:
				bad = strings.Contains(s, "8;2;") || strings.Contains(s, "8;5;")
			}
			if bad {
				t.Errorf("%s in profile %v writes %q", th.Name, th.Profile, s)
			}
		}
	}
}

func TestNearestOf256Colours(t *testing.T) {
	tests := []struct {
		name string
		c    rgb
		want int
	}{
		{"black is the cube's first", rgb{0, 0, 0}, 16},
		{"white is the cube's last", rgb{255, 255, 255}, 231},
		{"pure red", rgb{255, 0, 0}, 196},
		{"a gray comes from the ramp", rgb{0x80, 0x80, 0x80}, 244},
		{"the house blue", rgb{0x56, 0xB4, 0xE9}, 74},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.c.index256(); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}

func TestGlyphSets(t *testing.T) {
	for _, name := range GlyphNames() {
		g, err := GlyphsByName(name)
		if err != nil || g.Name != name {
			t.Fatalf("%s: %v %v", name, g, err)
		}
		for _, r := range fmt.Sprint(*g) {
			switch {
			case name == "ascii" && r > 0x7e:
				t.Errorf("ascii has %q", r)
			case name == "cjk" && width.LookupRune(r).Kind() == width.EastAsianAmbiguous:
				t.Errorf("cjk has %q, whose width is ambiguous", r)
			case strings.ContainsRune("⚠▶⏸✔✖", r):
				t.Errorf("%s has %q, which some terminals draw as an emoji", name, r)
			}
		}
	}
	if _, err := GlyphsByName("runes"); err == nil || !strings.Contains(err.Error(), "unicode, cjk, ascii") {
		t.Errorf("an unknown set gives %v", err)
	}
}

// TestSignsOfAFamilyDiffer is the half of "never colour alone" that glyph sets answer for.
func TestSignsOfAFamilyDiffer(t *testing.T) {
	for _, name := range GlyphNames() {
		g, err := GlyphsByName(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, family := range [][]Glyph{
			{g.OK, g.Watch, g.Warn, g.Bad, g.Unknown, g.Stale},
			{g.Wait, g.Run, g.Late, g.Done, g.Retry, g.Held, g.Gap},
			{g.Consumed, g.Window, g.Ahead},
			{g.Up, g.Down, g.Flat}, {g.SortDown, g.SortUp}, {g.Folded, g.Open}, {g.BarFull, g.BarEmpty},
			{g.Cursor, g.Marked}, g.Spark,
		} {
			seen := map[Glyph]bool{}
			for _, s := range family {
				if s == "" || seen[s] {
					t.Errorf("%s: %q stands for two states of %q", name, s, family)
				}
				seen[s] = true
			}
		}
	}
}

func TestChooseGlyphs(t *testing.T) {
	tests := []struct {
		name                 string
		flag, config, locale string
		want                 string
	}{
		{"the flag wins", "cjk", "ascii", "en_US.UTF-8", "cjk"},
		{"then the configuration", "", "cjk", "C", "cjk"},
		{"a locale that is not UTF-8 gets ASCII", "", "", "C", "ascii"},
		{"auto looks at the locale", "", "auto", "zh_CN.utf8", "unicode"},
		{"no locale gets ASCII", "", "", "", "ascii"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := ChooseGlyphs(tt.flag, tt.config, tt.locale); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestChoose(t *testing.T) {
	const light, dark = "\x1b]11;rgb:fafa/fafa/fafa\x07", "\x1b]11;rgb:1a1a/1d1d/2323\x1b\\"
	tests := []struct {
		name string
		in   Inputs
		want Choice
	}{
		{"nothing said means the house palette on dark", Inputs{}, Choice{"mqscope", true, "default", "default"}},
		{"the flag beats NO_COLOR and configuration",
			Inputs{Flag: "deuteranopia", NoColor: "1", Config: "mono"}, Choice{"deuteranopia", true, "flag", "default"}},
		{"NO_COLOR beats the configuration",
			Inputs{NoColor: "0", Config: "tritanopia"}, Choice{"mono", true, "NO_COLOR", "default"}},
		{"an empty NO_COLOR says nothing",
			Inputs{Config: "tritanopia"}, Choice{"tritanopia", true, "config", "default"}},
		{"the terminal's answer says what the ground is",
			Inputs{Answer: light, ColorFGBG: "15;0"}, Choice{"mqscope", false, "default", "OSC 11"}},
		{"a dark answer ends with ST", Inputs{Answer: dark, ColorFGBG: "0;15"}, Choice{"mqscope", true, "default", "OSC 11"}},
		{"COLORFGBG comes next", Inputs{ColorFGBG: "0;default;15"}, Choice{"mqscope", false, "default", "COLORFGBG"}},
		{"a name may fix the ground",
			Inputs{Flag: "mqscope-light", Answer: dark}, Choice{"mqscope", false, "flag", "name"}},
		{"auto is a name", Inputs{Flag: "AUTO", Answer: light}, Choice{"mqscope", false, "flag", "OSC 11"}},
		{"rubbish from the terminal is no answer",
			Inputs{Answer: "\x1b]11;rgb:zz/1/2\x07"}, Choice{"mqscope", true, "default", "default"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Choose(tt.in)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestEveryChoiceLoads(t *testing.T) {
	for _, name := range Choices() {
		if _, err := Choose(Inputs{Flag: name}).Load(TrueColor, nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Choose(Inputs{Flag: "neon"}).Load(TrueColor, nil); err == nil || !strings.Contains(err.Error(), "mqscope-dark") {
		t.Errorf("an unknown theme gives %v", err)
	}
}

func TestUserPalette(t *testing.T) {
	p, err := ParsePalette([]byte("name: mine\ninherits: deuteranopia\ntokens:\n" +
		"  ok: \"#112233\"\n  shiny: 445566\n  warn: {dark: nope}\n  bad: {attr: [1]}\n  key: {glow: 1}\n"))
	if err == nil {
		t.Fatal("faults were not reported")
	}
	for _, want := range []string{`line 5: token "shiny" is unknown`, `line 6: token warn: colour "nope"`, `line 8: token key: key "glow"`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the report lacks %q:\n%v", want, err)
		}
	}
	base, _ := Builtin("deuteranopia")
	if p.looks[OK].dark != (rgb{0x11, 0x22, 0x33}) || p.looks[OK].light != p.looks[OK].dark {
		t.Errorf("ok is %v", p.looks[OK])
	}
	if p.looks[Warn] != base.looks[Warn] {
		t.Error("a faulty token did not keep what it inherits")
	}
}

func TestDetectProfile(t *testing.T) {
	tests := []struct {
		name, colorTerm, term string
		want                  Profile
	}{
		{"COLORTERM promises all colours", "truecolor", "xterm", TrueColor},
		{"a 256-colour terminal", "", "tmux-256color", Color256},
		{"a plain one has sixteen", "", "xterm", Color16},
		{"a dumb one has none", "", "dumb", Mono},
		{"none at all has none", "", "", Mono},
		{"direct colour", "", "xterm-direct", TrueColor},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := DetectProfile(tt.colorTerm, tt.term); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func FuzzParsePalette(f *testing.F) {
	for _, name := range Names() {
		data, err := paletteFiles.ReadFile("palettes/" + name + ".yaml")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte("tokens: [1, 2]"))
	f.Add([]byte("tokens: {ok: {dark: 'ffffff', ansi: 99}}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := ParsePalette(data)
		if p == nil && err == nil {
			t.Fatal("neither palette nor error")
		}
		if p != nil {
			for s := range Build(p, true, TrueColor, nil).Sequences() {
				if !sgr.MatchString(s) {
					t.Fatalf("a palette made %q", s)
				}
			}
		}
	})
}

func FuzzParseBackground(f *testing.F) {
	f.Add("\x1b]11;rgb:1a1a/1d1d/2323\x07")
	f.Add("\x1b]11;rgba:1/2/3/4\x1b\\")
	f.Fuzz(func(t *testing.T, s string) {
		if dark, ok := ParseBackground(s); dark && !ok {
			t.Fatal("dark without an answer")
		}
	})
}
