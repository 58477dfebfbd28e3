package views

import (
	"time"

	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/themes"
)

// View is one screen. A view value is not for concurrent use.
type View interface {
	// ID is the name that intents and the command line use, such as "queues".
	ID() string
	// Place is where its keys are looked up.
	Place() keymap.Place
	// Start is the state of the screen when it is opened with an argument: a filter, or
	// the identity of a queue as EncodeQueue writes it. Empty means the usual start.
	Start(arg string) any
	// Render draws the body. It never changes In.State.
	Render(In) Out
	// Reduce is what an action does to the state. A state of another type counts as fresh.
	Reduce(state any, ev Event, s *snapshot.Snapshot) (any, []Intent)
}

// In is everything that a body is drawn from.
type In struct {
	Snap   *snapshot.Snapshot // immutable; nil before the first one
	State  any                // this view's own small value
	W, H   int                // of the body, in cells and lines
	Now    time.Time          // engine clock
	Theme  *themes.Theme
	Focus  int           // pane that has the keys, below Out.Panes
	Zoomed bool          // the focused pane has the whole body
	Exact  bool          // every number in full
	Waited time.Duration // since data was asked for, while Snap is nil
	Keys   *keymap.Map   // for the names of keys in texts; nil means the defaults
	Armed  bool          // changes may be made
}

// Boxed tells whether panes are boxes; else they are titled rules, which saves two lines and
// two columns each. The design limit is a frame of 100x30, which leaves a body of 24 lines.
func (in In) Boxed() bool { return in.W >= 100 && in.H >= 24 }

// KeyOf is the name of the key that does id.
func (in In) KeyOf(id keymap.ID) string {
	m := in.Keys
	if m == nil {
		m, _ = keymap.New(nil)
	}
	return m.KeyOf(id)
}

// Out is a drawn body.
type Out struct {
	Lines  []string          // exactly H, each at most W cells
	Keys   []keymap.ID       // what works here now, best first; package tui looks the actions up
	Off    []Off             // what would work here but does not now, with the reason
	Hits   []Hit             // clickable rectangles, disjoint
	Panes  int               // how many panes tab walks through, at least 1
	Crumb  []Safe            // path below the view's group, such as Queues › topic/broker/3
	Worst  Spans             // state of the selected item, for the right end of the crumb line
	Spoken Safe              // the focused item as one sentence
	Mark   snapshot.Mark     // worst state on show
	Label  map[keymap.ID]Lit // words for the hint line where the general ones are vague
	Hidden int               // characters that do not show as they are
	// Tick is how soon the picture changes by itself because something in it counts down; 0
	// is no sooner than ages change in any screen, which is once a second.
	Tick time.Duration
}

// ReadOnly switches off what nobody can do where nothing is driven: PauseConsume, and what else is
// named. It tells whether that is so.
func (o *Out) ReadOnly(s *snapshot.Snapshot, also ...keymap.ID) bool {
	if s.Mode.Driving && !s.Mode.ReadOnly {
		return false
	}
	for _, id := range append([]keymap.ID{keymap.PauseConsume}, also...) {
		o.Off = append(o.Off, Off{ID: id, Why: "read-only: nothing is driven"})
	}
	return true
}

// Off is an action that is shown but disabled.
type Off struct {
	ID  keymap.ID
	Why Lit
}

// Hit is a rectangle of the body that acts when it is clicked.
type Hit struct {
	X, Y, W, H int
	Action     keymap.ID
	Text       string // the event's Text: identity of what was hit
	Pane       int    // pane that gets the focus
}

// Event is an action with its arguments. Events never carry raw keys.
type Event struct {
	Action keymap.ID
	Text   string // typed or picked text, or the identity of what was clicked
	N      int    // steps of the wheel, 0 counts as 1
	W, H   int    // of the body as drawn last
	Focus  int    // pane that has the keys
	Zoomed bool   // that pane has the whole body
	Now    time.Time
}

// Events that are no key's action.
const (
	// Refresh says that a new snapshot is there: states drop what has vanished.
	Refresh keymap.ID = "event-refresh"
	// SetFilter brings the text typed after an Input intent, as it is typed.
	SetFilter keymap.ID = "event-set-filter"
	// Picked brings the id of the option taken after a Pick intent.
	Picked keymap.ID = "event-picked"
	// Entered brings the text of an Input with Submit, once it is accepted.
	Entered keymap.ID = "event-entered"
	// Point moves the cursor to the thing that Text names, as a click does.
	Point keymap.ID = "event-point"
	// WheelUp and WheelDown scroll N lines.
	WheelUp   keymap.ID = "event-wheel-up"
	WheelDown keymap.ID = "event-wheel-down"
)

// Step is how far the event goes: N, at least 1.
func (e Event) Step() int { return max(e.N, 1) }

// Intent is what a view asks package tui to do. It is data: nothing happens by making one.
type Intent interface{ intent() }

// Open shows another view on top of this one.
type Open struct {
	View string // its ID
	Arg  string // for Start
}

// GoBack leaves this view.
type GoBack struct{}

// CopyText puts Raw on the clipboard. With Hidden set Raw has characters that do not show
// as they are: package tui must ask before it copies them.
type CopyText struct {
	Raw    string
	Shown  Safe
	Hidden bool
}

// Toast shows one sentence for a while.
type Toast struct {
	Level snapshot.Mark
	Text  Safe
}

// Input asks for a line of text. Each change arrives as SetFilter; leaving it by esc sends
// the text it began with. With Submit the text arrives once, as Entered, and esc sends nothing.
type Input struct {
	Prompt Lit
	Text   string   // to begin with
	Terms  []string // completions
	Submit bool
	Note   Lit // what is expected, for an input with Submit
}

// Pick asks for one of some options. The answer arrives as Picked.
type Pick struct {
	Title   Lit
	Options []Option
	Now     string // id of the option in force
}

// Option is one line of a Pick.
type Option struct {
	ID   string
	Name Safe
	Note Safe
	// Show is the view that taking the option opens; the view that asked is not told then.
	Show *Open
}

// Watch names the queues that this view shows in detail, beside those that open views are
// about. It holds until the view names others or is left.
type Watch struct{ Queues []snapshot.MessageQueue }

// ReleaseLock wants the broker's lock of a queue given back. Package tui asks first.
type ReleaseLock struct{ Queue snapshot.MessageQueue }

// Step asks whoever steps the consumer for something: Command is one of package
// engine/step/command. Views ask only while snapshot.Sched.Stepping is set.
type Step struct{ Command any }

// Play asks whoever plays a recording for something: Command is one of package
// engine/replay/command. Views ask only while snapshot.Replay.Known is set.
type Play struct{ Command any }

func (Open) intent()     {}
func (GoBack) intent()   {}
func (CopyText) intent() {}
func (Toast) intent()    {}
func (Input) intent()    {}
func (Pick) intent()     {}
func (Watch) intent()    {}
func (Step) intent()     {}
func (Play) intent()     {}

func (ReleaseLock) intent() {}
