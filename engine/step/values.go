package step

import (
	"cmp"
	"slices"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/mq"
)

// Moment is a decision and what conditions need to know around it.
type Moment struct {
	*decision.Decision
	Before *decision.Decision // the one before, nil at the beginning
	Task   uint64             // whose turn it is, also where the decision does not say
	Start  time.Time          // when the world began
}

// kind is what a value is in an expression.
type kind uint8

const (
	number kind = iota
	flag
	words
)

func (k kind) zero() any {
	switch k {
	case flag:
		return false
	case words:
		return ""
	}
	return 0
}

// name is a value that conditions may use. get is nil for those of lines only.
type name struct {
	word string
	kind kind
	get  func(m *Moment) (any, bool)
}

func everywhere() []name {
	return []name{
		{"line", words, func(m *Moment) (any, bool) { return m.Line.ID, true }},
		{"group", words, func(m *Moment) (any, bool) { return m.Line.Group.String(), true }},
		{"member", words, func(m *Moment) (any, bool) { return m.Member, m.Member != "" }},
		{"topic", words, func(m *Moment) (any, bool) { return m.Queue.Topic, m.Queue != mq.MessageQueue{} }},
		{"broker", words, func(m *Moment) (any, bool) { return m.Queue.BrokerName, m.Queue != mq.MessageQueue{} }},
		{"queue", number, func(m *Moment) (any, bool) { return int(m.Queue.QueueID), m.Queue != mq.MessageQueue{} }},
		{"task", number, func(m *Moment) (any, bool) { return int(m.Task), m.Task != 0 }},
		{"yes", flag, func(m *Moment) (any, bool) { return m.Yes, m.Line.Asks }},
		{"then", words, func(m *Moment) (any, bool) { return m.Then.Do.String(), true }},
		{"cause", words, func(m *Moment) (any, bool) { return string(m.Then.Why), true }},
		{"delay", number, func(m *Moment) (any, bool) { return int(m.Then.Delay), m.Then.Do == decision.PutBack }},
		{"text", words, func(m *Moment) (any, bool) { return m.Text, m.Line.Text != "" }},
		{"status", words, func(m *Moment) (any, bool) { return m.Text, m.Line.Text == "status" }},
		{"now", number, func(m *Moment) (any, bool) { return int(m.At.Sub(m.Start)), true }},
	}
}

// names are the values that conditions about a line may use, about any when it is nil.
func names(line *decision.Line) []name {
	list := everywhere()
	at := map[string]int{}
	for i := range list {
		at[list[i].word] = i
	}
	fixed := len(list)
	add := func(word string, k kind) {
		i, there := at[word]
		switch {
		case !there:
			at[word] = len(list)
			list = append(list, name{word: word, kind: k})
		case i >= fixed && list[i].kind != k:
			// Lines differ in what they call by it: a number can stand for a flag too.
			list[i].kind = min(list[i].kind, k)
		}
	}
	lines := decision.Lines()
	if line != nil {
		lines = []*decision.Line{line}
	}
	for _, l := range lines {
		for _, v := range l.Values {
			add(v.Name, kindOf(v))
		}
		if l.Text != "" {
			add(l.Text, words)
		}
	}
	slices.SortStableFunc(list[fixed:], func(a, b name) int { return cmp.Compare(a.word, b.word) })
	return list
}

func kindOf(v decision.Value) kind {
	if v.Kind == decision.Flag {
		return flag
	}
	return number
}

// in tells whether decisions of a line may have the value.
func (n *name) in(line *decision.Line) bool {
	switch {
	case index(line, n.word) >= 0:
		return true
	case n.word == "yes":
		return line.Asks
	case n.word == "text":
		return line.Text != ""
	case n.word == "status":
		return line.Text == "status"
	}
	return n.get != nil || n.kind == words && line.Text == n.word
}

// value is that of a decision, false when it has none. A number of the line goes before what is
// there everywhere.
func (n *name) value(m *Moment) (any, bool) {
	if n.kind == words {
		if n.get != nil {
			return n.get(m)
		}
		return m.Text, m.Line.Text == n.word
	}
	i := index(m.Line, n.word)
	if i < 0 {
		if n.get == nil {
			return nil, false
		}
		return n.get(m)
	}
	v := m.N[i]
	switch k := m.Line.Values[i].Kind; {
	case k == decision.Offset && v < 0, k == decision.Moment && v == 0:
		return nil, false // none, never
	case n.kind == flag:
		return v != 0, true
	case k == decision.Moment:
		return int(v - m.Start.UnixNano()), true
	}
	return int(v), true
}

func index(line *decision.Line, word string) int {
	for i := range line.Values {
		if line.Values[i].Name == word {
			return i
		}
	}
	return -1
}
