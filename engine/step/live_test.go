package step_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
	"mqscope/engine/step"
	"mqscope/engine/step/command"
)

// puppet is a consumer whose decisions a test makes.
type puppet struct {
	t       *testing.T
	live    *step.Live
	updates chan struct{}
	watched decision.Sink
	holds   func() bool
	turned  func(open bool)
	open    bool // a turn is
	broken  []snapshot.Breach

	mu    sync.Mutex
	calls []string
}

func (p *puppet) Run(ctx context.Context) error { <-ctx.Done(); return nil }

func (p *puppet) Snapshot() *snapshot.Snapshot {
	s := &snapshot.Snapshot{Seq: 1, At: time.Now(), Group: snapshot.Group{Name: "g"}}
	s.Sched.Broken = p.broken
	for i := range int32(3) {
		task := snapshot.SchedTask{Task: snapshot.Task{ID: uint64(i) + 1, State: snapshot.TaskReady}, Queue: liveQueue(i + 1), Held: true}
		s.Sched.Tasks = append(s.Sched.Tasks, task)
		s.Queues = append(s.Queues, snapshot.Queue{ID: task.Queue, Mine: i != 2})
	}
	return s
}

func (p *puppet) Updates() <-chan struct{}                        { return p.updates }
func (p *puppet) WatchDecisions(s decision.Sink)                  { p.watched = s }
func (p *puppet) Drive(holds func() bool, turned func(open bool)) { p.holds, p.turned = holds, turned }
func (p *puppet) Release(q mq.MessageQueue)                       { p.called("release") }
func (p *puppet) CarryOn()                                        { p.called("carry on") }
func (p *puppet) Refuse(why string)                               { p.called("refuse: " + why) }

func (p *puppet) called(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls = append(p.calls, what)
}

// asked is what the consumer was asked for since the last call.
func (p *puppet) asked() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := strings.Join(p.calls, ", ")
	p.calls = nil
	return list
}

func (p *puppet) want(calls string) {
	p.t.Helper()
	if got := p.asked(); got != calls {
		p.t.Errorf("the consumer was asked for %q, want %q", got, calls)
	}
}

// shows checks the trace of the turn: its task, and the lines by their ids.
func (p *puppet) shows(task uint64, done bool, lines string) *snapshot.Snapshot {
	p.t.Helper()
	s := p.live.Snapshot()
	var got []string
	for _, l := range s.Sched.Current.Lines {
		got = append(got, l.Decision.Line.ID)
	}
	if c := &s.Sched.Current; c.Task != task || c.Done != done || !slices.Equal(got, strings.Fields(lines)) {
		p.t.Errorf("trace of #%d, over %v: %v, want #%d, %v: %s", c.Task, c.Done, got, task, done, lines)
	}
	return s
}

func liveQueue(id int32) mq.MessageQueue {
	return mq.MessageQueue{Topic: "t", BrokerName: "a", QueueID: id}
}

// decide makes decisions about a task, by the ids of their lines.
func (p *puppet) decide(task uint64, lines ...string) {
	p.t.Helper()
	for _, id := range lines {
		d := &decision.Decision{Line: decision.Find(id), Queue: liveQueue(int32(task)), Task: task, At: time.Now()}
		if d.Line == nil {
			p.t.Fatalf("no line %s", id)
		}
		switch id {
		case "flow.span":
			d.N, d.Yes, d.Then = [6]int64{2004, 2000}, true, decision.Then{Do: decision.PutBack, Why: event.CauseFlowSpan}
		case "pull.died":
			d.Then.Do = decision.Die
		}
		p.watched.Decided(d)
	}
}

const turnLines = "pull.taken pull.touched flow.count flow.span"

// turn makes a turn of a task as a loop does, and tells whether it stayed open.
func (p *puppet) turn(task uint64) bool {
	p.decide(task, strings.Fields(turnLines)...)
	p.open = p.holds()
	p.turned(p.open)
	return p.open
}

func (p *puppet) do(cmds ...any) {
	p.t.Helper()
	for _, c := range cmds {
		if !p.live.Do(c) {
			p.t.Errorf("%T is not known", c)
		}
	}
	synctest.Wait()
}

// drives runs test with a consumer that is stepped.
func drives(t *testing.T, test func(p *puppet), breakpoints ...string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := &puppet{t: t, updates: make(chan struct{}, 1)}
		var list []*step.Breakpoint
		for _, text := range breakpoints {
			b, err := step.ParseBreakpoint(text)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, b)
		}
		p.live = step.NewLive(step.LiveConfig{Consumer: p, Group: "g", Breakpoints: list})
		ctx, end := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- p.live.Run(ctx) }()
		synctest.Wait()
		test(p)
		end()
		if err := <-done; err != nil || p.watched != nil {
			t.Errorf("ended with %v, watched %v", err, p.watched)
		}
		if s := p.live.Snapshot(); s.Sched.Running {
			t.Error("it still runs")
		}
	})
}

func TestADecisionOfALiveTurnIsShownAtATime(t *testing.T) {
	drives(t, func(p *puppet) {
		if !p.holds() {
			t.Error("pulls are not held from the first on")
		}
		p.shows(0, false, "")
		p.do(command.One{})
		p.want("release")
		if !p.turn(2) {
			t.Error("the turn does not stay open")
		}
		p.shows(2, false, "pull.taken")
		p.do(command.One{})
		p.decide(1, "pull.answer") // of another one, meanwhile
		p.decide(0, "rebalance.begin")
		s := p.shows(2, false, "pull.taken pull.touched")
		if d := &s.Sched; !d.Stepping || d.Running || d.Drives != "g" || d.Virtual() || d.Steps != 4 || d.Newest != 4 || len(d.History) != 4 ||
			d.History[2].Decision.Line != decision.PullAnswer || len(d.Marks) != 1 || d.Marks[0].Step != 4 {
			t.Errorf("schedule %+v", d)
		}
		for _, task := range s.Sched.Tasks {
			if task.Current != (task.ID == 2) || !task.Held {
				t.Errorf("task %+v", task)
			}
		}
		p.do(command.One{}, command.One{})
		p.want("")
		p.shows(2, false, turnLines)
		p.do(command.One{})
		p.want("carry on")
		p.decide(2, "pull.enqueued") // what follows
		p.shows(2, true, turnLines+" pull.enqueued")
		p.do(command.One{})
		p.want("release")
	})
}

func TestStepsThatAreAskedForEarlyAreMadeInTheSameTurn(t *testing.T) {
	drives(t, func(p *puppet) {
		p.do(command.One{}, command.One{}, command.One{})
		p.want("release")
		p.turn(2)
		p.shows(2, false, "pull.taken pull.touched flow.count")
	})
}

func TestAWholeLiveTurn(t *testing.T) {
	drives(t, func(p *puppet) {
		p.do(command.Task{})
		p.want("release")
		p.turn(1)
		p.want("carry on")
		p.shows(1, true, turnLines)
		p.do(command.One{})
		p.want("release")
		p.turn(2)
		p.do(command.Task{}) // the rest of it
		p.want("carry on")
		p.shows(2, true, turnLines)
	})
	drives(t, func(p *puppet) {
		p.do(command.Task{})
		p.turn(1)
		p.want("release") // it does not go on behind the breakpoint
		if s := p.shows(1, false, "pull.taken pull.touched flow.count"); s.Sched.Hit.Why != "break flow.count" || s.Sched.Hit.Step != 3 {
			t.Errorf("hit %+v", s.Sched.Hit)
		}
		p.do(command.Task{})
		p.want("carry on")
	}, "flow.count")
}

func TestALiveRunStopsAtABreakpointInTheMidstOfATurn(t *testing.T) {
	drives(t, func(p *puppet) {
		p.do(command.Run{})
		p.want("carry on")
		if p.turn(1) {
			t.Error("a turn stayed open in a run")
		}
		p.decide(1, "pull.enqueued")
		if !p.turn(2) {
			t.Error("the turn did not stay open behind the breakpoint")
		}
		s := p.shows(2, false, "pull.taken pull.touched flow.count")
		if s.Sched.Running || s.Sched.Hit.Why != "break flow.count if task == 2" || s.Sched.Breakpoints[0].Hits != 1 {
			t.Errorf("schedule %+v", s.Sched)
		}
		p.want("")
		p.do(command.Run{})
		p.want("carry on")
		p.shows(2, true, turnLines)
		if p.holds() {
			t.Error("it holds in a run")
		}
		p.do(command.Pause{})
		if !p.holds() || p.live.Snapshot().Sched.Running {
			t.Error("it does not hold after a pause")
		}
	}, "flow.count if task == 2")
}

func TestALiveRunStopsAtWhatIsNoTurn(t *testing.T) {
	drives(t, func(p *puppet) {
		p.do(command.Run{})
		p.turn(1)
		p.decide(0, "rebalance.begin")
		s := p.shows(1, true, turnLines)
		if !p.holds() || s.Sched.Hit.Why != "break rebalance.begin" {
			t.Errorf("hit %+v", s.Sched.Hit)
		}
		p.decide(0, "rebalance.begin") // nothing runs that could stop
		if got := p.live.Snapshot().Sched; got.Hit != s.Sched.Hit || got.Breakpoints[0].Hits != 2 {
			t.Errorf("hit %+v, %d hits", got.Hit, got.Breakpoints[0].Hits)
		}
	}, "rebalance.begin")
}

// TestARunThatComesInTheMidstOfATurn: the loop asks whether to hold, then hears of the run.
func TestARunThatComesInTheMidstOfATurn(t *testing.T) {
	drives(t, func(p *puppet) {
		p.do(command.One{})
		p.decide(1, strings.Fields(turnLines)...)
		p.do(command.Run{})
		p.asked()
		p.turned(true)
		p.want("carry on")
		p.shows(1, true, turnLines)
		p.do(command.Pause{}, command.One{})
		p.decide(2, strings.Fields(turnLines)...)
		p.turned(false) // asked before the pause
		p.shows(2, true, turnLines)
	})
}

func TestALiveRunToATaskOrACondition(t *testing.T) {
	drives(t, func(p *puppet) {
		p.do(command.Until{Task: 2})
		p.turn(1)
		if !p.turn(2) {
			t.Error("the task is not held in its turn")
		}
		if s := p.shows(2, false, "pull.taken"); s.Sched.Hit.Why != "turn of task 2" {
			t.Errorf("hit %+v", s.Sched.Hit)
		}
		p.do(command.Until{Condition: "span > 2000"})
		if s := p.shows(2, false, turnLines); s.Sched.Running || s.Sched.Hit.Why != "any if span > 2000" {
			t.Errorf("hit %+v", s.Sched.Hit)
		}
		p.asked()
		p.do(command.Until{Condition: "flwo.span"})
		p.want(`refuse: line 1, column 1: there is no line "flwo.span", did you mean flow.span?`)
		if p.live.Snapshot().Sched.Running {
			t.Error("it runs to what it can not read")
		}
	})
}

func TestALiveClusterDoesNotGoBack(t *testing.T) {
	drives(t, func(p *puppet) {
		for _, cmd := range []any{command.Back{N: 1}, command.Goto{Step: 3}, command.Change{What: command.FailPull, Queue: liveQueue(1)}} {
			p.do(cmd)
			p.want("refuse: only on virtual time: a live cluster goes on by itself")
		}
		if p.live.Do("something else") {
			t.Error("it takes what it does not know")
		}
	})
}

func TestBreakpointsOfALiveConsumer(t *testing.T) {
	drives(t, func(p *puppet) {
		p.do(command.SetBreakpoint{Text: "flow.count"}, command.SetBreakpoint{Queue: liveQueue(3)}, command.SetBreakpoint{Queue: liveQueue(7)})
		p.do(command.Toggle{Index: 0, Words: "flow.count"})
		s := p.live.Snapshot()
		var got []string
		for i, b := range s.Sched.Breakpoints {
			got = append(got, fmt.Sprint(b.Words, " ", b.Off, " ", b.Note))
			if (b.Queue == mq.MessageQueue{}) != (i == 0) {
				t.Errorf("breakpoint %+v", b)
			}
		}
		want := []string{"flow.count true ", "queue t/a/3 false this queue is not ours now", "queue t/a/7 false no topic has this queue now"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("breakpoints (-want +got):\n%s", diff)
		}
		if !s.Sched.Tasks[2].Break || s.Sched.Tasks[0].Break {
			t.Errorf("tasks %+v", s.Sched.Tasks)
		}
		p.want("")
		p.do(command.Delete{Index: 0, Words: "flow.span"}, command.SetBreakpoint{Text: "flow.count iff"})
		if got := p.asked(); !strings.Contains(got, "the list has changed") || !strings.Contains(got, "column 12") {
			t.Errorf("refused: %s", got)
		}
		p.do(command.Delete{Index: 0, Words: "flow.count"})
		if n := len(p.live.Snapshot().Sched.Breakpoints); n != 2 {
			t.Errorf("%d breakpoints are left", n)
		}
	})
}

func TestALiveRunWithAPace(t *testing.T) {
	drives(t, func(p *puppet) {
		p.do(command.Pace{Delta: -1}, command.Run{})
		if s := p.live.Snapshot(); s.Sched.Pace != 10*time.Millisecond || !s.Sched.Running || !p.holds() {
			t.Errorf("pace %v, running %v, holds %v", s.Sched.Pace, s.Sched.Running, p.holds())
		}
		p.want("")
		time.Sleep(11 * time.Millisecond)
		synctest.Wait()
		p.want("release")
		time.Sleep(time.Second) // no pull is due
		synctest.Wait()
		p.want("")
		p.turn(1)
		p.shows(1, false, "pull.taken")
		for _, lines := range []string{"pull.taken pull.touched", "pull.taken pull.touched flow.count", turnLines} {
			time.Sleep(10 * time.Millisecond)
			synctest.Wait()
			p.shows(1, false, lines)
		}
		time.Sleep(10 * time.Millisecond)
		synctest.Wait()
		p.want("carry on")
		time.Sleep(10 * time.Millisecond)
		synctest.Wait()
		p.want("release")
		p.turn(2)
		p.do(command.Pace{Delta: 1}) // as fast as it goes: all that is held
		p.want("carry on")
		p.shows(2, true, turnLines)
		p.do(command.Pace{Delta: -2}, command.Pause{})
		time.Sleep(time.Minute)
		synctest.Wait()
		p.want("")
	})
}

func TestAQueueThatIsLostInItsLiveTurn(t *testing.T) {
	drives(t, func(p *puppet) {
		p.do(command.One{})
		p.turn(1)
		p.asked()
		p.decide(1, "pull.died")
		p.want("carry on")
		p.shows(1, true, turnLines+" pull.died")
		p.do(command.One{})
		p.want("release")
	})
}

// TestALiveHistoryIsBounded: what a consumer decides in days does not grow what is kept of it.
func TestABrokenInvariantHoldsALiveConsumer(t *testing.T) {
	drives(t, func(p *puppet) {
		p.do(command.Run{})
		if p.holds() {
			t.Fatal("a run holds")
		}
		p.decide(1, "pull.taken", "flow.span", "pull.send") // though the span was too large
		s := p.live.Snapshot()
		if h := s.Sched.Hit; !h.Bad || !strings.HasPrefix(h.Why, "I14: ") || !p.holds() || len(s.Sched.Broken) != 1 {
			t.Errorf("hit %+v, broken %v, holds %v", h, s.Sched.Broken, p.holds())
		}
		p.broken = []snapshot.Breach{{ID: "I13", What: "two tasks"}}
		p.do(command.Run{})
		s = p.live.Snapshot()
		if h := s.Sched.Hit; !h.Bad || h.Why != "I13: two tasks" || !p.holds() || len(s.Sched.Broken) != 1 || s.Sched.Running {
			t.Errorf("hit %+v, broken %v, holds %v", h, s.Sched.Broken, p.holds())
		}
	})
}

func TestALiveHistoryIsBounded(t *testing.T) {
	drives(t, func(p *puppet) {
		p.do(command.One{})
		p.turn(1)
		for range 3000 {
			p.decide(0, "consume.started")
			p.decide(1, "pull.parked")
		}
		s := p.live.Snapshot()
		if b := s.Sched.Breakpoints[0]; b.Hits != 3000 || s.Sched.Hit.Step != 0 {
			t.Errorf("breakpoint %+v, hit %+v", b, s.Sched.Hit)
		}
		if len(s.Sched.History) != 512 || len(s.Sched.Current.Lines) != 256 || len(s.Sched.Marks) > 256 || s.Sched.Steps != 6001 {
			t.Errorf("%d in history, %d in the trace, %d marks, %d steps", len(s.Sched.History), len(s.Sched.Current.Lines), len(s.Sched.Marks), s.Sched.Steps)
		}
		if got := s.Sched.Current.Lines[0].Decision.Line; got != decision.PullTaken {
			t.Errorf("the turn begins with %s", got.ID)
		}
	}, "consume.started after 4000")
}

func TestALiveBreakpointLetsHitsPass(t *testing.T) {
	drives(t, func(p *puppet) {
		p.do(command.Run{})
		for range 300 {
			p.decide(0, "consume.started")
		}
		if p.holds() {
			t.Error("it stopped early")
		}
		p.decide(0, "consume.started")
		if s := p.live.Snapshot(); !p.holds() || s.Sched.Hit.Step != 301 {
			t.Errorf("hit %+v", s.Sched.Hit)
		}
	}, "consume.started after 300")
}

func TestPicturesOfALiveConsumerArePassedOn(t *testing.T) {
	drives(t, func(p *puppet) {
		p.updates <- struct{}{}
		<-p.live.Updates()
		p.decide(0, "consume.started")
		<-p.live.Updates()
		p.do(command.Pace{Delta: -1})
		<-p.live.Updates()
	})
}
