package views

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"mqscope/engine/snapshot"
)

// Term is one condition of a filter. All of a filter's terms must hold.
type Term struct {
	Not   bool
	Key   string // lower case; empty for free text
	Op    string // ":", or one of < <= > >= for numbers
	Value string
	Exact bool // the value stood in quotes
}

// ParseFilter splits what a person typed into terms: words, key:value, key>number, each with
// ! before it for its opposite, values in quotes when they have spaces. It accepts every
// text; what a key means is checked by the screen that has it.
func ParseFilter(s string) []Term {
	var out []Term
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(s) {
		var t Term
		t, s = nextTerm(s)
		if t.Key != "" || t.Value != "" || t.Exact {
			out = append(out, t)
		}
	}
	return out
}

// Compile turns a filter into one test, by what one of its terms means. Terms that are not
// understood are reported and left out, so that a half-typed filter still filters.
func Compile[T any](filter string, meaning func(Term) (func(T) bool, error)) (pass func(T) bool, bad error) {
	type test struct {
		holds func(T) bool
		not   bool
	}
	var all []test
	for _, t := range ParseFilter(filter) {
		holds, err := meaning(t)
		if err != nil {
			bad = err
			continue
		}
		all = append(all, test{holds, t.Not})
	}
	return func(v T) bool {
		for _, t := range all {
			if t.holds(v) == t.not {
				return false
			}
		}
		return true
	}, bad
}

func nextTerm(s string) (t Term, rest string) {
	if strings.HasPrefix(s, "!") && len(s) > 1 {
		t.Not, s = true, s[1:]
	}
	n := 0
	for n < len(s) && (s[n] >= 'a' && s[n] <= 'z' || s[n] >= 'A' && s[n] <= 'Z' || s[n] >= '0' && s[n] <= '9' || s[n] == '-') {
		n++
	}
	if n > 0 {
		for _, op := range [...]string{":", "<=", ">=", "<", ">", "="} {
			if strings.HasPrefix(s[n:], op) {
				t.Key, t.Op, s = strings.ToLower(s[:n]), op, s[n+len(op):]
				break
			}
		}
	}
	if strings.HasPrefix(s, `"`) {
		t.Value, rest = quoted(s[1:])
		t.Exact = true
		return t, rest
	}
	end := strings.IndexFunc(s, unicode.IsSpace)
	if end < 0 {
		end = len(s)
	}
	t.Value = s[:end]
	return t, s[end:]
}

// quoted reads up to the closing quote; a missing one ends with the text.
func quoted(s string) (value, rest string) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && s[i+1] == '"':
			i++
			b.WriteByte('"')
		case s[i] == '"':
			return b.String(), s[i+1:]
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String(), ""
}

// Quote writes a value so that ParseFilter reads it as one exact value.
func Quote(s string) string { return `"` + strings.ReplaceAll(s, `"`, `\"`) + `"` }

// MatchText tells whether a term's value is found in s: as it is when it stood in quotes,
// else anywhere and without regard to case.
func (t Term) MatchText(s string) bool {
	if t.Exact {
		return s == t.Value
	}
	return containsFold(s, t.Value)
}

// Broker tells of a broker's name whether a term means it. The short name of a broker means that
// one, not all that have the letter.
func (t Term) Broker(s *snapshot.Snapshot) func(name string) bool {
	short := ShortBrokers(s)
	if slices.ContainsFunc(s.Cluster.Brokers, func(b snapshot.Broker) bool { return short.Of(b.Name) == t.Value }) {
		return func(name string) bool { return short.Of(name) == t.Value }
	}
	return t.MatchText
}

// Mark is the mark that a term means, by the beginning of its word or by its sign.
func (t Term) Mark() (snapshot.Mark, bool) {
	for m := snapshot.MarkOK; m <= snapshot.MarkUnknown; m++ {
		if t.Value != "" && strings.HasPrefix(string(MarkWord(m)), strings.ToLower(t.Value)) || slices.Contains(MarkSigns(m), t.Value) {
			return m, true
		}
	}
	return 0, false
}

// MatchFuzzy tells whether the letters of a free-text term occur in s in their order.
func (t Term) MatchFuzzy(s string) bool {
	if t.Exact {
		return strings.Contains(s, t.Value)
	}
	return fuzzy(s, t.Value)
}

func fuzzy(s, pattern string) bool {
	next := []rune(pattern)
	for _, r := range s {
		if len(next) == 0 {
			return true
		}
		if r == next[0] || unicode.ToLower(r) == unicode.ToLower(next[0]) {
			next = next[1:]
		}
	}
	return len(next) == 0
}

func containsFold(s, sub string) bool {
	if isPlain(s) && isPlain(sub) {
		for i := 0; i+len(sub) <= len(s); i++ {
			if strings.EqualFold(s[i:i+len(sub)], sub) {
				return true
			}
		}
		return false
	}
	return strings.Contains(strings.ToLower(s), strings.ToLower(sub))
}

// Number is a term that compares numbers, read once.
type Number struct {
	op string
	n  float64
}

// ErrNumber says that a value is no number.
var ErrNumber = errors.New("want a number such as 1000, 1k, 2.5M or 10MiB")

// Number reads the value of a comparison.
func (t Term) Number() (Number, error) {
	n, err := parseNumber(t.Value)
	if err != nil {
		return Number{}, fmt.Errorf("%s%s%s: %w", t.Key, t.Op, t.Value, err)
	}
	return Number{t.Op, n}, nil
}

// Holds compares v with the term's number.
func (n Number) Holds(v float64) bool {
	switch n.op {
	case "<":
		return v < n.n
	case "<=":
		return v <= n.n
	case ">":
		return v > n.n
	case ">=":
		return v >= n.n
	}
	return v == n.n
}

func parseNumber(s string) (float64, error) {
	num := strings.TrimRight(s, "kKMGTPEiBmsh")
	v, err := strconv.ParseFloat(strings.ReplaceAll(num, ",", ""), 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, ErrNumber
	}
	unit := s[len(num):]
	for i, u := range [...]string{"k", "M", "G", "T", "P", "E"} {
		switch unit {
		case u, strings.ToUpper(u):
			return v * math.Pow(1000, float64(i+1)), nil
		case strings.ToUpper(u) + "iB", strings.ToUpper(u) + "i":
			return v * math.Pow(1024, float64(i+1)), nil
		}
	}
	if unit != "" && unit != "B" {
		return 0, ErrNumber
	}
	return v, nil
}

// Filterer is a view that can say, while a filter is typed, what it comes to.
type Filterer interface {
	// FilterNote is how many things pass, and what is wrong with the filter.
	FilterNote(in In) (note, bad Safe)
}
