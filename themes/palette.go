package themes

import (
	"embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

//go:embed palettes/*.yaml
var paletteFiles embed.FS

// rootPalette is what every other one inherits from in the end: it has all tokens.
const rootPalette = "mqscope"

// maxPaletteBytes bounds a user's palette file: a full one has about 6 KiB.
const maxPaletteBytes = 256 << 10

// Palette is a theme file read: looks for every token, on dark and on light ground.
type Palette struct {
	Name, About string
	// Profile limits what the palette may use, however able the terminal is.
	Profile Profile
	looks   [tokenCount]look
}

// look is how one token looks in each profile.
type look struct {
	dark, light rgb
	ansi        int  // of the sixteen colours, or one of the values below
	mono        attr // without colour
	attr        attr // beside the colour
}

// Values of look.ansi that are no colour.
const (
	ansiDefault = -1 // the terminal's own
	ansiReverse = -2
	ansiBold    = -3
)

// Names lists the palettes built in.
func Names() []string {
	return []string{"mqscope", "high-contrast", "deuteranopia", "tritanopia", "terminal-16", "mono"}
}

// Builtin reads an embedded palette. The error lists the names there are.
func Builtin(name string) (*Palette, error) {
	if !slices.Contains(Names(), name) {
		return nil, fmt.Errorf("theme %q is unknown: use one of %s", name, strings.Join(Choices(), ", "))
	}
	data, err := paletteFiles.ReadFile("palettes/" + name + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("read palette %s: %w", name, err)
	}
	return ParsePalette(data)
}

// file is the YAML of a palette.
type file struct {
	Name, About, Inherits, Profile string
	Tokens                         yaml.Node
}

// ParsePalette reads a palette file. Tokens that it does not name look as in the palette it
// inherits from, which is mqscope if it says nothing. All faults are reported together, each
// with its line; the palette returned beside them is usable: faulty tokens keep what they
// inherit. It is nil only when the file as a whole is unreadable.
func ParsePalette(data []byte) (*Palette, error) {
	if len(data) > maxPaletteBytes {
		return nil, fmt.Errorf("palette of %d bytes is too large: at most %d", len(data), maxPaletteBytes)
	}
	var f file
	if err := yaml.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("palette is no YAML: %w", err)
	}
	p := &Palette{}
	var faults []error
	if f.Name != rootPalette {
		from := f.Inherits
		if from == "" {
			from = rootPalette
		}
		base, err := inherited(from)
		if err != nil {
			faults = append(faults, err)
		} else {
			*p = *base
		}
	}
	p.Name, p.About = f.Name, f.About
	if f.Profile != "" {
		prof, err := ParseProfile(f.Profile)
		if err != nil {
			faults = append(faults, err)
		}
		p.Profile = prof
	}
	return p, errors.Join(append(faults, p.readTokens(&f.Tokens)...)...)
}

// inherited reads a base palette. Only built-in ones serve as such, so chains are short and
// end at the root.
func inherited(name string) (*Palette, error) {
	if !slices.Contains(Names(), name) {
		return Builtin(rootPalette)
	}
	return Builtin(name)
}

func (p *Palette) readTokens(n *yaml.Node) (faults []error) {
	if n.Kind == 0 {
		return nil
	}
	if n.Kind != yaml.MappingNode {
		return []error{fmt.Errorf("line %d: tokens must be a map of token to look", n.Line)}
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, val := n.Content[i], n.Content[i+1]
		tok, ok := ParseToken(key.Value)
		if !ok {
			faults = append(faults, fmt.Errorf("line %d: token %q is unknown: it is ignored", key.Line, key.Value))
			continue
		}
		l, err := parseLook(val, p.looks[tok])
		if err != nil {
			faults = append(faults, fmt.Errorf("line %d: token %s: %w", val.Line, key.Value, err))
			continue
		}
		p.looks[tok] = l
	}
	return faults
}

// parseLook reads {dark, light, ansi, mono, attr}, or one colour for both grounds.
func parseLook(n *yaml.Node, l look) (look, error) {
	if n.Kind == yaml.ScalarNode {
		c, err := parseRGB(n.Value)
		if err != nil {
			return l, err
		}
		l.dark, l.light = c, c
		return l, nil
	}
	if n.Kind != yaml.MappingNode {
		return l, errors.New("want a colour such as 56B4E9, or a map with dark, light, ansi, mono, attr")
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		var err error
		v := n.Content[i+1].Value
		switch key := n.Content[i].Value; key {
		case "dark":
			l.dark, err = parseRGB(v)
		case "light":
			l.light, err = parseRGB(v)
		case "ansi":
			l.ansi, err = parseANSI(v)
		case "mono":
			l.mono, err = parseAttr(v)
		case "attr":
			l.attr, err = parseAttr(v)
		default:
			err = fmt.Errorf("key %q is unknown: use dark, light, ansi, mono, attr", key)
		}
		if err != nil {
			return l, err
		}
	}
	return l, nil
}
