package themes

// Token is the meaning of a piece of a frame. Views name tokens, never colours.
type Token uint8

// The tokens. None is the terminal's own look and opens no sequence.
const (
	None Token = iota
	Text
	Muted
	Faint
	Border
	BorderFocus
	Title
	Select     // background of the row under the cursor
	SelectBlur // the same in a pane without focus
	Mark       // rows marked by hand
	Match      // what a search found
	Key
	KeyText
	OK
	Watch
	Warn
	Bad
	Unknown
	Stale
	MsgWait
	MsgRun
	MsgDone
	MsgRetry
	MsgHeld
	MsgGap
	OffMin
	OffCommit
	OffNext
	OffMax
	LockMine
	LockOther
	LockLate
	LockExpired
	TaskReady
	TaskRun
	TaskDelay
	TaskPark
	TaskDrop
	Lag0
	Lag1
	Lag2
	Lag3
	Heat0
	Heat1
	Heat2
	Heat3
	Heat4
	DiffAdd
	DiffDel
	ModeLive
	ModeReplay
	ModeArmed
	Danger
	tokenCount
)

// TokenCount is how many tokens there are, None included.
const TokenCount = int(tokenCount)

// String is the name in palette files.
func (t Token) String() string {
	if t < tokenCount {
		return tokenNames()[t]
	}
	return "none"
}

// ParseToken finds a token by the name that palette files use.
func ParseToken(name string) (Token, bool) {
	for i, n := range tokenNames() {
		if n == name && Token(i) != None {
			return Token(i), true
		}
	}
	return None, false
}

// IsBackground tells whether t colours what is behind text.
func (t Token) IsBackground() bool { return t == Select || t == SelectBlur }

// IsFill tells whether t draws areas and signs rather than words: those need a contrast of
// 3:1 where text needs 4.5:1.
func (t Token) IsFill() bool {
	return t == MsgDone || t == MsgGap || t == Faint || t == TaskDrop || t >= Lag0 && t <= Heat4
}

// Lag is the token of step i of the lag ramp, 0 to 3; others are clamped.
func Lag(i int) Token { return Lag0 + Token(min(max(i, 0), 3)) }

// Heat is the token of step i of the heat ramp, 0 to 4; others are clamped.
func Heat(i int) Token { return Heat0 + Token(min(max(i, 0), 4)) }

func tokenNames() [tokenCount]string {
	return [...]string{
		"none", "text", "muted", "faint", "border", "border-focus", "title",
		"select", "select-blur", "mark", "match", "key", "key-text",
		"ok", "watch", "warn", "bad", "unknown", "stale",
		"msg-wait", "msg-run", "msg-done", "msg-retry", "msg-held", "msg-gap",
		"off-min", "off-commit", "off-next", "off-max",
		"lock-mine", "lock-other", "lock-late", "lock-expired",
		"task-ready", "task-run", "task-delay", "task-park", "task-drop",
		"lag-0", "lag-1", "lag-2", "lag-3", "heat-0", "heat-1", "heat-2", "heat-3", "heat-4",
		"diff-add", "diff-del", "mode-live", "mode-replay", "mode-armed", "danger",
	}
}
