package views

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mqscope/keymap"
)

func TestChoosingRowsOrderAndColumns(t *testing.T) {
	of := Choices{
		Terms:   []string{"topic:"},
		Sort:    func() []Option { return []Option{{ID: "topic"}, {ID: "lag"}} },
		Desc:    func(id string) bool { return id == "lag" },
		Columns: columnsForTest,
	}
	start := Choice{Filter: "x", Sort: "topic"}
	press := func(id keymap.ID) Event { return Event{Action: id} }
	picked := func(id string) Event { return Event{Action: Picked, Text: id} }
	for _, tt := range []struct {
		name   string
		do     []Event
		want   Choice
		intent Intent
	}{
		{"the other direction", []Event{press(keymap.Reverse)}, Choice{Filter: "x", Sort: "topic", Desc: true}, nil},
		{"and back", []Event{press(keymap.Reverse), press(keymap.Reverse)}, start, nil},
		{"another column, from its large end", []Event{picked("lag")}, Choice{Filter: "x", Sort: "lag", Desc: true}, nil},
		{"the same column turns round", []Event{picked("topic")}, Choice{Filter: "x", Sort: "topic", Desc: true}, nil},
		{"a column that there is not", []Event{picked("nonsense")}, start, nil},
		{"what is typed filters", []Event{{Action: SetFilter, Text: "topic:y"}}, Choice{Filter: "topic:y", Sort: "topic"}, nil},
		{"esc clears the filter", []Event{press(keymap.Cancel)}, Choice{Sort: "topic"}, nil},
		{"and then goes back", []Event{press(keymap.Cancel), press(keymap.Cancel)}, Choice{Sort: "topic"}, GoBack{}},
		{"typing is undone at once", []Event{press(keymap.Filter), {Action: SetFilter, Text: "a"}, {Action: SetFilter, Text: "ab"}, press(keymap.Undo)}, start, nil},
		{"a turn is undone and made again", []Event{press(keymap.Reverse), press(keymap.Undo), press(keymap.Redo)}, Choice{Filter: "x", Sort: "topic", Desc: true}, nil},
		{"a question", []Event{press(keymap.Filter)}, start, Input{Prompt: "/", Text: "x", Terms: of.Terms}},
		{"an offer", []Event{press(keymap.Sort)}, start, Pick{Title: "Sort by", Now: "topic", Options: of.Sort()}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var past Past[Choice]
			got, scroll, last := start, 0, []Intent(nil)
			for _, ev := range tt.do {
				ok := false
				if got, ok, last = got.Choose(ev, &past, &scroll, of); !ok {
					t.Fatalf("%s is not taken", ev.Action)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("choice (-want +got):\n%s", diff)
			}
			var want []Intent
			if tt.intent != nil {
				want = []Intent{tt.intent}
			}
			if diff := cmp.Diff(want, last, cmp.AllowUnexported(Safe{})); diff != "" {
				t.Errorf("intents (-want +got):\n%s", diff)
			}
		})
	}
}

func TestColumnsScrollAsFarAsTheyGo(t *testing.T) {
	var past Past[Choice]
	scroll, far := 0, Scrollable(columnsForTest())
	of := Choices{Columns: columnsForTest}
	for _, tt := range []struct {
		id         keymap.ID
		step, want int
	}{{keymap.Right, 1, 1}, {keymap.Right, 99, far}, {keymap.Left, 1, far - 1}, {keymap.Left, 99, 0}} {
		if _, ok, _ := (Choice{}).Choose(Event{Action: tt.id, N: tt.step}, &past, &scroll, of); !ok || scroll != tt.want {
			t.Errorf("%s by %d scrolls to %d, want %d", tt.id, tt.step, scroll, tt.want)
		}
	}
	if _, ok, _ := (Choice{}).Choose(Event{Action: keymap.Down}, &past, &scroll, of); ok {
		t.Error("a key that moves the cursor is taken")
	}
}
