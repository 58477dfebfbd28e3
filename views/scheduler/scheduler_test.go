package scheduler

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"mqscope/engine/snapshot"
	"mqscope/engine/step/command"
	"mqscope/keymap"
	"mqscope/views"
	"mqscope/views/viewtest"
)

// press tells events to a view of 120x36 and returns what the last one came to.
func press(v *View, state any, s *snapshot.Snapshot, events ...views.Event) (State, []views.Intent) {
	at, each := viewtest.Press[State](v, state, s, events...)
	return at, each[len(each)-1]
}

func act(ids ...keymap.ID) []views.Event { return viewtest.Acts(ids...) }

func text(id keymap.ID, s string) views.Event { return views.Event{Action: id, Text: s} }

func draw(t *testing.T, s *snapshot.Snapshot, st State, focus, w, h int) string {
	t.Helper()
	v := New()
	return viewtest.Shot{View: v, Tab: "scheduler", State: st, Case: viewtest.Case{Snap: s}, W: w, H: h, Focus: focus}.Text(t)
}

func current(s *snapshot.Snapshot) *snapshot.SchedTask {
	for i := range s.Sched.Tasks {
		if s.Sched.Tasks[i].Current {
			return &s.Sched.Tasks[i]
		}
	}
	return nil
}

func TestKeysAskForSteps(t *testing.T) {
	s := viewtest.Stepped(viewtest.Normal(), 8)
	running := viewtest.Stepped(viewtest.Normal(), 8)
	running.Sched.Running = true
	cur, other := current(s), s.Sched.Tasks[len(s.Sched.Tasks)-2]
	on := func(id keymap.ID) []views.Event { return acts(id) } // with the keys in the lower pane
	tests := []struct {
		name string
		s    *snapshot.Snapshot
		acts []views.Event
		want any
	}{
		{"a decision", s, act(keymap.StepOne), command.One{}},
		{"a turn", s, act(keymap.StepTask), command.Task{}},
		{"back", s, act(keymap.StepBack), command.Back{N: 1}},
		{"run", s, act(keymap.PauseScreen), command.Run{}},
		{"pause", running, act(keymap.PauseScreen), command.Pause{}},
		{"slower", s, act(keymap.Slower), command.Pace{Delta: -1}},
		{"faster", s, act(keymap.Faster), command.Pace{Delta: 1}},
		{"to the task whose turn it is", s, act(keymap.RunTo), command.Until{Task: cur.ID}},
		{"to another task", s, append([]views.Event{text(views.Point, encodeTask(targetOf(&other)))}, act(keymap.RunTo)...), command.Until{Task: other.ID}},
		{"to the line under the cursor", s, append(acts(keymap.Up, keymap.Up), on(keymap.RunTo)...), command.Until{Condition: "flow.count"}},
		{"a breakpoint on a queue", s, act(keymap.BreakHere), command.SetBreakpoint{Queue: cur.Queue}},
		{"a breakpoint on a line", s, append(acts(keymap.Up), on(keymap.BreakHere)...), command.SetBreakpoint{Text: "flow.size"}},
		{"a line with a condition is another breakpoint", s, on(keymap.BreakHere), command.SetBreakpoint{Text: "flow.span"}},
		{"a breakpoint that is there goes away", s, append([]views.Event{text(views.Point, encodeTask(targetOf(broken(s))))}, act(keymap.BreakHere)...),
			command.Delete{Index: 1, Words: s.Sched.Breakpoints[1].Words}},
		{"back to where a decision was made", s, append(acts(keymap.Up), on(keymap.Open)...), command.Goto{Step: s.Sched.Steps - 1}},
		{"a typed breakpoint", s, append(act(keymap.Breakpoints), text(views.Picked, pickNew), text(views.Entered, " flow.span if span > 3 ")),
			command.SetBreakpoint{Text: "flow.span if span > 3"}},
		{"off and on", s, []views.Event{text(views.Picked, "break\x000\x00flow.span"), text(views.Picked, "toggle\x000\x00flow.span")}, command.Toggle{Words: "flow.span"}},
		{"deleting", s, []views.Event{text(views.Picked, "delete\x000\x00flow.span")}, command.Delete{Words: "flow.span"}},
		{"until something is so", s, append(act(keymap.RunUntil), text(views.Entered, "pull.send")), command.Until{Condition: "pull.send"}},
		{"delaying a task", s, append(act(keymap.StepChange), text(views.Picked, "change\x00delay"), text(views.Entered, "1.5s")),
			command.Change{What: command.DelayTask, Queue: cur.Queue, Task: cur.ID, For: 1500 * time.Millisecond}},
		{"failing a pull", s, []views.Event{text(views.Picked, "change\x00fail pull")}, command.Change{What: command.FailPull, Queue: cur.Queue, Task: cur.ID}},
		{"answering a pull", s, []views.Event{text(views.Picked, "change\x00answer pull"), text(views.Picked, "status\x00OFFSET_ILLEGAL")},
			command.Change{What: command.AnswerPull, Queue: cur.Queue, Task: cur.ID, Status: "OFFSET_ILLEGAL"}},
		{"a member more", s, []views.Event{text(views.Picked, "change\x00member joins")}, command.Change{What: command.MemberJoins}},
		{"the clock", s, []views.Event{text(views.Picked, "change\x00advance"), text(views.Entered, "2m")}, command.Change{What: command.Advance, For: 2 * time.Minute}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, got := press(New(), State{}, tt.s, tt.acts...)
			if want := []views.Intent{views.Step{Command: tt.want}}; !reflect.DeepEqual(got, want) {
				t.Errorf("%+v, want %+v", got, want)
			}
		})
	}
}

func broken(s *snapshot.Snapshot) *snapshot.SchedTask {
	for i := range s.Sched.Tasks {
		if s.Sched.Tasks[i].Break {
			return &s.Sched.Tasks[i]
		}
	}
	return nil
}

func TestWhatCanNotBeAskedForIsNotAskedFor(t *testing.T) {
	all := act(keymap.StepOne, keymap.StepTask, keymap.StepBack, keymap.RunTo, keymap.RunUntil, keymap.Slower, keymap.Faster,
		keymap.BreakHere, keymap.Breakpoints, keymap.StepChange, keymap.PauseScreen)
	all = append(all, text(views.Picked, pickNew), text(views.Entered, "flow.span"), text(views.Picked, "change\x00fail pull"))
	for _, ev := range all {
		if _, in := press(New(), State{asks: ask{what: askBreakpoint}}, viewtest.Tasks(viewtest.Normal()), ev); len(in) != 0 {
			t.Errorf("%s of a consumer that nobody steps comes to %+v", ev.Action, in)
		}
	}
	live := viewtest.Driven(viewtest.Normal())
	for _, ev := range []views.Event{act(keymap.StepBack)[0], act(keymap.StepChange)[0], text(views.Picked, "change\x00fail pull"), text(views.Picked, "status\x00FOUND")} {
		if _, in := press(New(), State{}, live, ev); len(in) != 0 {
			t.Errorf("%s on a live cluster comes to %+v", ev.Action, in)
		}
	}
	for _, bad := range []string{"soon", "-3s", "0"} {
		st, _ := press(New(), State{}, viewtest.Stepped(viewtest.Normal(), 6), text(views.Picked, "change\x00advance"))
		_, in := press(New(), st, viewtest.Stepped(viewtest.Normal(), 6), text(views.Entered, bad))
		if _, toast := in[0].(views.Toast); !toast || len(in) != 1 {
			t.Errorf("%q as a length of time comes to %+v", bad, in)
		}
	}
	_, in := press(New(), State{}, viewtest.Stepped(viewtest.Normal(), 6), text(views.Picked, "delete\x000\x00another"))
	if _, toast := in[0].(views.Toast); !toast {
		t.Errorf("a breakpoint that is not there any more comes to %+v", in)
	}
}

func TestAHitMovesTheCursorToTheTaskThatHasItsTurn(t *testing.T) {
	s := viewtest.Stepped(viewtest.Normal(), 8)
	v := New()
	st, _ := press(v, State{}, s, act(views.Refresh, keymap.Bottom)...)
	last := s.Sched.Tasks[len(s.Sched.Tasks)-1]
	if st.Sel != targetOf(&last) {
		t.Fatalf("the cursor is on %+v, want the last task", st.Sel)
	}
	st, _ = press(v, st, s, act(views.Refresh)...)
	if st.Sel != targetOf(&last) {
		t.Errorf("the cursor left its task without a hit, to %+v", st.Sel)
	}
	hit := viewtest.Hit(viewtest.Normal())
	st, _ = press(v, st, hit, act(views.Refresh)...)
	if st.Sel != (Target{}) {
		t.Errorf("after a hit the cursor is on %+v, want the task that has its turn", st.Sel)
	}
	if pos, _ := v.facts(hit, viewtest.Now()).find(st); !v.memo.at(pos).Current {
		t.Errorf("the cursor is on row %d", pos)
	}
}

func TestATaskIsFoundByItsQueue(t *testing.T) {
	s := viewtest.Tasks(viewtest.Normal())
	want := s.Sched.Tasks[7]
	v := New()
	st, in := press(v, v.Start(views.EncodeQueue(want.Queue)), s, act(views.Refresh)...)
	if st.Sel != targetOf(&want) || len(in) != 0 {
		t.Errorf("the cursor is on %+v, %+v; want the task of %v", st.Sel, in, want.Queue)
	}
	st, in = press(v, v.Start("gone\x00broker\x001"), s, act(views.Refresh)...)
	if len(in) != 1 || st.Sel != (Target{}) {
		t.Errorf("a queue without a task comes to %+v, cursor %+v", in, st.Sel)
	}
	// The queue comes back with another task: the cursor stays with the queue.
	next := viewtest.Tasks(viewtest.Normal())
	next.Sched.Tasks[7].ID = 4711
	st, in = press(v, State{Sel: targetOf(&want)}, next, act(views.Refresh)...)
	if pos, _ := v.facts(next, viewtest.Now()).find(st); pos != 7 || len(in) != 0 {
		t.Errorf("the cursor is on row %d, %+v", pos, in)
	}
	// The task is gone: the cursor stays near it, and says so.
	gone := viewtest.Tasks(viewtest.Normal())
	gone.Sched.Tasks = append(gone.Sched.Tasks[:7], gone.Sched.Tasks[8:]...)
	st, in = press(v, State{Sel: targetOf(&want), Pos: 7}, gone, act(views.Refresh)...)
	if len(in) != 1 || st.Sel != targetOf(&gone.Sched.Tasks[7]) {
		t.Errorf("after its task went the cursor is on %+v, %+v", st.Sel, in)
	}
}

func TestTheNewestDecisionStaysInSight(t *testing.T) {
	v, s := New(), viewtest.Stepped(viewtest.Normal(), 4)
	st, _ := press(v, State{}, s, acts(keymap.Mode)...)
	if st.Mode != History {
		t.Fatalf("mode %d, want history", st.Mode)
	}
	later := viewtest.Stepped(viewtest.Normal(), 7)
	if frame := draw(t, later, st, lowerPane, 120, 36); !strings.Contains(frame, "bytes 0 MiB > 100 MiB") {
		t.Errorf("the newest decision is out of sight:\n%s", frame)
	}
	st, _ = press(v, st, s, acts(keymap.Top)...)
	if frame := draw(t, later, st, lowerPane, 120, 36); !strings.Contains(frame, "rebalance order-created: 8 queues") {
		t.Errorf("the oldest decision is out of sight:\n%s", frame)
	}
	st, _ = press(v, st, s, acts(keymap.Bottom)...)
	if st.Step != 0 {
		t.Errorf("at the end the cursor stays on step %d, want the newest", st.Step)
	}
}

func TestTheCursorStepsOverChanges(t *testing.T) {
	v, s := New(), viewtest.Stepped(viewtest.Normal(), 8)
	seen := map[uint64]bool{}
	st := State{}
	for range 9 {
		st, _ = press(v, st, s, acts(keymap.Up)...)
		seen[st.Step] = true
	}
	if len(seen) != 7 || st.Step != s.Sched.Current.Lines[0].Step {
		t.Errorf("up went over steps %v and ends at %d, want all seven to %d", seen, st.Step, s.Sched.Current.Lines[0].Step)
	}
	for range 9 {
		st, _ = press(v, st, s, acts(keymap.Down)...)
	}
	if st.Step != 0 {
		t.Errorf("down ends at step %d, want the newest", st.Step)
	}
}

func TestPointsOfInterest(t *testing.T) {
	v, s := New(), viewtest.Hit(viewtest.Normal())
	var got []uint64
	st := State{}
	for range 4 {
		var in []views.Intent
		if st, in = press(v, st, s, act(keymap.PointBefore)...); len(in) > 0 {
			break
		}
		got = append(got, st.Step)
	}
	// The breakpoint, which is the newest decision; the decision after the change; the rebalance.
	if want := []uint64{s.Sched.Steps, s.Sched.Marks[1].Step, 1201}; !reflect.DeepEqual(got, want) {
		t.Errorf("stops at %v, want %v", got, want)
	}
	if st, _ = press(v, st, s, act(keymap.PointAfter)...); st.Step != s.Sched.Marks[1].Step {
		t.Errorf("the next one is %d", st.Step)
	}
}

func TestWhatTheScreenAnswers(t *testing.T) {
	tests := []struct {
		name string
		s    *snapshot.Snapshot
		want []string
	}{
		{"a turn", viewtest.Stepped(viewtest.Normal(), 6), []string{"#5 has its turn", "deciding", "6 decisions so far", "t+12.340s"}},
		{"a decision that puts back", viewtest.Stepped(viewtest.Normal(), 8), []string{"→ put back +50ms, why flow:span", "turn over", "you: delay #5"}},
		{"a hit", viewtest.Hit(viewtest.Normal()), []string{"! Stopped: breakpoint flow.span", "step 1,326 of 2,743"}},
		{"a broken invariant", viewtest.Wrong(viewtest.Normal()), []string{"✗ I13 does not hold", "two tasks"}},
		{"what goes on outside", viewtest.Driven(viewtest.Normal()), []string{"STEP drives order-svc", "ends in 11s", "over"}},
		{"a lesson", viewtest.Taught(viewtest.Normal()), []string{"Lesson 3 of 10", "✓ a pull is put back for count", "· a pull is put back for size"}},
		{"nobody steps", viewtest.Tasks(viewtest.Normal()), []string{"10 of 13 pulls wait for messages, 2 put back", "put back 211 times"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			frame := draw(t, tt.s, State{}, taskPane, 120, 36)
			for _, want := range tt.want {
				if !strings.Contains(frame, want) {
					t.Errorf("%q is not on screen:\n%s", want, frame)
				}
			}
		})
	}
}

// TestWhatALiveConsumerWaitsFor: between turns for what is held, or else for what comes; and why it
// stopped stays on screen while other parts of it decide.
func TestWhatALiveConsumerWaitsFor(t *testing.T) {
	tests := []struct {
		change func(d *snapshot.Sched)
		want   string
	}{
		{func(d *snapshot.Sched) {}, "Between two turns: 1 pull is held, the first #13 pay/b/3"},
		{func(d *snapshot.Sched) { d.Tasks[12].Held, d.Tasks[12].Due = true, d.Start }, "Between two turns: 2 pulls are held, the first #12"},
		{func(d *snapshot.Sched) { d.Tasks[1].Held = false }, "Between two turns: next #6"},
		{func(d *snapshot.Sched) { d.Tasks = nil }, "Between two turns: no pull is held, a step waits for the next"},
		{func(d *snapshot.Sched) { d.Hit = snapshot.SchedHit{Step: d.Steps - 7, Why: "break flow.span"} }, "Stopped: break flow.span"},
	}
	for _, tt := range tests {
		s := viewtest.Driven(viewtest.Normal())
		s.Sched.Current.Done, s.Sched.Hit = true, snapshot.SchedHit{}
		tt.change(&s.Sched)
		if frame := draw(t, s, State{}, taskPane, 120, 36); !strings.Contains(frame, tt.want) {
			t.Errorf("%q is not on screen:\n%s", tt.want, frame)
		}
	}
}

func TestALineThatHasNoRoomKeepsItsAnswer(t *testing.T) {
	frame := draw(t, viewtest.Stepped(viewtest.Normal(), 8), State{}, taskPane, 60, 16)
	if !strings.Contains(frame, "span 2,004 > 2,000 ?  YES → put back +50ms") {
		t.Errorf("the answer is cut off:\n%s", frame)
	}
}

func TestModesSkipALessonThatIsNotThere(t *testing.T) {
	v := New()
	st, _ := press(v, State{}, viewtest.Stepped(viewtest.Normal(), 6), act(keymap.Mode, keymap.Mode)...)
	if st.Mode != Trace {
		t.Errorf("after history comes %d, want the trace", st.Mode)
	}
	taught := viewtest.Taught(viewtest.Normal())
	if st, _ = press(v, State{}, taught, act(keymap.Mode, keymap.Mode)...); st.Mode != Trace {
		t.Errorf("beside a lesson after history comes %d, want the trace", st.Mode)
	}
	narrow := act(keymap.Mode, keymap.Mode)
	var state any = State{}
	for _, ev := range narrow {
		ev.W, ev.H, ev.Now = 80, 20, viewtest.Now()
		state, _ = v.Reduce(state, ev, taught)
	}
	if st, _ := state.(State); st.Mode != Lesson {
		t.Errorf("after history comes %d, want the lesson", st.Mode)
	}
}

func TestRowsDoNotJumpWhileAConsumerRunsByItself(t *testing.T) {
	v, at := New(), viewtest.Now()
	rows := func(s *snapshot.Snapshot, now time.Time) (out []uint64) {
		f := v.facts(s, now)
		for i := range f.order {
			out = append(out, f.at(i).ID)
		}
		return out
	}
	turned := func(s *snapshot.Snapshot) *snapshot.Snapshot { // as another picture would have them
		slices.Reverse(s.Sched.Tasks)
		return s
	}
	first := rows(viewtest.Tasks(viewtest.Normal()), at)
	if got := rows(turned(viewtest.Tasks(viewtest.Normal())), at.Add(900*time.Millisecond)); !slices.Equal(got, first) {
		t.Errorf("rows after less than a second %v, want them as they were: %v", got, first)
	}
	want := slices.Clone(first)
	slices.Reverse(want)
	if got := rows(turned(viewtest.Tasks(viewtest.Normal())), at.Add(time.Second)); !slices.Equal(got, want) {
		t.Errorf("rows after a second %v, want the order of the picture: %v", got, want)
	}
	fewer := viewtest.Tasks(viewtest.Normal())
	fewer.Sched.Tasks = fewer.Sched.Tasks[1:]
	if got := rows(fewer, at.Add(1100*time.Millisecond)); !slices.Equal(got, first[1:]) {
		t.Errorf("rows when a task went %v, want %v", got, first[1:])
	}
	stepped := viewtest.Stepped(viewtest.Normal(), 6)
	rows(stepped, at)
	if got := rows(turned(viewtest.Stepped(viewtest.Normal(), 6)), at); got[0] != stepped.Sched.Tasks[len(stepped.Sched.Tasks)-1].ID {
		t.Errorf("rows of a stepped consumer are kept: %v", got)
	}
}

func TestTheTaskThatIsReadAboutStays(t *testing.T) {
	v, s := New(), viewtest.Tasks(viewtest.Normal())
	st, _ := press(v, State{}, s, act(views.Refresh)...)
	if st.Sel != targetOf(&s.Sched.Tasks[0]) {
		t.Errorf("the cursor is on %+v, want the first task", st.Sel)
	}
}

func TestALessonBeginsWithItsTextWhereThereIsNoRoomForBoth(t *testing.T) {
	s := viewtest.Taught(viewtest.Normal())
	if frame := draw(t, s, State{}, taskPane, 80, 24); strings.Contains(frame, "Before each pull") || !strings.Contains(frame, "goals 2 of 3") {
		t.Errorf("the trace is out of sight, or the goals:\n%s", frame)
	}
	s.Sched.Steps = 0
	if frame := draw(t, s, State{}, taskPane, 80, 24); !strings.Contains(frame, "Before each pull") {
		t.Errorf("the text is out of sight before the first step:\n%s", frame)
	}
}

func TestALessonIsReadFromItsTopAgainWhenItGoesOn(t *testing.T) {
	v, s := New(), viewtest.Taught(viewtest.Normal())
	s.Sched.Lesson.Text = append(s.Sched.Lesson.Text, s.Sched.Lesson.Text...)
	down := views.Event{Action: keymap.Down, Focus: lessonPane}
	st, _ := press(v, State{}, s, act(views.Refresh)[0], down, down)
	if st.LessonTop != 2 {
		t.Fatalf("line %d is the first one, want the third", st.LessonTop)
	}
	end, _ := press(v, st, s, views.Event{Action: keymap.Bottom, Focus: lessonPane})
	if frame := draw(t, s, end, lessonPane, 120, 36); !strings.Contains(frame, "watch which limit") || strings.Contains(frame, "↓") {
		t.Errorf("its end is out of sight:\n%s", frame)
	}
	if st, _ = press(v, st, s, act(views.Refresh)...); st.LessonTop != 2 {
		t.Errorf("a new picture of the same part begins at line %d", st.LessonTop)
	}
	next := viewtest.Taught(viewtest.Normal())
	next.Sched.Lesson.Text = []string{"Another part."}
	if st, _ = press(v, st, next, act(views.Refresh)...); st.LessonTop != 0 {
		t.Errorf("the next part begins at line %d", st.LessonTop)
	}
}

// A task of the pull-task service runs in its callback, which need not pull at all.
func TestATaskOfTheServiceRunsInItsCallback(t *testing.T) {
	s := *viewtest.Tasks(viewtest.Normal())
	s.Sched.Tasks = slices.Clone(s.Sched.Tasks)
	for i := range s.Sched.Tasks {
		s.Sched.Tasks[i].State, s.Sched.Tasks[i].Cause, s.Sched.Tasks[i].Wrong = snapshot.TaskRunning, "", ""
	}
	if got := draw(t, &s, State{}, 0, 120, 31); !strings.Contains(got, "at broker") || strings.Contains(got, "in callback") {
		t.Errorf("a push consumer:\n%s", got)
	}
	s.Group.Kind = snapshot.ScheduledKind
	if got := draw(t, &s, State{}, 0, 120, 31); strings.Contains(got, "at broker") || !strings.Contains(got, "in callback") {
		t.Errorf("a pull-task service:\n%s", got)
	}
}
