package step

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"mqscope/engine/internal/whole"
)

// maxSets is how large a file of breakpoints may be.
const maxSets = 1 << 20

// Sets is a file of named sets of breakpoints.
type Sets struct{ Path string }

// saved is one breakpoint in the file.
type saved struct {
	At   string `yaml:"at"`
	Name string `yaml:"name,omitempty"`
	Off  bool   `yaml:"off,omitempty"`
}

// Names lists the sets, none when there is no file.
func (s Sets) Names() ([]string, error) {
	sets, err := s.read()
	if err != nil {
		return nil, err
	}
	var names []string
	for name := range sets {
		names = append(names, name)
	}
	slices.Sort(names)
	return names, nil
}

// Load returns the breakpoints of a set, with no hits.
func (s Sets) Load(name string) ([]*Breakpoint, error) {
	sets, err := s.read()
	if err != nil {
		return nil, err
	}
	node, ok := sets[name]
	if !ok {
		return nil, fmt.Errorf("%s has no set %q of breakpoints", s.Path, name)
	}
	return s.set(name, node)
}

func (s Sets) set(name string, node yaml.Node) ([]*Breakpoint, error) {
	if node.Kind != yaml.SequenceNode {
		return nil, fmt.Errorf("%s:%d: set %q is no list, write its breakpoints as - at: flow.span", s.Path, node.Line, name)
	}
	var list []*Breakpoint
	for _, item := range node.Content {
		var one saved
		if err := item.Decode(&one); err != nil {
			_, text := located(err)
			return nil, fmt.Errorf("%s:%d: %s, write it as - at: flow.span", s.Path, item.Line, text)
		}
		b, err := ParseBreakpoint(one.At)
		if err != nil {
			var at *TextError
			if errors.As(err, &at) {
				return nil, fmt.Errorf("%s:%d: breakpoint %q, column %d: %s", s.Path, item.Line, one.At, at.Column, at.Text())
			}
			return nil, fmt.Errorf("%s:%d: %w", s.Path, item.Line, err)
		}
		b.Name, b.Off = one.Name, one.Off
		list = append(list, b)
	}
	return list, nil
}

// Save puts a set into the file and leaves the others as they are. The file is replaced as a
// whole, and only its owner may read it.
func (s Sets) Save(name string, list []*Breakpoint) error {
	sets, err := s.read()
	if err != nil {
		return err
	}
	out := map[string]any{}
	for n, node := range sets {
		out[n] = &node
	}
	set := make([]saved, len(list))
	for i, b := range list {
		set[i] = saved{At: b.String(), Name: b.Name, Off: b.Off}
	}
	out[name] = set
	text, err := yaml.Marshal(out)
	if err != nil {
		return fmt.Errorf("breakpoints for %s: %w", s.Path, err)
	}
	return replace(s.Path, text)
}

// read returns the sets as they stand in the file.
func (s Sets) read() (map[string]yaml.Node, error) {
	f, err := os.Open(s.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, maxSets+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxSets {
		return nil, fmt.Errorf("%s is larger than 1 MiB: it is no file of breakpoints", s.Path)
	}
	sets := map[string]yaml.Node{}
	if err := yaml.NewDecoder(bytes.NewReader(text)).Decode(&sets); err != nil && !errors.Is(err, io.EOF) {
		line, text := located(err)
		return nil, fmt.Errorf("%s:%d: %s, write a name and below it breakpoints as - at: flow.span, or remove the file", s.Path, line, text)
	}
	return sets, nil
}

// located takes an error of package yaml apart: the line, and what is wrong without names of types.
func located(err error) (line int, text string) {
	text = strings.TrimPrefix(err.Error(), "yaml: ")
	var types *yaml.TypeError
	if errors.As(err, &types) && len(types.Errors) > 0 {
		text = types.Errors[0]
	}
	text, _, _ = strings.Cut(text, " into ")
	if _, e := fmt.Sscanf(text, "line %d:", &line); e != nil {
		return 1, text
	}
	_, text, _ = strings.Cut(text, ": ")
	return line, text
}

// replace writes a file as a whole: a reader sees the old one or the new one.
func replace(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := whole.Write(path, text); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
