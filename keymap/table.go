package keymap

// Default is the table of all actions with their default keys, in the order of help. It is
// a fresh copy: the caller may change it.
func Default() []Action {
	const all = InViews | InOverlay
	return []Action{
		{ID: Back, Keys: []string{"q"}, Help: "back, at the first view quit", Label: "back", Group: Leave, Where: InViews, Hint: 90},
		{ID: Cancel, Keys: []string{"esc"}, Help: "cancel: overlay, filter, then back", Label: "cancel", Group: Leave, Where: all, Hint: 60},
		{ID: Parent, Keys: []string{"backspace"}, Help: "up to where this view came from", Label: "up", Group: Leave, Where: InViews},
		{ID: Quit, Keys: []string{"ctrl+c"}, Help: "quit; asks once: driving, recording", Label: "quit", Group: Leave, Where: all | InInput},

		{ID: Down, Keys: []string{"j", "down"}, Help: "next line", Label: "down", Group: Move, Where: all},
		{ID: Up, Keys: []string{"k", "up"}, Help: "previous line", Label: "up", Group: Move, Where: all},
		{ID: Left, Keys: []string{"h", "left"}, Help: "left: columns, cells, ruler, time", Label: "left", Group: Move, Where: all},
		{ID: Right, Keys: []string{"l", "right"}, Help: "right: columns, cells, ruler, time", Label: "right", Group: Move, Where: all},
		{ID: Top, Keys: []string{"g", "home"}, Help: "first", Label: "first", Group: Move, Where: all},
		{ID: Bottom, Keys: []string{"G", "end"}, Help: "last", Label: "last", Group: Move, Where: all},
		{ID: HalfDown, Keys: []string{"ctrl+d"}, Help: "half a page down", Label: "half page", Group: Move, Where: all},
		{ID: HalfUp, Keys: []string{"ctrl+u"}, Help: "half a page up", Label: "half page", Group: Move, Where: all},
		{ID: PageDown, Keys: []string{"pgdown"}, Help: "a page down", Label: "page", Group: Move, Where: all},
		{ID: PageUp, Keys: []string{"pgup"}, Help: "a page up", Label: "page", Group: Move, Where: all},
		{ID: NextPane, Keys: []string{"tab"}, Help: "next pane or button", Label: "pane", Group: Move, Where: InOverview | InScheduler | InDetail | InOverlay, Hint: 40},
		{ID: PrevPane, Keys: []string{"shift+tab"}, Help: "previous pane or button", Label: "pane", Group: Move, Where: InOverview | InScheduler | InDetail | InOverlay},

		{ID: ViewOverview, Keys: []string{"1"}, Help: "Overview: is the group healthy?", Label: "overview", Group: Views, Where: InViews},
		{ID: ViewQueues, Keys: []string{"2"}, Help: "Queues: what does each do now?", Label: "queues", Group: Views, Where: InViews},
		{ID: ViewMap, Keys: []string{"3"}, Help: "Map: which queues eat the memory?", Label: "map", Group: Views, Where: InViews},
		{ID: ViewLocks, Keys: []string{"4"}, Help: "Locks: who owns each, how long still?", Label: "locks", Group: Views, Where: InViews},
		{ID: ViewLatency, Keys: []string{"5"}, Help: "Latency: is pulling slow, since when?", Label: "latency", Group: Views, Where: InViews},
		{ID: ViewRebalance, Keys: []string{"6"}, Help: "Rebalance: who has what, and what if?", Label: "rebalance", Group: Views, Where: InViews},
		{ID: ViewScheduler, Keys: []string{"7"}, Help: "Scheduler: what is pulled next, why?", Label: "scheduler", Group: Views, Where: InViews},
		{ID: ViewEvents, Keys: []string{"0"}, Help: "Events: what happened, in order?", Label: "events", Group: Views, Where: InViews},

		{ID: Open, Keys: []string{"enter"}, Help: "open what the cursor is on", Label: "open", Group: OpenThings, Where: InViews, Hint: 1},
		{ID: Related, Keys: []string{"o"}, Help: "related: events, task, lock, latency", Label: "related", Group: OpenThings, Where: InQueues | InMap | InLocks | InLatency | InRebalance | InScheduler | InDetail | InEvents, Hint: 20},
		{ID: Zoom, Keys: []string{"z"}, Help: "give the pane the whole body, or back", Label: "zoom", Group: OpenThings, Where: InOverview | InScheduler | InDetail, Hint: 45},

		{ID: Filter, Keys: []string{"/"}, Help: "filter by text and terms", Label: "filter", Group: Find, Where: InQueues | InLocks | InEvents, Hint: 10},
		{ID: Next, Keys: []string{"n"}, Help: "next one worth a look", Label: "next", Group: Find, Where: InQueues | InMap | InLocks | InLatency | InRebalance | InScheduler | InEvents, Hint: 35},
		{ID: Prev, Keys: []string{"N"}, Help: "previous one worth a look", Label: "previous", Group: Find, Where: InQueues | InMap | InLocks | InLatency | InRebalance | InScheduler | InEvents},
		{ID: Sort, Keys: []string{"s"}, Help: "sort by a column", Label: "sort", Group: Find, Where: InQueues | InLocks, Hint: 15},
		{ID: Reverse, Keys: []string{"S"}, Help: "reverse the order", Label: "reverse", Group: Find, Where: InQueues | InLocks},
		{ID: GroupBy, Keys: []string{"x"}, Help: "group by topic, broker, owner, or not", Label: "group", Group: Find, Where: InQueues | InMap, Hint: 25},
		{ID: Follow, Keys: []string{"f"}, Help: "follow the newest event", Label: "follow", Group: Find, Where: InEvents, Hint: 5},

		{ID: Mode, Keys: []string{"v"}, Help: "mode of this view", Label: "mode", Group: Show, Where: InDetail | InMap | InLatency | InScheduler, Hint: 30},
		{ID: MapSize, Keys: []string{"s"}, Help: "size by bytes, messages or lag", Label: "size", Group: Show, Where: InMap, Hint: 15},
		{ID: More, Keys: []string{"+"}, Help: "more: zoom in, lower levels, queues", Label: "more", Group: Show, Where: InDetail | InLatency | InEvents, Hint: 50},
		{ID: Less, Keys: []string{"-"}, Help: "less: zoom out, hide levels, queues", Label: "less", Group: Show, Where: InDetail | InLatency | InEvents, Hint: 51},
		{ID: Reset, Keys: []string{"="}, Help: "reset: scale, levels, what is open", Label: "reset", Group: Show, Where: InDetail | InLatency | InEvents, Hint: 52},
		{ID: PlanStrategy, Keys: []string{"v"}, Help: "what if: another strategy", Label: "strategy", Group: Show, Where: InRebalance, Hint: 10},
		{ID: PlanMore, Keys: []string{"+"}, Help: "what if: one member more", Label: "member more", Group: Show, Where: InRebalance, Hint: 11},
		{ID: PlanFewer, Keys: []string{"-"}, Help: "what if: one member fewer", Label: "fewer", Group: Show, Where: InRebalance, Hint: 12},
		{ID: PlanWithout, Keys: []string{" "}, Help: "what if: this member out, or back in", Label: "take out", Group: Show, Where: InRebalance, Hint: 13},
		{ID: PlanNow, Keys: []string{"="}, Help: "what if: as it is now", Label: "as now", Group: Show, Where: InRebalance, Hint: 14},
		{ID: PlanTopic, Keys: []string{"x"}, Help: "pick the topic on show", Label: "topic", Group: Show, Where: InRebalance, Hint: 15},
		{ID: Exact, Keys: []string{"#"}, Help: "exact numbers on or off", Label: "exact", Group: Show, Where: InViews, Hint: 70},
		{ID: Theme, Keys: []string{"t"}, Help: "pick a theme", Label: "theme", Group: Show, Where: InViews, Hint: 80},
		{ID: Mouse, Keys: []string{"m"}, Help: "mouse capture on or off", Label: "mouse", Group: Show, Where: InViews},
		{ID: Redraw, Keys: []string{"ctrl+l"}, Help: "draw the screen anew", Label: "redraw", Group: Show, Where: InViews | InOverlay},

		{ID: Copy, Keys: []string{"y"}, Help: "copy what the cursor is on", Label: "copy", Group: Take, Where: InViews, Hint: 55},
		{ID: Export, Keys: []string{"e"}, Help: "export: table or screen, to a file", Label: "export", Group: Take, Where: InViews, Hint: 56},

		{ID: PauseScreen, Keys: []string{"p"}, Help: "freeze the screen; stepped: run, pause", Label: "freeze", Group: Time, Where: InViews, Hint: 38},
		{ID: ReplayPlay, Keys: []string{"p"}, Help: "play the recording, or stop", Label: "play", Group: Time, Where: InReplay},
		{ID: ReplayStep, Keys: []string{"."}, Help: "an event on; on Scheduler a decision", Label: "forward", Group: Time, Where: InReplay},
		{ID: ReplayBack, Keys: []string{","}, Help: "an event back; there a decision", Label: "back", Group: Time, Where: InReplay},
		{ID: ReplaySlower, Keys: []string{"<"}, Help: "play slower, down to a tenth", Label: "slower", Group: Time, Where: InReplay},
		{ID: ReplayFaster, Keys: []string{">"}, Help: "play faster, up to as fast as it goes", Label: "faster", Group: Time, Where: InReplay},
		{ID: ReplayBefore, Keys: []string{"["}, Help: "point of interest or bookmark before", Label: "earlier", Group: Time, Where: InReplay},
		{ID: ReplayAfter, Keys: []string{"]"}, Help: "point of interest or bookmark after", Label: "later", Group: Time, Where: InReplay},
		{ID: ReplayMark, Keys: []string{";"}, Help: "bookmark here, with a note", Label: "bookmark", Group: Time, Where: InReplay},
		{ID: ReplayLines, Keys: []string{"a"}, Help: "events around this one: show, or not", Label: "around", Group: Time, Where: InReplay},
		{ID: StepOne, Keys: []string{"."}, Help: "step: one decision", Label: "step", Group: Time, Where: InScheduler, Hint: 2},
		{ID: StepTask, Keys: []string{"T"}, Help: "step: to the end of this task's turn", Label: "its turn", Group: Time, Where: InScheduler, Hint: 4},
		{ID: StepBack, Keys: []string{","}, Help: "step back one decision; virtual time", Label: "back", Group: Time, Where: InScheduler, Hint: 3},
		{ID: RunTo, Keys: []string{"R"}, Help: "run to the task or line of the cursor", Label: "run to", Group: Time, Where: InScheduler, Hint: 6},
		{ID: RunUntil, Keys: []string{"E"}, Help: "run until a condition that you type", Label: "until", Group: Time, Where: InScheduler, Hint: 7},
		{ID: Slower, Keys: []string{"<"}, Help: "run slower", Label: "slower", Group: Time, Where: InScheduler, Hint: 12},
		{ID: Faster, Keys: []string{">"}, Help: "run faster", Label: "faster", Group: Time, Where: InScheduler, Hint: 13},
		{ID: BreakHere, Keys: []string{"b"}, Help: "break here, at line or queue, or not", Label: "break", Group: Time, Where: InScheduler, Hint: 8},
		{ID: Breakpoints, Keys: []string{"B"}, Help: "breakpoints: new, on, off, delete", Label: "breakpoints", Group: Time, Where: InScheduler, Hint: 9},
		{ID: PointBefore, Keys: []string{"["}, Help: "breakpoint, change, rebalance before", Label: "earlier", Group: Time, Where: InScheduler, Hint: 14},
		{ID: PointAfter, Keys: []string{"]"}, Help: "breakpoint, change, rebalance after", Label: "later", Group: Time, Where: InScheduler, Hint: 15},
		{ID: StepChange, Keys: []string{"I"}, Help: "change what comes next; virtual time", Label: "change", Group: Time, Where: InScheduler, Hint: 10},
		{ID: PassBefore, Keys: []string{"["}, Help: "the rebalance before this one", Label: "earlier", Group: Time, Where: InRebalance, Hint: 30},
		{ID: PassAfter, Keys: []string{"]"}, Help: "the rebalance after it, at last now", Label: "later", Group: Time, Where: InRebalance, Hint: 31},

		{ID: Undo, Keys: []string{"u"}, Help: "undo a filter, sort, grouping or plan", Label: "undo", Group: UndoThings, Where: InQueues | InMap | InLocks | InRebalance | InEvents},
		{ID: Redo, Keys: []string{"U"}, Help: "redo it", Label: "redo", Group: UndoThings, Where: InQueues | InMap | InLocks | InRebalance | InEvents},

		{ID: Help, Keys: []string{"?"}, Help: "this help", Label: "help", Group: Ask, Where: InViews, Hint: 99},

		{ID: Command, Keys: []string{":", "ctrl+p"}, Help: "type a command: seek, record, stop, …", Label: "command", Group: Ask, Where: InViews},

		{ID: Arm, Keys: []string{"!"}, Help: "arm changes for 10 minutes, or disarm", Label: "arm", Group: Change, Where: InViews},
		{ID: ReleaseLock, Keys: []string{"X"}, Help: "release our lock; armed, asks first", Label: "release", Group: Change, Where: InLocks, Risk: Consumer, Hint: 66},
		{ID: PauseConsume, Keys: []string{"C"}, Help: "pause or resume consumption; asks first", Label: "pause consuming", Group: Change, Where: InViews, Risk: Consumer, Hint: 65},

		{ID: Accept, Keys: []string{"enter"}, Help: "accept", Label: "accept", Group: OpenThings, Where: InOverlay, Hint: 1},
		{ID: InputAccept, Keys: []string{"enter"}, Help: "accept the text", Label: "accept", Group: OpenThings, Where: InInput, Hint: 1},
		{ID: InputCancel, Keys: []string{"esc"}, Help: "leave the text as it was", Label: "cancel", Group: Leave, Where: InInput, Hint: 2},
		{ID: InputUp, Keys: []string{"up"}, Help: "previous line of what is listed", Label: "up", Group: Move, Where: InInput},
		{ID: InputDown, Keys: []string{"down"}, Help: "next line of what is listed", Label: "down", Group: Move, Where: InInput},
		{ID: Complete, Keys: []string{"tab"}, Help: "complete the word", Label: "complete", Group: Find, Where: InInput, Hint: 3},
	}
}
