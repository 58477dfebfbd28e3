package config

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxFileBytes bounds the file: a configuration is a page, not a book.
const maxFileBytes = 1 << 20

// fileLines knows on which line of the file each key stands.
type fileLines struct {
	path    string
	entries []fileEntry
}

type fileEntry struct {
	key   string
	line  int
	value *yaml.Node
}

func parseLines(path string, text []byte) (*fileLines, error) {
	f := &fileLines{path: path}
	if len(text) > maxFileBytes {
		return nil, fmt.Errorf("%s: %d bytes: at most %d are read", path, len(text), maxFileBytes)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("%s: %s: write it as YAML, one \"key: value\" a line", path, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if len(doc.Content) == 0 {
		return f, nil
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("%s:%d: the file is no map: write one \"key: value\" a line", path, root.Line)
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		key := root.Content[i]
		if f.find(key.Value) != nil {
			return nil, fmt.Errorf("%s:%d: key %q stands there twice: keep one", path, key.Line, key.Value)
		}
		f.entries = append(f.entries, fileEntry{key.Value, key.Line, root.Content[i+1]})
	}
	return f, nil
}

func (f *fileLines) find(key string) *fileEntry {
	for i := range f.entries {
		if strings.EqualFold(f.entries[i].key, key) {
			return &f.entries[i]
		}
	}
	return nil
}

// check refuses keys that are no flag's name.
func (f *fileLines) check(known []string) error {
	for _, e := range f.entries {
		if e.key == KeysSection || slices.Contains(known, e.key) {
			continue
		}
		return fmt.Errorf("%s:%d: unknown key %q: %s", f.path, e.line, e.key, suggestion(e.key, known))
	}
	return nil
}

// keys reads the map of action to keys.
func (f *fileLines) keys() (map[string][]string, error) {
	e := f.find(KeysSection)
	if e == nil {
		return nil, nil
	}
	var m map[string][]string
	if err := e.value.Decode(&m); err != nil {
		return nil, fmt.Errorf("%s:%d: key %q: write a map of action to a list of keys, such as queue-sort: [s, f3]", f.path, e.line, KeysSection)
	}
	return m, nil
}

func (f *fileLines) fault(key, value string, err error) error {
	line := 0
	if e := f.find(key); e != nil {
		line = e.line
	}
	return fmt.Errorf("%s:%d: key %q: value %q: %w", f.path, line, key, value, err)
}

// suggestion names the known key that looks most like the wrong one.
func suggestion(wrong string, known []string) string {
	best, least := "", 3
	for _, k := range known {
		if d := editDistance(wrong, k); d < least {
			best, least = k, d
		}
	}
	if best != "" {
		return fmt.Sprintf("did you mean %q?", best)
	}
	return "keys are the long names of flags, see --help"
}

func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			next := min(row[j]+1, row[j+1]+1)
			if a[i] == b[j] {
				next = min(next, diagonal)
			} else {
				next = min(next, diagonal+1)
			}
			diagonal, row[j+1] = row[j+1], next
		}
	}
	return row[len(b)]
}
