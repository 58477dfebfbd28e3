package views_test

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/themes"
	"mqscope/views"
	"mqscope/views/viewtest"
)

func chromeOf(t testing.TB, w, h int, s *snapshot.Snapshot) views.Chrome {
	t.Helper()
	return views.Chrome{
		W: w, H: h, Snap: s, Now: viewtest.Now(), Theme: viewtest.Theme(t, "mono", "unicode"), Keys: viewtest.Keys(t),
		Place: keymap.InQueues, Tab: "queues",
	}
}

func frameText(c views.Chrome, body views.Out) []string {
	lines, _ := views.NewFramer().Frame(c, body)
	return viewtest.Plain(lines)
}

func TestTheGuardNamesBothSizes(t *testing.T) {
	lines := frameText(chromeOf(t, 48, 12, viewtest.Normal()), views.Out{})
	if len(lines) != 12 {
		t.Fatalf("%d lines", len(lines))
	}
	for i, want := range []string{"mqscope needs 60x16, this is 48x12.", "Make the window bigger.", "LIVE", "q quit"} {
		if !strings.Contains(lines[i], want) {
			t.Errorf("line %d is %q, want %q in it", i, lines[i], want)
		}
	}
	if !strings.Contains(lines[2], "1 bad") || !strings.Contains(lines[2], "lag 1.21M") {
		t.Errorf("the answer is missing: %q", lines[2])
	}
}

func TestEverySizeGivesExactlyItsLines(t *testing.T) {
	for w := 1; w <= 300; w += 13 {
		for h := 1; h <= 100; h += 7 {
			c := chromeOf(t, w, h, viewtest.Failing())
			lines, hits := views.NewFramer().Frame(c, views.Out{})
			viewtest.CheckFrame(t, lines, w, h, c.Theme)
			viewtest.CheckHits(t, hits, w, h, c.Keys)
		}
	}
}

func TestBodySizeLeavesRoomForChrome(t *testing.T) {
	tests := []struct {
		name string
		w, h int
		s    *snapshot.Snapshot
		want int
	}{
		{"large frames have tabs and status", 120, 36, viewtest.Normal(), 31},
		{"usual frames have a status line", 80, 24, viewtest.Normal(), 20},
		{"small ones have neither", 60, 16, viewtest.Normal(), 13},
		{"a failing source costs a line", 80, 24, viewtest.Failing(), 19},
		{"before the first snapshot", 80, 24, nil, 20},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, got := views.BodySize(tt.w, tt.h, tt.s); got != tt.want {
				t.Errorf("%d lines, want %d", got, tt.want)
			}
		})
	}
}

// TestModesDifferWithoutColour: what is driven, paused, frozen or read-only is said in words.
func TestModesDifferWithoutColour(t *testing.T) {
	with := func(change func(*views.Chrome, *snapshot.Snapshot)) string {
		s := viewtest.Normal()
		c := chromeOf(t, 80, 24, s)
		change(&c, s)
		return frameText(c, views.Out{})[0]
	}
	heads := map[string]string{
		"driving":   with(func(*views.Chrome, *snapshot.Snapshot) {}),
		"paused":    with(func(_ *views.Chrome, s *snapshot.Snapshot) { s.Mode.Paused = true }),
		"read-only": with(func(_ *views.Chrome, s *snapshot.Snapshot) { s.Mode = snapshot.Mode{ReadOnly: true} }),
		"frozen":    with(func(c *views.Chrome, _ *snapshot.Snapshot) { c.Frozen = true }),
		"demo":      with(func(_ *views.Chrome, s *snapshot.Snapshot) { s.Source.Kind = snapshot.Demo }),
		"failing":   with(func(_ *views.Chrome, s *snapshot.Snapshot) { s.Source.State = snapshot.Failing }),
		"ended":     with(func(_ *views.Chrome, s *snapshot.Snapshot) { s.Source.State = snapshot.Ended }),
		"old":       with(func(c *views.Chrome, _ *snapshot.Snapshot) { c.Now = c.Now.Add(time.Minute) }),
	}
	seen := map[string]string{}
	for mode, line := range heads {
		if other, ok := seen[line]; ok {
			t.Errorf("%s and %s look alike: %s", mode, other, line)
		}
		seen[line] = mode
	}
	for mode, want := range map[string]string{"paused": "PAUSED", "read-only": "RO", "frozen": "FROZEN", "driving": "RW", "old": "~"} {
		if !strings.Contains(heads[mode], want) {
			t.Errorf("%s does not say %s: %s", mode, want, heads[mode])
		}
	}
}

func TestAFrozenScreenKeepsCountingItsAge(t *testing.T) {
	c := chromeOf(t, 80, 24, viewtest.Normal())
	c.Frozen = true
	c.Now = c.Now.Add(2 * time.Minute)
	if head := frameText(c, views.Out{})[0]; !strings.Contains(head, "~2m00s ago") {
		t.Errorf("got %q", head)
	}
}

func TestAFailingSourceSaysCauseAndRetry(t *testing.T) {
	lines := frameText(chromeOf(t, 200, 40, viewtest.Failing()), views.Out{})
	for _, want := range []string{"Source failing: ask name server 10.0.0.12:9876", "connection refused", "next try in 2.8s", "last good data below"} {
		if !strings.Contains(lines[3], want) {
			t.Errorf("%q lacks %q", lines[3], want)
		}
	}
}

func TestHintsComeFromTheKeyMap(t *testing.T) {
	keys, problems := keymap.New(map[string][]string{"sort": {"f3"}, "filter": {}})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	c := chromeOf(t, 120, 36, viewtest.Normal())
	c.Keys = keys
	lines := frameText(c, views.Out{Keys: []keymap.ID{keymap.Open, keymap.Filter, keymap.Sort}, Label: map[keymap.ID]views.Lit{keymap.Open: "dive"}})
	hint := lines[35]
	if !strings.Contains(hint, "enter dive") || !strings.Contains(hint, "f3 sort") || strings.Contains(hint, "filter") || !strings.HasSuffix(hint, "? help") {
		t.Errorf("got %q", hint)
	}
}

func TestTheStatusLineShowsWhatMattersMost(t *testing.T) {
	toast := &views.Note{Level: snapshot.MarkWatch, Text: views.Own("Copied"), Key: keymap.Undo}
	tests := []struct {
		name string
		w, h int
		set  func(*views.Chrome)
		out  views.Out
		want []string
	}{
		{"a toast offers its key", 80, 24, func(c *views.Chrome) { c.Toast = toast }, views.Out{}, []string{"! Copied", "u undo"}},
		{"typed text has its prompt and note", 80, 24, func(c *views.Chrome) {
			c.Input = &views.Typed{Prompt: "/", Text: "lag>1k", Cursor: 6, Note: views.Own("2 of 13")}
		}, views.Out{}, []string{"/lag>1k", "2 of 13"}},
		{"typed text hides no error", 80, 24, func(c *views.Chrome) {
			c.Input = &views.Typed{Prompt: "/", Text: "foo:", Bad: views.Own("foo: is no term here")}
		}, views.Out{}, []string{"/foo:", "✗ foo: is no term here"}},
		{"typed text wins over a toast", 80, 24, func(c *views.Chrome) {
			c.Input, c.Toast = &views.Typed{Prompt: "/"}, toast
		}, views.Out{}, []string{"/"}},
		{"hidden characters are counted", 80, 24, func(*views.Chrome) {}, views.Out{Hidden: 3}, []string{"! 3 hidden characters made visible"}},
		{"small frames give the hint line away", 60, 16, func(c *views.Chrome) { c.Toast = toast }, views.Out{}, []string{"Copied"}},
		{"the mouse setting is said", 80, 24, func(c *views.Chrome) { c.MouseOff = true }, views.Out{}, []string{"mouse off: select text normally"}},
		{"pasted escapes stay harmless", 80, 24, func(c *views.Chrome) {
			c.Input = &views.Typed{Prompt: "/", Text: "a\x1b]0;x\x07", Cursor: 2}
		}, views.Out{}, []string{"/a␛]0;x␇"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := chromeOf(t, tt.w, tt.h, viewtest.Normal())
			tt.set(&c)
			lines := frameText(c, tt.out)
			at := tt.h - 2
			if tt.w < 80 {
				at = tt.h - 1
			}
			for _, want := range tt.want {
				if !strings.Contains(lines[at], want) {
					t.Errorf("got %q, want %q in it", lines[at], want)
				}
			}
		})
	}
}

func TestTabsNameOnlyViewsThatExist(t *testing.T) {
	c := chromeOf(t, 120, 36, viewtest.Normal())
	lines, hits := views.NewFramer().Frame(c, views.Out{})
	if got := strings.TrimSpace(ansi.Strip(lines[1])); got != "1 Overview  ▸2 Queues   3 Map   4 Locks   5 Latency   6 Rebalance   7 Scheduler   0 Events" {
		t.Errorf("tabs are %q", got)
	}
	acts := map[keymap.ID]bool{}
	for _, h := range hits {
		acts[h.Action] = true
	}
	for _, tab := range views.Tabs() {
		if !acts[tab.Action] {
			t.Errorf("a click on %s does nothing", tab.Name)
		}
	}
}

func TestKeysNamesFollowTheSigns(t *testing.T) {
	c := views.NewCleaner()
	for _, tt := range []struct{ key, glyphs, want string }{
		{"up", "unicode", "↑"}, {"left", "unicode", "←"}, {"left", "cjk", "left"}, {"up", "ascii", "^"}, {" ", "ascii", "space"}, {"ctrl+l", "unicode", "ctrl+l"},
	} {
		g, err := themes.GlyphsByName(tt.glyphs)
		if err != nil {
			t.Fatal(err)
		}
		if got := views.KeyName(c.Cell(tt.key), g).String(); got != tt.want {
			t.Errorf("%s in %s is %q, want %q", tt.key, tt.glyphs, got, tt.want)
		}
	}
}
