package keymap

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Map is a validated table with an index by place and key. It is made once and never
// changed: a new configuration makes a new one.
type Map struct {
	actions []Action
	index   [places]map[string]int
}

// Problem is an entry of the configuration that was not used.
type Problem struct {
	Action ID
	Why    string
}

// String is one line for a person.
func (p Problem) String() string { return fmt.Sprintf("keys.%s: %s", p.Action, p.Why) }

// New makes a map of the default table and a person's changes: action id to its keys, where
// an empty list unbinds. An entry that breaks a rule is reported and its default kept.
func New(keys map[string][]string) (*Map, []Problem) {
	actions := Default()
	var problems []Problem
	for _, name := range slices.Sorted(maps.Keys(keys)) {
		id := ID(strings.ToLower(name))
		i := slices.IndexFunc(actions, func(a Action) bool { return a.ID == id })
		if i < 0 {
			problems = append(problems, Problem{id, "there is no such action; `mqscope keys` lists them"})
			continue
		}
		if (id == Quit || id == Cancel || id == InputCancel) && len(keys[name]) == 0 {
			problems = append(problems, Problem{id, "needs a key, or there is no way out"})
			continue
		}
		old := actions[i].Keys
		actions[i].Keys = normal(keys[name])
		if err := Validate(actions); err != nil {
			problems = append(problems, Problem{id, strings.ReplaceAll(err.Error(), "\n", "; ") + "; the default stays"})
			actions[i].Keys = old
		}
	}
	return index(actions), problems
}

// normal writes keys as Bubble Tea v1 does.
func normal(keys []string) []string {
	out := make([]string, 0, len(keys))
	for _, k := range keys {
		switch k {
		case "space":
			k = " "
		case "escape":
			k = "esc"
		case "return":
			k = "enter"
		case "pagedown":
			k = "pgdown"
		case "pageup":
			k = "pgup"
		}
		out = append(out, k)
	}
	return out
}

func index(actions []Action) *Map {
	m := &Map{actions: actions}
	for p := range m.index {
		m.index[p] = map[string]int{}
		for i, a := range actions {
			if a.Where&(1<<p) == 0 {
				continue
			}
			for _, k := range a.Keys {
				m.index[p][k] = i
			}
		}
	}
	return m
}

// Actions is the table in the order of help.
func (m *Map) Actions() []Action { return m.actions }

// Lookup finds what key does at a place, which must be a single one.
func (m *Map) Lookup(at Place, key string) (Action, bool) {
	for p := range m.index {
		if at == 1<<p {
			i, ok := m.index[p][key]
			if !ok {
				return Action{}, false
			}
			return m.actions[i], true
		}
	}
	return Action{}, false
}

// Find returns the action with an id.
func (m *Map) Find(id ID) (Action, bool) {
	for _, a := range m.actions {
		if a.ID == id {
			return a, true
		}
	}
	return Action{}, false
}

// KeyOf is the first key of an action, "unbound" when it has none.
func (m *Map) KeyOf(id ID) string {
	if a, ok := m.Find(id); ok && len(a.Keys) > 0 {
		return a.Keys[0]
	}
	return "unbound"
}

// Hints are the actions worth a place in the hint line at a place, best first.
func (m *Map) Hints(at Place) []Action {
	var out []Action
	for _, a := range m.actions {
		if a.Where&at != 0 && a.Hint > 0 && len(a.Keys) > 0 {
			out = append(out, a)
		}
	}
	slices.SortStableFunc(out, func(a, b Action) int { return a.Hint - b.Hint })
	return out
}

// HelpGroup is a heading and its actions.
type HelpGroup struct {
	Group   Group
	Actions []Action
}

// Hidden tells whether all keys of an action do something else while a recording is shown.
func (m *Map) Hidden(a *Action) bool {
	if a.Where&InReplay != 0 || a.Where&InViews == 0 || len(a.Keys) == 0 {
		return false
	}
	for _, k := range a.Keys {
		if _, ok := m.Lookup(InReplay, k); !ok {
			return false
		}
	}
	return true
}

// HelpGroups has the bound actions of a place under their headings, empty headings left out. With
// InReplay it has those of the recording too, and not those whose keys they take.
func (m *Map) HelpGroups(at Place) []HelpGroup {
	var out []HelpGroup
	for g := Leave; g <= Change; g++ {
		var in []Action
		for _, a := range m.actions {
			if a.Group == g && a.Where&at != 0 && len(a.Keys) > 0 && (at&InReplay == 0 || !m.Hidden(&a)) {
				in = append(in, a)
			}
		}
		if len(in) > 0 {
			out = append(out, HelpGroup{g, in})
		}
	}
	return out
}
