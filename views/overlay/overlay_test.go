package overlay

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mqscope/keymap"
	"mqscope/themes"
	"mqscope/views"
	"mqscope/views/queues"
	"mqscope/views/viewtest"
)

const root = "../.."

// below is a frame for boxes to lie over.
func below(t *testing.T, w, h int, th *themes.Theme) []string {
	t.Helper()
	v := queues.New()
	lines, _, _ := viewtest.Shot{View: v, Tab: "queues", State: v.Start(""), Case: viewtest.Case{Snap: viewtest.CJK()}, W: w, H: h, Theme: th}.Draw()
	return lines
}

func subjects(t *testing.T, g *themes.Glyphs) map[string]Overlay {
	t.Helper()
	clean := views.NewCleaner()
	clean.Use(g)
	v := queues.New()
	_, in := v.Reduce(v.Start(""), views.Event{Action: keymap.Sort}, viewtest.Normal())
	return map[string]Overlay{
		"help": NewHelp("Queues", viewtest.Keys(t), keymap.InQueues, []views.Off{{ID: keymap.PauseConsume, Why: "read-only: nothing is driven"}},
			[]keymap.Problem{{Action: "sort", Why: `key "j" does both down and sort; the default stays`}}, "~/.local/state/mqscope/mqscope.log"),
		"theme":    NewPicker(ThemePick("mqscope-dark", []string{"mine\x1b[31m"}, clean)),
		"sort":     NewPicker(in[0].(views.Pick)),
		"consumer": NewConfirm(pause()),
		"broker":   NewConfirm(deferTwo()),
	}
}

func pause() Question {
	return Question{
		Risk: keymap.Consumer, What: views.Own("Pause consumption of order-svc @ prod-sh in this process"), Send: "Pause",
		Effects: []views.Safe{views.Own("13 queues are no longer pulled; what is cached is still consumed"), views.Own("the same key resumes")},
	}
}

func deferTwo() Question {
	return Question{
		Risk: keymap.Broker, What: views.Own("Defer: retry 2 messages of order-created/a/3, group order-svc @ prod-sh"), Send: "Send", Name: "order-svc",
		Effects: []views.Safe{views.Own("back to %RETRY%order-svc at level 3 (10s); no undo")},
	}
}

func TestGoldenOverlays(t *testing.T) {
	th := viewtest.Theme(t, "mqscope-dark", "unicode")
	for name, o := range subjects(t, th.Glyphs) {
		for _, size := range viewtest.Sizes()[:3] {
			w, h := size[0], size[1]
			t.Run(fmt.Sprintf("%s at %dx%d", name, w, h), func(t *testing.T) {
				frame := below(t, w, h, th)
				got := views.Over(frame, o.Render(In{W: w, H: h, Theme: th, Keys: viewtest.Keys(t)}))
				viewtest.CheckFrame(t, got, w, h, th)
				viewtest.Golden(t, root, fmt.Sprintf("overlay/%s.%dx%d.txt", name, w, h), viewtest.Plain(got))
			})
		}
	}
}

func TestBoxesStayInsideEveryFrame(t *testing.T) {
	for _, glyphs := range themes.GlyphNames() {
		th := viewtest.Theme(t, "mono", glyphs)
		for name, o := range subjects(t, th.Glyphs) {
			for w := 1; w < 200; w += 17 {
				for h := 1; h < 60; h += 7 {
					b := o.Render(In{W: w, H: h, Theme: th, Keys: viewtest.Keys(t)})
					if b.X < 0 || b.Y < 0 || b.X+b.W > w || b.Y+b.H > h {
						t.Fatalf("%s at %dx%d lies at %d,%d with %dx%d", name, w, h, b.X, b.Y, b.W, b.H)
					}
					viewtest.CheckFrame(t, b.Lines, b.W, b.H, th)
					viewtest.CheckHits(t, b.Hits, b.W, b.H, viewtest.Keys(t))
				}
			}
		}
	}
}

func reduce(o Overlay, evs ...views.Event) (Overlay, Result) {
	var r Result
	for _, ev := range evs {
		o, r = o.Reduce(ev)
	}
	return o, r
}

func act(id keymap.ID) views.Event { return views.Event{Action: id} }

func typed(s string) views.Event { return views.Event{Action: views.SetFilter, Text: s} }

func TestConfirm(t *testing.T) {
	tests := []struct {
		name string
		q    Question
		evs  []views.Event
		want Result
	}{
		{"enter alone cancels", pause(), []views.Event{act(keymap.Accept)}, Result{Done: true}},
		{"the key that opened it does not confirm", pause(), []views.Event{act(keymap.PauseConsume)}, Result{}},
		{"going to the button and enter sends", pause(), []views.Event{act(keymap.Right), act(keymap.Accept)}, Result{Done: true, Accepted: true}},
		{"going there and back cancels", pause(), []views.Event{act(keymap.NextPane), act(keymap.Left), act(keymap.Accept)}, Result{Done: true}},
		{"esc cancels from the button", pause(), []views.Event{act(keymap.Right), act(keymap.Cancel)}, Result{Done: true}},
		{"a click on the button only goes there", pause(), []views.Event{{Action: views.Point, Text: "send"}}, Result{}},
		{"a broker's change needs the name", deferTwo(), []views.Event{act(keymap.InputAccept)}, Result{}},
		{"half the name is not the name", deferTwo(), []views.Event{typed("order-s"), act(keymap.InputAccept)}, Result{}},
		{"going to the button does not replace the name", deferTwo(), []views.Event{act(keymap.Right), act(keymap.InputAccept)}, Result{}},
		{"the whole name sends", deferTwo(), []views.Event{typed("order-svc"), act(keymap.InputAccept)}, Result{Done: true, Accepted: true, Choice: "order-svc"}},
		{"esc cancels after the name", deferTwo(), []views.Event{typed("order-svc"), act(keymap.InputCancel)}, Result{Done: true}},
		{"an empty name is never enough", Question{Risk: keymap.Broker}, []views.Event{act(keymap.InputAccept)}, Result{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, got := reduce(NewConfirm(tt.q), tt.evs...)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTheChosenButtonShowsWithoutColour(t *testing.T) {
	in := In{W: 80, H: 24, Theme: viewtest.Theme(t, "mono", "ascii"), Keys: viewtest.Keys(t)}
	text := func(o Overlay) string { return strings.Join(viewtest.Plain(o.Render(in).Lines), "\n") }
	first, _ := reduce(NewConfirm(pause()))
	second, _ := reduce(NewConfirm(pause()), act(keymap.Right))
	if !strings.Contains(text(first), "[ Cancel ]") || !strings.Contains(text(second), "[ Pause ]") || strings.Contains(text(second), "[ Cancel ]") {
		t.Errorf("%s\n%s", text(first), text(second))
	}
	if !strings.Contains(text(first), "Confirm (!)") {
		t.Error("the danger is told by colour alone")
	}
}

func TestPicker(t *testing.T) {
	p := NewPicker(ThemePick("mono", nil, views.NewCleaner()))
	_, r := reduce(p, act(keymap.Accept))
	if diff := cmp.Diff(Result{Done: true, Accepted: true, Choice: "mono"}, r); diff != "" {
		t.Error(diff)
	}
	_, r = reduce(p, act(keymap.Top))
	if r.Preview != "auto" || r.Done {
		t.Errorf("moving gives %+v", r)
	}
	_, r = reduce(p, act(keymap.Top), act(keymap.Up), act(keymap.Down), act(keymap.Accept))
	if r.Choice != "mqscope" {
		t.Errorf("took %q", r.Choice)
	}
	_, r = reduce(p, act(keymap.Bottom), act(keymap.Down), act(keymap.Accept))
	if r.Choice != "mono" {
		t.Errorf("took %q", r.Choice)
	}
	_, r = reduce(p, views.Event{Action: views.Point, Text: "tritanopia"}, act(keymap.Accept))
	if r.Choice != "tritanopia" {
		t.Errorf("a click took %q", r.Choice)
	}
	if _, r = reduce(p, act(keymap.Cancel)); !r.Done || r.Accepted {
		t.Errorf("esc gives %+v", r)
	}
	if _, r = reduce(NewPicker(views.Pick{}), act(keymap.Down), act(keymap.Accept)); !r.Done || r.Accepted {
		t.Errorf("nothing to pick gives %+v", r)
	}
}

func TestHelpRunsWhatIsChosen(t *testing.T) {
	h := subjects(t, themes.Unicode())["help"]
	_, r := reduce(h, typed("freeze"), act(keymap.InputAccept))
	if diff := cmp.Diff(Result{Done: true, Accepted: true, Run: keymap.PauseScreen}, r); diff != "" {
		t.Error(diff)
	}
	_, r = reduce(h, typed("freeze"), typed(""), act(keymap.InputDown), act(keymap.InputAccept))
	if r.Run != keymap.Cancel {
		t.Errorf("the second action is %s", r.Run)
	}
	if _, r = reduce(h, typed("consumption"), act(keymap.InputAccept)); r.Done {
		t.Errorf("a disabled action runs: %+v", r)
	}
	for _, none := range []string{"no such thing", "j4>", "freeze:", "x>1"} {
		if _, r = reduce(h, typed(none), act(keymap.InputAccept)); r.Done {
			t.Errorf("%q, which nothing has, runs %+v", none, r)
		}
	}
	if _, r = reduce(h, act(keymap.InputCancel)); !r.Done || r.Accepted {
		t.Errorf("esc gives %+v", r)
	}
}

func TestHelpListsEveryKeyOfThePlaceAndTheProblems(t *testing.T) {
	h := subjects(t, themes.Unicode())["help"]
	lines := viewtest.Plain(h.Render(In{W: 200, H: 60, Theme: viewtest.Theme(t, "mono", "unicode"), Keys: viewtest.Keys(t)}).Lines)
	text := strings.Join(lines, "\n")
	stepping := NewHelp("Scheduler", viewtest.Keys(t), keymap.InScheduler, nil, nil, "")
	text += strings.Join(viewtest.Plain(stepping.Render(In{W: 200, H: 80, Theme: viewtest.Theme(t, "mono", "unicode"), Keys: viewtest.Keys(t)}).Lines), "\n")
	for _, g := range append(viewtest.Keys(t).HelpGroups(keymap.InQueues), viewtest.Keys(t).HelpGroups(keymap.InScheduler)...) {
		for _, a := range g.Actions {
			if !strings.Contains(text, a.Help) && a.ID != keymap.PauseConsume {
				t.Errorf("help lacks %s", a.ID)
			}
		}
	}
	for _, want := range []string{"off: read-only: nothing is driven", "PROBLEMS in your configuration", "keys.sort: key", "mqscope.log"} {
		if !strings.Contains(text, want) {
			t.Errorf("help lacks %q:\n%s", want, text)
		}
	}
}
