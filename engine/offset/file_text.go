package offset

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"strings"
	"unicode/utf8"

	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

// table is what an offsets file says.
type table map[mq.MessageQueue]int64

// parseTable reads the text of an offsets file: what Java's clients write, and the other
// forms they read. It is stricter than they are about offsets, which must be integers, since
// a text taken for 0 would be an offset to go back to. Negative offsets mean "none" to Java
// and are left out; dropped counts them.
func parseTable(text []byte) (t table, dropped int, err error) {
	if len(bytes.Trim(text, "\x00 \t\r\n")) == 0 {
		return nil, 0, errors.New("it is empty")
	}
	if !utf8.Valid(text) {
		return nil, 0, errors.New("it is not UTF-8")
	}
	file, err := protocol.DecodeLocalOffsets(text)
	if err != nil {
		return nil, 0, err
	}
	if file.Unresolved > 0 {
		return nil, 0, fmt.Errorf("it has %d entries without a queue", file.Unresolved)
	}
	if err := checkOffsets(text, len(file.Offsets)); err != nil {
		return nil, 0, err
	}
	t = make(table, len(file.Offsets))
	for q, at := range file.Offsets {
		if at < 0 {
			dropped++
			continue
		}
		t[q] = at
	}
	return t, dropped, nil
}

// render writes a table as Java's clients do (OffsetSerializeWrapper, pretty-printed).
func (t table) render() []byte {
	const members, keyMembers = 1, 3 // depths at which each member has a line of its own
	compact := protocol.LocalOffsets{Offsets: t}.Encode()
	out := make([]byte, 0, len(compact)*3/2)
	depth, quoted := 0, false
	line := func() {
		out = append(out, '\n')
		out = append(out, "\t\t\t"[:depth]...)
	}
	for i := 0; i < len(compact); i++ {
		c := compact[i]
		switch {
		case quoted && c == '\\':
			out = append(out, c)
			i++
			c = compact[i]
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '}':
			depth--
			line()
		case c == '{':
			depth++
		}
		out = append(out, c)
		if !quoted && (c == '{' || c == ',') && (depth == members || depth == keyMembers) {
			line()
		}
	}
	return out
}

// has tells whether positions are in t already.
func (t table) has(positions []Position) bool {
	for _, p := range positions {
		if at, ok := t[p.Queue]; !ok || at != p.Offset {
			return false
		}
	}
	return true
}

// with returns a copy of t with positions over it.
func (t table) with(positions []Position) table {
	out := maps.Clone(t)
	if out == nil {
		out = table{}
	}
	for _, p := range positions {
		out[p.Queue] = p.Offset
	}
	return out
}

// checkOffsets looks at the offsets in a text that is well-formed and has at least want of
// them: each must be an integer, or a string that holds one.
func checkOffsets(text []byte, want int) error {
	s := textScanner{text: text}
	found := 0
	err := s.members(func(key string) error {
		if !strings.EqualFold(strings.Trim(key, `"'`), "offsetTable") || s.peek() != '{' {
			s.value()
			return nil
		}
		return s.members(func(string) error {
			found++
			if v := s.value(); !isInteger(strings.Trim(v, `"'`)) {
				return fmt.Errorf("%.40q stands where an offset should", v)
			}
			return nil
		})
	})
	if err == nil && found < want {
		err = errors.New("its offsets can not be told apart")
	}
	return err
}

func isInteger(s string) bool {
	digits := strings.TrimPrefix(s, "-")
	return digits != "" && strings.Trim(digits, "0123456789") == ""
}
