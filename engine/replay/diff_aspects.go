package replay

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"mqscope/engine/snapshot"
)

// Aspects of what happened, in the order in which they are told.
const (
	AspectAssignments = "assignments"
	AspectPulls       = "pulls"
	AspectFlow        = "flow control"
	AspectCommits     = "commits"
	AspectLocks       = "locks"
	AspectErrors      = "errors"
)

func aspects() []string {
	return []string{AspectAssignments, AspectPulls, AspectFlow, AspectCommits, AspectLocks, AspectErrors}
}

// aspectOf is the aspect that a moment belongs to, "" for none. Kinds of inferred events are one
// word, those of an engine's own begin with the part that it is about.
func aspectOf(m *snapshot.Moment) string {
	switch m.Interest {
	case snapshot.InterestError:
		return AspectErrors
	case snapshot.InterestFlow:
		return AspectFlow
	}
	if m.Level == snapshot.Error {
		return AspectErrors
	}
	switch m.Kind {
	case "assigned", "released":
		return AspectAssignments
	case "pull-done", "popped":
		return AspectPulls
	case "committed":
		return AspectCommits
	case "locked", "unlocked":
		return AspectLocks
	}
	part, _, dotted := strings.Cut(m.Kind, ".")
	if !dotted {
		return ""
	}
	switch part {
	case "rebalance", "assign", "queue":
		return AspectAssignments
	case "pull":
		return AspectPulls
	case "flow":
		return AspectFlow
	case "offset", "commit":
		return AspectCommits
	case "lock":
		return AspectLocks
	}
	return ""
}

// comparable is what must be the same in both recordings.
func comparable(aspect string, m *snapshot.Moment, member int) string {
	words := m.Words
	switch m.Kind {
	case "assigned", "released":
		words = "" // why it was released is a guess
	case "pull-done": // its status and from where; how many came depends on when it was asked
		for _, before := range []string{" after ", ", held for "} {
			words, _, _ = strings.Cut(words, before)
		}
	}
	text := m.Kind + " " + timeless(words)
	if aspect == AspectAssignments || aspect == AspectLocks {
		text += " member " + strconv.Itoa(member)
	}
	return text
}

// timeless is a text without lengths of time in it.
func timeless(text string) string {
	fields := strings.Fields(text)
	for i, f := range fields {
		bare := strings.TrimRight(f, ".,:;)")
		if _, err := time.ParseDuration(bare); err == nil && strings.IndexFunc(bare, isLetter) > 0 {
			fields[i] = "~" + f[len(bare):]
		}
	}
	return strings.Join(fields, " ")
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r == 'µ' }

// numbers count names in the order in which they are seen; 0 is none.
type numbers map[string]int

func (n numbers) of(name string) int {
	if name == "" {
		return 0
	}
	i, ok := n[name]
	if !ok {
		if len(n) >= maxKeys {
			return -1
		}
		i = len(n) + 1
		n[name] = i
	}
	return i
}

func (d *diff) count(what Count, n int) {
	c := d.counts[what]
	if c == nil {
		if len(d.counts) >= maxKinds {
			return
		}
		c = &[2]int{}
		d.counts[what] = c
	}
	c[n]++
}

// counted are aspects in their order and then kinds by name.
func (d *diff) counted() (out []Count) {
	for _, a := range aspects() {
		c := Count{Aspect: a}
		if n := d.counts[c]; n != nil {
			c.A, c.B = n[0], n[1]
		}
		out = append(out, c)
	}
	from := len(out)
	for what, n := range d.counts {
		if what.Kind != "" {
			out = append(out, Count{Kind: what.Kind, A: n[0], B: n[1]})
		}
	}
	slices.SortFunc(out[from:], func(a, b Count) int { return cmp.Compare(a.Kind, b.Kind) })
	return out
}
