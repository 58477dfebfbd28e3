package tui

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"mqscope/engine"
	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/themes"
	"mqscope/views"
	"mqscope/views/viewtest"
)

// fakeSource hands out what the test gives it and remembers commands.
type fakeSource struct {
	updates chan struct{}

	mu       sync.Mutex
	snap     *snapshot.Snapshot
	asked    int
	commands []engine.Command
	onAsk    func()
}

func newFakeSource(s *snapshot.Snapshot) *fakeSource {
	return &fakeSource{snap: s, updates: make(chan struct{}, 1)}
}

func (f *fakeSource) Snapshot() *snapshot.Snapshot {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked++
	if f.onAsk != nil {
		f.onAsk()
	}
	return f.snap
}

func (f *fakeSource) publish(s *snapshot.Snapshot) {
	f.mu.Lock()
	f.snap = s
	f.mu.Unlock()
	select {
	case f.updates <- struct{}{}:
	default:
	}
}

// Run waits for the end: the fake has no life of its own.
func (f *fakeSource) Run(ctx context.Context) error {
	<-ctx.Done()
	return nil
}

func (f *fakeSource) Updates() <-chan struct{} { return f.updates }

func (f *fakeSource) Do(c engine.Command) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.commands = append(f.commands, c)
}

// done are the commands so far, without those that only ask for details.
func (f *fakeSource) done() []engine.Command {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []engine.Command
	for _, c := range f.commands {
		if _, watch := c.(engine.Watch); !watch {
			out = append(out, c)
		}
	}
	return out
}

// screen is a model under test with a clock of its own.
type screen struct {
	t      testing.TB
	m      *model
	source *fakeSource
	clock  time.Time
	woken  time.Time // last wish of the model
	quit   bool
	cmds   []tea.Msg // what commands made, Quit left out
	wrote  strings.Builder
}

type option func(*Config)

func newScreen(t testing.TB, s *snapshot.Snapshot, w, h int, opts ...option) *screen {
	t.Helper()
	sc := &screen{t: t, source: newFakeSource(s), clock: viewtest.Now()}
	cfg := Config{Source: sc.source, Mouse: true, Input: strings.NewReader(""), Output: &sc.wrote, Look: Look{Profile: themes.TrueColor}}
	for _, o := range opts {
		o(&cfg)
	}
	cfg, err := cfg.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	m, err := newModel(cfg, "")
	if err != nil {
		t.Fatal(err)
	}
	sc.m = m
	m.now = func() time.Time { return sc.clock }
	m.start = sc.clock
	m.wakeAt = func(at time.Time) { sc.woken = at }
	m.write = func(b []byte) (int, error) { return sc.wrote.Write(b) }
	m.suspend = func() tea.Cmd { return tea.Suspend }
	sc.send(tea.WindowSizeMsg{Width: w, Height: h})
	if s != nil {
		sc.send(snapshotMsg{s})
	}
	sc.wait(time.Second)
	return sc
}

// send gives a message to the model, as Bubble Tea would, and runs what commands follow.
func (s *screen) send(msg tea.Msg) {
	s.t.Helper()
	if msg = s.m.filter(s.m, msg); msg == nil {
		return
	}
	_, cmd := s.m.Update(msg)
	s.run(cmd)
	if s.m.err != nil {
		s.t.Fatalf("the model panicked: %v", s.m.err)
	}
}

func (s *screen) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			s.run(c)
		}
	case tea.QuitMsg:
		s.quit = true
	case nil:
	default:
		s.cmds = append(s.cmds, msg)
	}
}

// wait lets time pass; the model is woken when it wished to be.
func (s *screen) wait(d time.Duration) {
	s.t.Helper()
	end := s.clock.Add(d)
	for !s.woken.IsZero() && !s.woken.After(end) {
		if s.woken.After(s.clock) {
			s.clock = s.woken
		}
		s.woken = time.Time{}
		s.send(wakeMsg{})
	}
	s.clock = end
}

// press sends keys by the names that Bubble Tea gives them; a name of several letters that
// is none becomes one message of several runes.
func (s *screen) press(keys ...string) {
	s.t.Helper()
	for _, k := range keys {
		s.send(keyMsg(k))
	}
	s.wait(100 * time.Millisecond)
}

func keyMsg(name string) tea.KeyMsg {
	for t := tea.KeyType(-120); t < 130; t++ {
		if t != tea.KeyRunes && (tea.Key{Type: t}).String() == name {
			if t == tea.KeySpace {
				return tea.KeyMsg{Type: t, Runes: []rune{' '}}
			}
			return tea.KeyMsg{Type: t}
		}
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(name)}
}

func (s *screen) paste(text string) {
	s.t.Helper()
	s.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(text), Paste: true})
	s.wait(100 * time.Millisecond)
}

func (s *screen) mouse(x, y int, b tea.MouseButton) {
	s.t.Helper()
	s.send(tea.MouseMsg{X: x, Y: y, Button: b, Action: tea.MouseActionPress})
}

// lines are the frame without colours.
func (s *screen) lines() []string { return strings.Split(ansi.Strip(s.m.View()), "\n") }

func (s *screen) text() string { return strings.Join(s.lines(), "\n") }

// find is the cell where text stands on screen.
func (s *screen) find(text string) (x, y int) {
	s.t.Helper()
	for y, line := range s.lines() {
		if before, _, ok := strings.Cut(line, text); ok {
			return ansi.StringWidth(before), y
		}
	}
	s.t.Fatalf("%q is not on screen:\n%s", text, s.text())
	return 0, 0
}

func (s *screen) has(text string) {
	s.t.Helper()
	if !strings.Contains(s.text(), text) {
		s.t.Errorf("%q is not on screen:\n%s", text, s.text())
	}
}

func (s *screen) hasNot(text string) {
	s.t.Helper()
	if strings.Contains(s.text(), text) {
		s.t.Errorf("%q is on screen:\n%s", text, s.text())
	}
}

// where says what has the keys: the view, an overlay or an input.
func (s *screen) where() string {
	out := ""
	for i, p := range s.m.stack.path {
		if i > 0 {
			out += ">"
		}
		out += p.view.ID()
	}
	for _, o := range s.m.overlays {
		out += "+" + strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T", o.Overlay), "overlay."))
	}
	if s.m.input != nil {
		out += "+input"
	}
	return out
}

// many is a snapshot of n queues.
func many(n int) *snapshot.Snapshot {
	s := viewtest.Normal()
	base := s.Queues[len(s.Queues)-2]
	stuck := s.Queues[4]
	s.Queues = nil
	for i := range n {
		q := base
		if i%17 == 0 {
			q = stuck
		}
		q.ID = snapshot.MessageQueue{Topic: fmt.Sprintf("topic-%02d", i/128), BrokerName: "broker-" + string(rune('a'+i%4)), QueueID: int32(i % 128)}
		q.Lag = snapshot.Of(int64(i*7919%100_000), s.At)
		s.Queues = append(s.Queues, q)
	}
	return s
}

// next is s with a number one higher and a later time.
func next(s *snapshot.Snapshot, later time.Duration) *snapshot.Snapshot {
	n := *s
	n.Seq++
	n.At, n.Wall = s.At.Add(later), s.Wall.Add(later)
	return &n
}

// changed is s after a change to a copy.
func changed(s *snapshot.Snapshot, change func(*snapshot.Snapshot)) *snapshot.Snapshot {
	n := *s
	change(&n)
	return &n
}

type snapshotT = snapshot.Snapshot

func inDemo(s *snapshot.Snapshot) *snapshot.Snapshot {
	return changed(s, func(s *snapshot.Snapshot) { s.Source.Kind = snapshot.Demo })
}

func withKeys(keys map[string][]string) option {
	return func(c *Config) { c.Keys, c.KeyProblems = keymap.New(keys) }
}

var _ views.View = (*failingView)(nil)

// failingView panics when it is told to.
type failingView struct {
	views.View
	fail atomic.Bool
}

func (v *failingView) Render(in views.In) views.Out {
	if v.fail.Load() {
		panic("a view is broken")
	}
	return v.View.Render(in)
}
