package tui

import (
	"errors"
	"fmt"
	"io"
	"time"

	"mqscope/engine"
	"mqscope/keymap"
	"mqscope/themes"
)

// Config says what is shown and how. Source is required, the rest has defaults.
type Config struct {
	Source engine.Source
	// Keys is the table of keys; nil means the default one.
	Keys *keymap.Map
	// KeyProblems are entries of the configuration that Keys does not follow. They are told
	// once and listed in help.
	KeyProblems []keymap.Problem
	Look        Look
	// View is the id of the view that the screen begins on; empty is the first one.
	View string
	// FPS is how many frames a second are composed at most: 1 to 60, default 30.
	FPS int
	// Mouse says that clicks and the wheel belong to the screen from the start.
	Mouse bool
	// Bell has the terminal's bell rung when a breakpoint or a broken invariant stops a run.
	Bell bool
	// ReadOnly says that nothing may be changed: changes can not be armed.
	ReadOnly bool
	// LogPath is the file that the log goes to, for help; empty when nothing is logged.
	LogPath string
	// NoLog says that this command has no log.
	NoLog  bool
	Input  io.Reader
	Output io.Writer
}

// Look is everything that decides how the screen looks.
type Look struct {
	// Theme is the theme that the command line names, empty when it names none. It wins
	// over NoColor, which wins over FileTheme.
	Theme string
	// FileTheme is the theme that environment or configuration file name.
	FileTheme string
	Glyphs    string // name of a set of glyphs, empty means Unicode
	NoColor   string // the variable NO_COLOR: any text but the empty one means no colours
	ColorFGBG string // the variable COLORFGBG
	Profile   themes.Profile
}

// Errors of Config.
var (
	errNoSource   = errors.New("tui: Config.Source is missing")
	errNoTerminal = errors.New("tui: Config.Input and Config.Output are missing")
)

const (
	defaultFPS = 30
	maxFPS     = 60
	// blurredEvery is the least time between frames while the terminal is not looked at.
	blurredEvery = 500 * time.Millisecond
)

// withDefaults checks c and fills what it leaves open. The error names the field, its value
// and what is allowed.
func (c Config) withDefaults() (Config, error) {
	switch {
	case c.Source == nil:
		return c, errNoSource
	case c.Input == nil || c.Output == nil:
		return c, errNoTerminal
	case c.FPS < 0 || c.FPS > maxFPS:
		return c, fmt.Errorf("tui: Config.FPS is %d: 1 to %d is allowed", c.FPS, maxFPS)
	}
	if c.FPS == 0 {
		c.FPS = defaultFPS
	}
	if c.Keys == nil {
		c.Keys, _ = keymap.New(nil)
	}
	return c, nil
}

// choose weighs what the person, the environment and the terminal say. answer is what the
// terminal answered to OSC 11.
func (l Look) choose(answer string) themes.Choice {
	return themes.Choose(themes.Inputs{
		Flag: l.Theme, NoColor: l.NoColor, Config: l.FileTheme, Answer: answer, ColorFGBG: l.ColorFGBG,
	})
}

// asksGround tells whether the colour of the terminal's background matters: not without
// colours, and not when the theme's name says dark or light.
func (l Look) asksGround() bool {
	c := l.choose("")
	return l.Profile != themes.Mono && c.Palette != "mono" && c.Palette != "terminal-16" && c.Ground != "name"
}

// build makes the theme. A name that is no theme's is an error that lists those there are.
func (l Look) build(answer string) (*themes.Theme, themes.Choice, error) {
	glyphs := themes.Unicode()
	if l.Glyphs != "" {
		g, err := themes.GlyphsByName(l.Glyphs)
		if err != nil {
			return nil, themes.Choice{}, err
		}
		glyphs = g
	}
	choice := l.choose(answer)
	theme, err := choice.Load(l.Profile, glyphs)
	return theme, choice, err
}
