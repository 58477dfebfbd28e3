package keymap

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTheDefaultTableHasNoFaults(t *testing.T) {
	if err := Validate(Default()); err != nil {
		t.Fatal(err)
	}
	if _, problems := New(nil); len(problems) != 0 {
		t.Fatal(problems)
	}
}

func TestValidate(t *testing.T) {
	ok := Action{ID: "a-b", Keys: []string{"a"}, Help: "h", Label: "l", Where: InQueues}
	with := func(change func(*Action)) Action {
		a := ok
		change(&a)
		return a
	}
	tests := []struct {
		name    string
		actions []Action
		want    string // part of the error, empty: none
	}{
		{"a sound action passes", []Action{ok}, ""},
		{"two actions may not share a key in one place",
			[]Action{ok, with(func(a *Action) { a.ID = "b" })}, `key "a" does both a-b and b`},
		{"two actions may share a key in different places",
			[]Action{ok, with(func(a *Action) { a.ID, a.Where = "b", InEvents })}, ""},
		{"an id may not be listed twice",
			[]Action{ok, with(func(a *Action) { a.Where = InEvents })}, "listed twice"},
		{"ctrl+i is tab", []Action{with(func(a *Action) { a.Keys = []string{"ctrl+i"} })}, "same byte"},
		{"ctrl+m is enter", []Action{with(func(a *Action) { a.Keys = []string{"ctrl+m"} })}, "same byte"},
		{"ctrl+j is line feed", []Action{with(func(a *Action) { a.Keys = []string{"ctrl+j"} })}, "same byte"},
		{"ctrl+h is backspace", []Action{with(func(a *Action) { a.Keys = []string{"ctrl+h"} })}, "same byte"},
		{"ctrl+[ is escape", []Action{with(func(a *Action) { a.Keys = []string{"ctrl+["} })}, "same byte"},
		{"ctrl+s is flow control", []Action{with(func(a *Action) { a.Keys = []string{"ctrl+s"} })}, "flow control"},
		{"ctrl+q is flow control", []Action{with(func(a *Action) { a.Keys = []string{"ctrl+q"} })}, "flow control"},
		{"ctrl+a is a multiplexer's", []Action{with(func(a *Action) { a.Keys = []string{"ctrl+a"} })}, "multiplexers"},
		{"ctrl+b is a multiplexer's", []Action{with(func(a *Action) { a.Keys = []string{"ctrl+b"} })}, "multiplexers"},
		{"ctrl+\\ kills", []Action{with(func(a *Action) { a.Keys = []string{"ctrl+\\"} })}, "kills"},
		{"alt composes", []Action{with(func(a *Action) { a.Keys = []string{"alt+x"} })}, "macOS"},
		{"a key must exist", []Action{with(func(a *Action) { a.Keys = []string{"hyper+x"} })}, "no terminal"},
		{"a control character is no key", []Action{with(func(a *Action) { a.Keys = []string{"\x1b"} })}, "printable"},
		{"invalid bytes are no key", []Action{with(func(a *Action) { a.Keys = []string{"\xff"} })}, "printable"},
		{"help must be there", []Action{with(func(a *Action) { a.Help = "" })}, "help text"},
		{"an id has no dots", []Action{with(func(a *Action) { a.ID = "a.b" })}, "lower-case"},
		{"an action works somewhere", []Action{with(func(a *Action) { a.Where = 0 })}, "works nowhere"},
		{"a change may not sit on a lower-case letter",
			[]Action{with(func(a *Action) { a.Risk = Consumer })}, "lower-case letter"},
		{"a change may not sit on the shifted form of a motion key",
			[]Action{with(func(a *Action) { a.Risk, a.Keys = Broker, []string{"L"} })}, "caps lock"},
		{"a change may not sit on a named key",
			[]Action{with(func(a *Action) { a.Risk, a.Keys = Broker, []string{"enter"} })}, "only a shifted letter"},
		{"a change may sit on another shifted letter",
			[]Action{with(func(a *Action) { a.Risk, a.Keys = Broker, []string{"X"} })}, ""},
		{"a letter is text where text is typed",
			[]Action{with(func(a *Action) { a.Where = InInput })}, "is text"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := Validate(tt.actions)
			switch {
			case tt.want == "" && err != nil:
				t.Errorf("unexpected fault: %v", err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("got %v, want a fault with %q", err, tt.want)
			}
		})
	}
}

func TestNoDefaultKeyOfAnInputIsPrintable(t *testing.T) {
	m, _ := New(nil)
	for c := ' '; c <= '~'; c++ {
		if a, ok := m.Lookup(InInput, string(c)); ok {
			t.Errorf("%q does %s while text is typed", c, a.ID)
		}
	}
}

func TestRemap(t *testing.T) {
	tests := []struct {
		name     string
		keys     map[string][]string
		id       ID
		want     []string
		problems int
	}{
		{"an action gets other keys", map[string][]string{"sort": {"f3", "a"}}, Sort, []string{"f3", "a"}, 0},
		{"an empty list unbinds", map[string][]string{"consume-pause": {}}, PauseConsume, []string{}, 0},
		{"upper-case ids are folded", map[string][]string{"SORT": {"a"}}, Sort, []string{"a"}, 0},
		{"space is written as a word", map[string][]string{"sort": {"space"}}, Sort, []string{" "}, 0},
		{"a taken key is refused", map[string][]string{"sort": {"j"}}, Sort, []string{"s"}, 1},
		{"a forbidden key is refused", map[string][]string{"sort": {"ctrl+m"}}, Sort, []string{"s"}, 1},
		{"a change stays off lower-case keys", map[string][]string{"consume-pause": {"c"}}, PauseConsume, []string{"C"}, 1},
		{"an unknown action is reported", map[string][]string{"fly": {"a"}}, Sort, []string{"s"}, 1},
		{"the way out cannot be unbound", map[string][]string{"quit": {}}, Quit, []string{"ctrl+c"}, 1},
		{"one bad entry does not spoil the others",
			map[string][]string{"sort": {"a"}, "filter": {"j"}}, Sort, []string{"a"}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, problems := New(tt.keys)
			if len(problems) != tt.problems {
				t.Errorf("problems %v, want %d", problems, tt.problems)
			}
			a, _ := m.Find(tt.id)
			if diff := cmp.Diff(tt.want, a.Keys); diff != "" {
				t.Error(diff)
			}
			if err := Validate(m.Actions()); err != nil {
				t.Errorf("the map in use has faults: %v", err)
			}
		})
	}
}

func TestLookupKnowsPlaces(t *testing.T) {
	m, _ := New(nil)
	tests := []struct {
		name string
		at   Place
		key  string
		want ID
	}{
		{"s sorts queues", InQueues, "s", Sort},
		{"s does nothing in Overview", InOverview, "s", ""},
		{"upper case is another key", InQueues, "S", Reverse},
		{"enter opens in a view", InQueues, "enter", Open},
		{"enter accepts in an overlay", InOverlay, "enter", Accept},
		{"enter accepts text in an input", InInput, "enter", InputAccept},
		{"a place that is none finds nothing", 0, "q", ""},
		{"C asks to pause consumption", InDetail, "C", PauseConsume},
		{"s sizes the map", InMap, "s", MapSize},
		{"v shades the map", InMap, "v", Mode},
		{"v picks a strategy in Rebalance", InRebalance, "v", PlanStrategy},
		{"plus opens a broker in Latency", InLatency, "+", More},
		{"plus adds a member in Rebalance", InRebalance, "+", PlanMore},
		{"the space bar takes a member out", InRebalance, " ", PlanWithout},
		{"brackets walk through rebalances", InRebalance, "[", PassBefore},
		{"brackets do nothing elsewhere", InLocks, "[", ""},
		{"a full stop steps", InScheduler, ".", StepOne},
		{"brackets walk through points of interest while stepping", InScheduler, "[", PointBefore},
		{"upper-case b is another key", InScheduler, "B", Breakpoints},
		{"nothing steps elsewhere", InQueues, ".", ""},
		{"four shows Locks from Rebalance", InRebalance, "4", ViewLocks},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, ok := m.Lookup(tt.at, tt.key)
			if a.ID != tt.want || ok != (tt.want != "") {
				t.Errorf("got %q %v, want %q", a.ID, ok, tt.want)
			}
		})
	}
}

func TestFold(t *testing.T) {
	for in, want := range map[rune]rune{
		'／': '/', '？': '?', '：': ':', 'ｑ': 'q', 'Ｇ': 'G', '、': '/', '。': '.', '，': ',',
		'《': '<', '》': '>', '【': '[', '】': ']', '；': ';', '！': '!', '＃': '#',
		'q': 'q', '订': '订', 'é': 'é', '\u3000': ' ',
	} {
		if got := Fold(in); got != want {
			t.Errorf("Fold(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestEveryFoldedKeyIsASCII(t *testing.T) {
	for r := rune(0xFF01); r <= 0xFF5E; r++ {
		if f := Fold(r); f < '!' || f > '~' {
			t.Errorf("Fold(%U) = %q", r, f)
		}
	}
}

func TestHelpGroupsHoldEveryBoundActionOnce(t *testing.T) {
	m, _ := New(map[string][]string{"sort": {}})
	for _, at := range []Place{InOverview, InQueues, InMap, InLocks, InLatency, InRebalance, InScheduler, InDetail, InEvents, InOverlay, InInput} {
		var got, want []ID
		for _, g := range m.HelpGroups(at) {
			for _, a := range g.Actions {
				got = append(got, a.ID)
			}
		}
		for _, a := range m.Actions() {
			if a.Where&at != 0 && len(a.Keys) > 0 {
				want = append(want, a.ID)
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("at %v: %s", at.Names(), diff)
		}
	}
}

func TestHintsAreOrderedAndBound(t *testing.T) {
	m, _ := New(nil)
	hints := m.Hints(InQueues)
	if len(hints) == 0 || hints[0].ID != Open {
		t.Fatalf("first hint is %v, want open", hints)
	}
	if !slices.IsSortedFunc(hints, func(a, b Action) int { return a.Hint - b.Hint }) {
		t.Error("hints are out of order")
	}
}

func TestMarkdownHasEveryActionInOneRow(t *testing.T) {
	m, _ := New(map[string][]string{"zoom": {}, "sort": {"|"}})
	table := m.Markdown()
	for _, a := range m.Actions() {
		if n := strings.Count(table, " | `"+string(a.ID)+"` |\n"); n != 1 {
			t.Errorf("%s has %d rows", a.ID, n)
		}
	}
	for line := range strings.Lines(table) {
		if n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|"); n != 5 {
			t.Errorf("row with %d bars: %s", n, line)
		}
	}
	if !strings.Contains(table, "| unbound |") {
		t.Error("an unbound action does not say so")
	}
}
