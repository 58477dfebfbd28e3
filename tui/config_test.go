package tui

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mqscope/themes"
)

func TestWhichThemeIsUsed(t *testing.T) {
	const light, dark = "\x1b]11;rgb:ffff/ffff/ffff", "\x1b]11;rgb:0000/0000/0000"
	tests := []struct {
		name   string
		look   Look
		answer string
		want   string // palette, ground
		asks   bool
	}{
		{"nothing said is dark", Look{}, "", "mqscope dark", true},
		{"the terminal says light", Look{}, light, "mqscope light", true},
		{"the terminal says dark", Look{ColorFGBG: "0;15"}, dark, "mqscope dark", true},
		{"COLORFGBG says light when the terminal says nothing", Look{ColorFGBG: "0;15"}, "", "mqscope light", true},
		{"the file names a theme", Look{FileTheme: "deuteranopia"}, light, "deuteranopia light", true},
		{"NO_COLOR overrules the file", Look{FileTheme: "deuteranopia", NoColor: "1"}, "", "mono dark", false},
		{"the command line overrules NO_COLOR", Look{Theme: "tritanopia", FileTheme: "deuteranopia", NoColor: "1"}, "", "tritanopia dark", true},
		{"a name with its ground needs no question", Look{Theme: "mqscope-light"}, dark, "mqscope light", false},
		{"auto on the command line leaves it to the terminal", Look{Theme: "auto"}, light, "mqscope light", true},
		{"a terminal without colours is not asked", Look{Profile: themes.Mono}, "", "mqscope dark", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			theme, choice, err := tt.look.build(tt.answer)
			if err != nil {
				t.Fatal(err)
			}
			ground := " light"
			if theme.Dark {
				ground = " dark"
			}
			if got := choice.Palette + ground; got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
			if got := tt.look.asksGround(); got != tt.asks {
				t.Errorf("asks for the background: %v, want %v", got, tt.asks)
			}
		})
	}
}

func TestConfigIsChecked(t *testing.T) {
	good := Config{Source: newFakeSource(nil), Input: strings.NewReader(""), Output: &strings.Builder{}}
	with := func(change func(*Config)) Config {
		c := good
		change(&c)
		return c
	}
	tests := []struct {
		name string
		cfg  Config
		want string // part of the error
	}{
		{"a source is needed", with(func(c *Config) { c.Source = nil }), "Config.Source is missing"},
		{"a terminal is needed", with(func(c *Config) { c.Input = nil }), "Config.Input and Config.Output are missing"},
		{"too many frames", with(func(c *Config) { c.FPS = 61 }), "Config.FPS is 61: 1 to 60"},
		{"a theme that is none", with(func(c *Config) { c.Look.Theme = "pink" }), `theme "pink" is unknown: use one of auto`},
		{"glyphs that are none", with(func(c *Config) { c.Look.Glyphs = "emoji" }), `glyph set "emoji" is unknown`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := Run(t.Context(), tt.cfg); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
	c, err := good.withDefaults()
	if err != nil || c.FPS != defaultFPS || c.Keys == nil {
		t.Errorf("defaults: %d frames, keys %v, error %v", c.FPS, c.Keys, err)
	}
}

func TestALineIsEdited(t *testing.T) {
	tests := []struct {
		name string
		keys []string
		want string // with | for the cursor
	}{
		{"letters go before the cursor", []string{"a", "b", "left", "c"}, "ac|b"},
		{"backspace and delete", []string{"a", "b", "c", "left", "backspace", "delete"}, "a|"},
		{"home and end", []string{"b", "home", "a", "end", "c"}, "abc|"},
		{"a word is taken back", []string{"lag>1k", " ", "topic:a", "ctrl+w"}, "lag>1k |"},
		{"all before the cursor is taken back", []string{"a", "b", "left", "ctrl+u"}, "|b"},
		{"all behind it", []string{"a", "b", "left", "ctrl+k"}, "a|"},
		{"words are walked", []string{"aa", " ", "bb", "ctrl+left", "ctrl+left", "x"}, "x|aa bb"},
		{"and back", []string{"aa", " ", "bb", "home", "ctrl+right", "x"}, "aax| bb"},
		{"nothing is taken from nothing", []string{"backspace", "delete", "ctrl+w", "left", "right"}, "|"},
		{"Chinese text has one place a letter", []string{"订单", "left", "x"}, "订x|单"},
		{"a term is completed", []string{"to", "tab"}, "topic:|"},
		{"its next one follows", []string{"mark:b", "tab", "tab"}, "mark:warn|"},
		{"and the first again", []string{"mark:warn", "tab"}, "mark:bad|"},
		{"the opposite of a term too", []string{"x", " ", "!ma", "tab"}, "x !mark:bad|"},
		{"what no term begins with stays", []string{"zz", "tab"}, "zz|"},
	}
	terms := []string{"topic:", "mark:bad", "mark:warn", "lag>1k"}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := newLine("")
			for _, k := range tt.keys {
				switch msg := keyMsg(k); {
				case k == "tab":
					l.complete(terms)
				case k == " ":
					l.insert(' ')
				case len(msg.Runes) > 0:
					l.insert(msg.Runes...)
				default:
					l.key(k)
				}
			}
			text := []rune(l.text())
			got := string(text[:l.at()]) + "|" + string(text[l.at():])
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
