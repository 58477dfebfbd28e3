package config

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxWord is the length up to which a wrong word is compared with right ones.
const maxWord = 64

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
		if key := strings.ToLower(e.key); key == KeysSection || slices.Contains(known, key) {
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

// values are the texts of a key: one, or several where a list is allowed.
func (f *fileLines) values(key string, isList bool) ([]string, error) {
	e := f.find(key)
	if e == nil {
		return nil, nil
	}
	node := e.value
	if node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	switch {
	case node.Kind == yaml.ScalarNode && node.Tag == "!!null":
		return nil, nil
	case node.Kind == yaml.ScalarNode:
		return []string{node.Value}, nil
	case node.Kind != yaml.SequenceNode || !isList:
		want := "one value"
		if isList {
			want = "one value or a list of values"
		}
		return nil, fmt.Errorf("%s:%d: key %q: write %s", f.path, e.line, key, want)
	}
	var out []string
	for _, item := range node.Content {
		if item.Kind != yaml.ScalarNode {
			return nil, fmt.Errorf("%s:%d: key %q: write one value or a list of values", f.path, item.Line, key)
		}
		out = append(out, item.Value)
	}
	return out, nil
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
	if best, ok := Nearest(wrong, known); ok {
		return fmt.Sprintf("did you mean %q?", best)
	}
	return "keys are the long names of flags, see --help"
}

// Nearest is the word that differs from wrong in at most two letters, the one that differs
// least; of equals the one of the same length. ok is false when there is none.
func Nearest(wrong string, words []string) (best string, ok bool) {
	if len(wrong) > maxWord {
		return "", false
	}
	least := 6
	for _, w := range words {
		d := 2 * editDistance(wrong, w)
		if len(w) != len(wrong) {
			d++
		}
		if d < least && d/2 < len(w) {
			best, least = w, d
		}
	}
	return best, best != ""
}

// editDistance counts letters put in, left out, replaced, or swapped with their neighbour.
func editDistance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			change := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
