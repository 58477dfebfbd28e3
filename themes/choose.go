package themes

import (
	"fmt"
	"strconv"
	"strings"
)

// Inputs is everything that decides which theme is used. Whoever starts the program reads
// it; Choose only weighs it.
type Inputs struct {
	Flag      string // --theme
	NoColor   string // NO_COLOR: any text but the empty one means mono
	Config    string // theme in the configuration file
	Answer    string // what the terminal answered to OSC 11, empty when it did not
	ColorFGBG string // COLORFGBG, such as "15;0"
}

// Choice is the theme to build and why.
type Choice struct {
	Palette string // a built-in name, or what the user wrote for a theme of their own
	Dark    bool
	Why     string // "flag", "NO_COLOR", "config" or "default"
	Ground  string // what said that the ground is dark or light
}

// Choices are the names that a user may give: auto, the palettes, and the palettes with
// -dark or -light, which overrule what the terminal says of its ground.
func Choices() []string {
	all := []string{"auto"}
	for _, n := range Names() {
		all = append(all, n)
		if n != "mono" && n != "terminal-16" {
			all = append(all, n+"-dark", n+"-light")
		}
	}
	return all
}

// Choose weighs flag, NO_COLOR and configuration, in that order, then the answer to OSC 11,
// COLORFGBG and dark for the ground.
func Choose(in Inputs) Choice {
	c := Choice{Palette: "auto", Why: "default"}
	switch {
	case in.Flag != "":
		c.Palette, c.Why = in.Flag, "flag"
	case in.NoColor != "":
		c.Palette, c.Why = "mono", "NO_COLOR"
	case in.Config != "":
		c.Palette, c.Why = in.Config, "config"
	}
	c.Palette = strings.ToLower(c.Palette)
	c.Dark, c.Ground = ground(in)
	if c.Palette == "auto" {
		c.Palette = rootPalette
	}
	for _, n := range Names() {
		switch c.Palette {
		case n + "-dark":
			c.Palette, c.Dark, c.Ground = n, true, "name"
		case n + "-light":
			c.Palette, c.Dark, c.Ground = n, false, "name"
		}
	}
	return c
}

// Load builds the chosen theme from the built-in palettes.
func (c Choice) Load(profile Profile, glyphs *Glyphs) (*Theme, error) {
	p, err := Builtin(c.Palette)
	if err != nil {
		return nil, err
	}
	return Build(p, c.Dark, profile, glyphs), nil
}

func ground(in Inputs) (dark bool, by string) {
	if dark, ok := ParseBackground(in.Answer); ok {
		return dark, "OSC 11"
	}
	if dark, ok := parseFGBG(in.ColorFGBG); ok {
		return dark, "COLORFGBG"
	}
	return true, "default"
}

// ParseBackground reads the answer to OSC 11, "ESC ] 11 ; rgb:RRRR/GGGG/BBBB" and an end. It
// tells whether the ground is dark; ok is false when the bytes are no such answer.
func ParseBackground(answer string) (dark, ok bool) {
	_, rest, found := strings.Cut(answer, "]11;rgb")
	if !found {
		return false, false
	}
	_, rest, found = strings.Cut(rest, ":")
	if !found {
		return false, false
	}
	rest = strings.TrimRight(rest, "\x07\x1b\\")
	parts := strings.Split(rest, "/")
	if len(parts) < 3 {
		return false, false
	}
	var c [3]uint8
	for i := range c {
		p := parts[i]
		v, err := strconv.ParseUint(p, 16, 32)
		if err != nil || len(p) == 0 || len(p) > 4 {
			return false, false
		}
		c[i] = uint8(v * 255 / (1<<(4*len(p)) - 1))
	}
	return rgb{c[0], c[1], c[2]}.luminance() < 0.18, true
}

// parseFGBG reads "foreground;background" with the sixteen colours' numbers; some terminals
// put a word between them.
func parseFGBG(s string) (dark, ok bool) {
	parts := strings.Split(s, ";")
	if len(parts) < 2 {
		return false, false
	}
	n, err := strconv.Atoi(parts[len(parts)-1])
	if err != nil || n < 0 || n > 15 {
		return false, false
	}
	return n <= 6 || n == 8, true
}

// String says what was chosen and why, for logs and the doctor.
func (c Choice) String() string {
	g := "light"
	if c.Dark {
		g = "dark"
	}
	return fmt.Sprintf("%s (%s) on %s ground (%s)", c.Palette, c.Why, g, c.Ground)
}
