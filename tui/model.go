package tui

import (
	"context"
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"mqscope/engine/lifecycle"
	"mqscope/engine/snapshot"
	"mqscope/themes"
	"mqscope/views"
	"mqscope/views/transport"
)

// model is the screen's state. It lives in Bubble Tea's loop; nothing else touches it.
type model struct {
	cfg     Config
	now     func() time.Time
	wakeAt  func(time.Time)
	write   func([]byte) (int, error) // to the terminal, outside of frames
	suspend func() tea.Cmd

	theme  *themes.Theme
	choice themes.Choice
	answer string // of the terminal to the question for its background
	clean  *views.Cleaner
	framer *views.Framer
	dock   *transport.Bar
	alone  bool // the events around the position of a recording are not shown

	w, h  int
	start time.Time
	// latest is the newest snapshot, shown the one on screen: another one while frozen.
	latest, shown *snapshot.Snapshot
	frozen        bool
	exact         bool

	stack    stack
	overlays []*layer
	question *layer // whether to leave, once asked
	input    *input
	toasts   toasts
	arms     arms
	mouse    bool
	pointer  pointer
	late     lateAnswer
	tiny     bool // leaving was asked for on a window too small for a question

	frame  frame
	asleep time.Time // when the model is to be woken, zero for never
	err    error     // a panic that ends the program
}

// newModel makes the model of a checked cfg. answer is the terminal's to OSC 11.
func newModel(cfg Config, answer string) (*model, error) {
	theme, choice, err := cfg.Look.build(answer)
	if err != nil {
		return nil, err
	}
	m := &model{
		cfg: cfg, theme: theme, choice: choice, answer: answer, mouse: cfg.Mouse,
		now:     time.Now,
		wakeAt:  func(time.Time) {},
		write:   func(b []byte) (int, error) { return len(b), nil },
		suspend: func() tea.Cmd { return nil },
		clean:   views.NewCleaner(), framer: views.NewFramer(), dock: transport.New(),
	}
	m.clean.Use(theme.Glyphs)
	m.stack = newStack(screens())
	if cfg.View != "" {
		if m.stack.find(cfg.View) == nil {
			return nil, fmt.Errorf("tui: Config.View is %q: there is no such view", cfg.View)
		}
		m.stack.goTo(cfg.View)
	}
	m.begin()
	return m, nil
}

// begin is what a fresh screen does before its first frame.
func (m *model) begin() {
	m.start = m.now()
	if n := len(m.cfg.KeyProblems); n > 0 {
		m.toast(snapshot.MarkBad, views.Join(views.Exact(int64(n)),
			views.Own(views.Plural(n, " key of the configuration is not used: ", " keys of the configuration are not used, first: ")),
			m.clean.Cell(m.cfg.KeyProblems[0].String())))
	}
}

// Init implements tea.Model.
func (m *model) Init() tea.Cmd { return nil }

// Update implements tea.Model. A panic in it ends the program in order.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	err := lifecycle.Guard(context.Background(), "screen", func(context.Context) error {
		cmd = tea.Batch(m.handle(msg), m.refresh())
		return nil
	})
	if err != nil {
		m.err = err
		return m, tea.Quit
	}
	return m, cmd
}

// View implements tea.Model. It is called after every message, so it only hands out the
// frame that was composed last.
func (m *model) View() string { return m.frame.text }

// handle takes one message.
func (m *model) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case snapshotMsg:
		m.news(msg.s)
	case wakeMsg:
		m.asleep = time.Time{}
		m.toasts.expire(m.now())
		m.pointer.flush(m)
		m.frame.touch()
	case tea.WindowSizeMsg:
		m.resize(msg.Width, msg.Height)
	case tea.KeyMsg:
		return m.key(msg)
	case tea.MouseMsg:
		return m.click(msg)
	case tea.FocusMsg:
		m.frame.blurred = false
		m.frame.touch()
	case tea.BlurMsg:
		m.frame.blurred = true
	case exportedMsg:
		m.exported(msg)
	case continuedMsg:
		return continued()
	case resumedMsg:
		return m.resume(msg.err)
	}
	return nil
}

// news takes a snapshot. While the screen is frozen only its age goes on.
func (m *model) news(s *snapshot.Snapshot) {
	if s == nil || s.Seq == 0 {
		return
	}
	m.latest = s
	if s.Source.State == snapshot.Ended {
		m.disarm()
	}
	if m.frozen {
		return
	}
	m.show(s)
}

func (m *model) show(s *snapshot.Snapshot) {
	if m.shown == s {
		return
	}
	if m.shown != nil {
		m.hit(m.shown.Sched.Hit, s.Sched.Hit)
		m.recorded(&m.shown.Recorder, &s.Recorder)
		m.refused(m.shown, s)
	}
	m.replayed(m.shown, s)
	m.shown = s
	m.tell(views.Event{Action: views.Refresh})
	m.frame.touch()
}

func (m *model) resize(w, h int) {
	if w == m.w && h == m.h {
		return
	}
	m.w, m.h = w, h
	m.frame.wipe = true
	m.frame.touch()
}

// engineNow is the engine's time now, read from the newest snapshot and the wall clock.
// Virtual time stands still until the next snapshot, and so does that of a recording.
func (m *model) engineNow() time.Time {
	if m.latest == nil {
		return m.now()
	}
	if m.latest.Sched.Virtual() || m.latest.Replay.Known {
		return m.latest.At
	}
	return m.latest.At.Add(max(m.now().Sub(m.latest.Wall), 0))
}
