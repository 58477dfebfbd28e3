package keymap

// ID names an action: lower-case words with hyphens, because the configuration library
// folds case and splits on dots.
type ID string

// The actions. An id is what a view's reducer gets; keys never reach a view.
const (
	Quit   ID = "quit"
	Back   ID = "back"
	Cancel ID = "cancel"
	Parent ID = "up-level"

	Up       ID = "up"
	Down     ID = "down"
	Left     ID = "left"
	Right    ID = "right"
	Top      ID = "top"
	Bottom   ID = "bottom"
	HalfDown ID = "half-page-down"
	HalfUp   ID = "half-page-up"
	PageDown ID = "page-down"
	PageUp   ID = "page-up"
	NextPane ID = "pane-next"
	PrevPane ID = "pane-previous"

	ViewOverview  ID = "view-overview"
	ViewQueues    ID = "view-queues"
	ViewMap       ID = "view-map"
	ViewLocks     ID = "view-locks"
	ViewLatency   ID = "view-latency"
	ViewRebalance ID = "view-rebalance"
	ViewScheduler ID = "view-scheduler"
	ViewEvents    ID = "view-events"

	Open    ID = "open"
	Related ID = "related"
	Zoom    ID = "zoom"

	Filter  ID = "filter"
	Next    ID = "match-next"
	Prev    ID = "match-previous"
	Sort    ID = "sort"
	Reverse ID = "sort-reverse"
	GroupBy ID = "group"
	Follow  ID = "follow"

	Mode   ID = "mode"
	More   ID = "more"
	Less   ID = "less"
	Reset  ID = "reset"
	Exact  ID = "exact"
	Theme  ID = "theme"
	Mouse  ID = "mouse"
	Redraw ID = "redraw"

	MapSize ID = "map-size"

	// What-if on the Rebalance screen: nothing leaves this program.
	PlanStrategy ID = "plan-strategy"
	PlanTopic    ID = "plan-topic"
	PlanMore     ID = "plan-more"
	PlanFewer    ID = "plan-fewer"
	PlanWithout  ID = "plan-without"
	PlanNow      ID = "plan-now"
	PassBefore   ID = "pass-before"
	PassAfter    ID = "pass-after"

	// The transport of the Scheduler screen. PauseScreen runs and pauses there while a person
	// steps.
	StepOne     ID = "step"
	StepTask    ID = "step-task"
	StepBack    ID = "step-back"
	RunTo       ID = "run-to"
	RunUntil    ID = "run-until"
	Slower      ID = "pace-slower"
	Faster      ID = "pace-faster"
	BreakHere   ID = "break-here"
	Breakpoints ID = "breakpoints"
	PointBefore ID = "point-before"
	PointAfter  ID = "point-after"
	StepChange  ID = "step-change"

	Copy   ID = "copy"
	Export ID = "export"

	PauseScreen ID = "pause-screen"

	// The transport of a recording, on every screen while one is shown.
	ReplayPlay   ID = "replay-play"
	ReplayStep   ID = "replay-step"
	ReplayBack   ID = "replay-back"
	ReplaySlower ID = "replay-slower"
	ReplayFaster ID = "replay-faster"
	ReplayBefore ID = "replay-point-before"
	ReplayAfter  ID = "replay-point-after"
	ReplayMark   ID = "replay-bookmark"
	ReplayLines  ID = "replay-lines"

	Undo ID = "undo"
	Redo ID = "redo"

	Help    ID = "help"
	Command ID = "command"

	Arm          ID = "arm"
	PauseConsume ID = "consume-pause"
	ReleaseLock  ID = "release-lock"

	Accept      ID = "accept"
	InputAccept ID = "input-accept"
	InputCancel ID = "input-cancel"
	InputUp     ID = "input-up"
	InputDown   ID = "input-down"
	Complete    ID = "input-complete"
)

// Risk is what an action may change.
type Risk uint8

const (
	Look     Risk = iota // nothing
	Local                // this screen's own state; undo takes it back
	Consumer             // what a consumer does: asks first
	Broker               // what a broker keeps: asks for the name of group or topic
)

// String is the word in tables.
func (r Risk) String() string { return [...]string{"look", "local", "consumer", "broker"}[r] }

// Changing tells whether an action of this risk must be guarded.
func (r Risk) Changing() bool { return r >= Consumer }

// Group is a heading of help.
type Group uint8

// The groups in the order of help.
const (
	Leave Group = iota
	Move
	Views
	OpenThings
	Find
	Show
	Take
	Time
	UndoThings
	Ask
	Change
)

// String is the heading.
func (g Group) String() string {
	return [...]string{
		"LEAVE", "MOVE", "VIEWS", "OPEN", "FIND", "SHOW", "TAKE", "TIME", "UNDO", "ASK", "CHANGE (!)",
	}[g]
}

// Place is a set of situations in which keys mean something. Exactly one holds at a time: text
// input before overlay before view. While a recording is shown its keys go before those of the
// view.
type Place uint16

const (
	InOverview Place = 1 << iota
	InQueues
	InMap
	InLocks
	InLatency
	InRebalance
	InScheduler
	InDetail
	InEvents
	InOverlay // a picker, help or a question lies over the view
	InInput   // a line of text is being typed
	InReplay  // a recording is shown, on any view
	places    = iota

	// InViews is every view, without overlays and inputs.
	InViews = InOverview | InQueues | InMap | InLocks | InLatency | InRebalance | InScheduler | InDetail | InEvents
)

// Names says in words which places p has.
func (p Place) Names() []string {
	names := [...]string{"Overview", "Queues", "Map", "Locks", "Latency", "Rebalance", "Scheduler", "Queue detail", "Events", "overlays", "text input", "recordings"}
	if p&InViews == InViews {
		out := []string{"everywhere"}
		if p&InOverlay == 0 {
			out[0] = "all views"
		}
		return out
	}
	var out []string
	for i, n := range names {
		if p&(1<<i) != 0 {
			out = append(out, n)
		}
	}
	return out
}

// Action is one thing that a key does.
type Action struct {
	ID    ID
	Keys  []string // as Bubble Tea v1 names them, the first is shown in hints
	Help  string   // a few words: what happens
	Label string   // one word for the hint line
	Group Group
	Where Place
	Risk  Risk
	// Hint orders the hint line: 1 is first, 0 is never shown there.
	Hint int
}

// Changing tells whether the action must be guarded.
func (a Action) Changing() bool { return a.Risk.Changing() }
