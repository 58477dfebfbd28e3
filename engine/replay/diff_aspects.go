package replay

import (
	"cmp"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"mqscope/engine/mq"
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

// has tells whether a moment belongs to an aspect. Kinds of inferred events are one word, those of
// an engine's own begin with the part that it is about; what its loop told at an event is part of
// that, so one event may belong to several.
func has(aspect string, m *snapshot.Moment) bool {
	part, _, _ := strings.Cut(m.Kind, ".")
	switch aspect {
	case AspectAssignments:
		switch part {
		case "assigned", "released", "revoke":
			return true
		case "members", "assignment", "told":
			return m.Interest == snapshot.InterestRebalance
		}
	case AspectPulls:
		return part == "pull" || part == "pull-done" || part == "popped"
	case AspectFlow:
		return m.Interest == snapshot.InterestFlow
	case AspectCommits:
		return part == "committed" || part == "offset" || m.Kind == "told.offset"
	case AspectLocks:
		return part == "locked" || part == "unlocked" || part == "lock" || m.Interest == snapshot.InterestLock
	case AspectErrors:
		return m.Interest == snapshot.InterestError || m.Level == snapshot.Error
	}
	return false
}

// comparable is what must be the same in both recordings.
func comparable(aspect string, m *snapshot.Moment, member int) string {
	words := m.Words
	switch {
	case m.Kind == "assigned", m.Kind == "released":
		words = "" // why it was released is a guess
	case aspect == AspectPulls: // its status and from where; how many came depends on when it was asked
		words = pulledFrom(m)
	}
	text := m.Kind + " " + timeless(ownTopics(words, m.Group))
	if aspect == AspectAssignments || aspect == AspectLocks {
		text += " member " + strconv.Itoa(member)
	}
	return text
}

// pulledFrom is what a pull's words say of its status and of where it was from.
func pulledFrom(m *snapshot.Moment) string {
	words := m.Words
	if m.Kind == "pull-done" {
		words, _, _ = strings.Cut(words, " after ")
		words, _, _ = strings.Cut(words, ", held for ")
		return words
	}
	if strings.HasPrefix(m.Kind, "pull.") {
		words, _, _ = strings.Cut(words, ",")
		if _, from, ok := strings.Cut(words, " from "); ok {
			return from
		}
	}
	return words
}

// ownTopics is a text in which topics that belong to a group do not name it: two runs of a scenario
// are often of two groups.
func ownTopics(text, group string) string {
	if group == "" || !strings.Contains(text, "%") {
		return text
	}
	for _, topic := range [...]string{mq.RetryTopic(group), mq.DeadLetterTopic(group)} {
		text = strings.ReplaceAll(text, topic, strings.TrimSuffix(topic, group))
	}
	return text
}

// timeless is a text without lengths of time and addresses in it.
func timeless(text string) string {
	fields := strings.Fields(text)
	for i, f := range fields {
		bare := strings.TrimRight(f, ".,:;)")
		if _, err := time.ParseDuration(bare); err == nil && strings.IndexFunc(bare, isLetter) > 0 {
			fields[i] = "~" + f[len(bare):]
		} else if _, err := netip.ParseAddrPort(bare); err == nil {
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
