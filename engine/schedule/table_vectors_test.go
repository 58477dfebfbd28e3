package schedule

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/mq"
	"mqscope/engine/schedule/scheduletest"
)

// player runs a script against a Table in virtual time, which is in ms since its start.
type player struct {
	script  *scheduletest.Script
	table   *Table
	start   time.Time
	now     int
	returns []pending
	calls   map[string]int
	made    map[mq.MessageQueue]int // tasks so far
	numbers map[TaskID]int
	log     [][]any
}

// pending is a callback that returns at a time.
type pending struct {
	at    int
	task  TaskID
	delay time.Duration
	err   error
}

func newPlayer(s *scheduletest.Script) *player {
	return &player{
		script: s, table: NewTable(s.Messaging(), s.PullThreadNums), start: time.Unix(1000, 0),
		calls: map[string]int{}, made: map[mq.MessageQueue]int{}, numbers: map[TaskID]int{},
	}
}

var errScripted = errors.New("scripted")

func (p *player) note(what string, task any, data ...any) {
	if p.now >= p.script.End-25 {
		return
	}
	grid := int(math.Round(float64(p.now)/50)) * 50
	p.log = append(p.log, append([]any{grid, what, task}, data...))
}

func nameOf(id TaskID) string { return fmt.Sprintf("%s#%d", keyOf(id.Queue), id.N) }

func keyOf(q mq.MessageQueue) string { return fmt.Sprintf("%s/%d", q.Topic, q.QueueID) }

// name is what Java's driver calls a task: by its number among those of its queue.
func (p *player) name(id TaskID) string {
	if p.numbers[id] == 0 {
		p.made[id.Queue]++
		p.numbers[id] = p.made[id.Queue]
	}
	return fmt.Sprintf("%s#%d", keyOf(id.Queue), p.numbers[id])
}

func (p *player) time() time.Time { return p.start.Add(time.Duration(p.now) * time.Millisecond) }

// carryOut does what the table asks for, and what follows at once.
func (p *player) carryOut(actions []Action) {
	for _, a := range actions {
		switch a := a.(type) {
		case Cancelled:
			p.note("cancelled", p.name(a.Task))
		case Created:
			p.note("created", p.name(a.Task), 0)
		case CreateRejected:
			p.note("createRejected", p.name(a.Task), 0)
		case Picked:
			p.note("run", p.name(a.Task))
		case Rescheduled:
			p.note("rescheduled", p.name(a.Task), int(a.Delay/time.Millisecond))
		case RejectedAgain:
			p.note("rejected", p.name(a.Task), int(a.Delay/time.Millisecond))
		case Ended:
			why := map[TaskEnd]string{CancelledBefore: "cancelledBefore", CancelledAfter: "cancelledAfter", NoCallback: "noCallback", Rejected: "rejected"}
			p.note("ended", p.name(a.Task), why[a.Why])
		case Enter:
			p.enter(a)
		}
	}
}

func (p *player) enter(a Enter) {
	key := keyOf(a.Task.Queue)
	n := p.calls[key]
	p.calls[key]++
	p.note("enter", p.name(a.Task), map[string]any{"callbackRun": n, "contextDelay": int(a.Delay / time.Millisecond)})
	run := p.script.Run(key, n)
	r := pending{at: p.now + run.Takes, task: a.Task, delay: a.Delay}
	if run.SetDelay != nil {
		r.delay = time.Duration(*run.SetDelay) * time.Millisecond
	}
	if run.Throws {
		r.err = errScripted
	}
	if run.Takes == 0 {
		p.back(r)
		return
	}
	p.returns = append(p.returns, r)
}

func (p *player) back(r pending) {
	if r.err == nil {
		p.note("exit", p.name(r.task))
	} else {
		p.note("threw", p.name(r.task))
	}
	p.carryOut(p.table.Returned(p.time(), r.task, r.delay, r.err))
}

func (p *player) step(s scheduletest.Step) {
	switch s.Do {
	case "messageQueueChanged":
		p.note("changed", s.Topic)
		actions, err := p.table.Changed(p.time(), s.Topic, scheduletest.Queues(s.Topic, s.All), scheduletest.Queues(s.Topic, s.Mine))
		keys := []any{}
		for _, q := range p.table.Queues() {
			keys = append(keys, keyOf(q))
		}
		p.carryOut(actions)
		if errors.Is(err, ErrTableStopped) {
			p.note("listenerThrew", s.Topic, "RejectedExecutionException")
		}
		p.note("taskTable", s.Topic, keys)
	case "registerPullTaskCallback":
		p.note("register", s.Topic)
		p.table.Register(s.Topic)
	case "removeCallback":
		p.note("removeCallback", s.Topic)
		p.table.Unregister(s.Topic)
	case "shutdownPool":
		p.note("shutdownPool", nil)
		p.table.Stop()
	}
}

// play goes from one thing that happens to the next.
func (p *player) play() {
	for _, topic := range p.script.RegisteredAtStart {
		p.table.Register(topic)
	}
	steps := p.script.Steps
	for {
		next := p.script.End
		if len(steps) > 0 {
			next = min(next, steps[0].Due())
		}
		for _, r := range p.returns {
			next = min(next, r.at)
		}
		if due, ok := p.table.NextDue(); ok {
			next = min(next, int(due.Sub(p.start)/time.Millisecond))
		}
		if next >= p.script.End {
			return
		}
		p.now = max(p.now, next)
		for i := 0; i < len(p.returns); i++ {
			if r := p.returns[i]; r.at == p.now {
				p.returns = slices.Delete(p.returns, i, i+1)
				p.back(r)
				i = -1
			}
		}
		p.carryOut(p.table.Tick(p.time()))
		for len(steps) > 0 && steps[0].Due() == p.now {
			s := steps[0]
			steps = steps[1:]
			p.step(s)
		}
	}
}

// canonical puts the log in the order of the recording: at one time what steps led to stands
// first, then queue by queue, since Java's threads run beside each other; with one thread the
// order is the real one.
func (p *player) canonical() [][]any {
	ofSteps := []string{"changed", "cancelled", "created", "createRejected", "taskTable", "register", "removeCallback", "shutdownPool", "listenerThrew"}
	sort.SliceStable(p.log, func(i, j int) bool {
		a, b := p.log[i], p.log[j]
		if a[0] != b[0] {
			return a[0].(int) < b[0].(int)
		}
		as, bs := slices.Contains(ofSteps, a[1].(string)), slices.Contains(ofSteps, b[1].(string))
		if as || bs {
			return as && !bs
		}
		if p.script.PullThreadNums == 1 {
			return false
		}
		ak, _, _ := strings.Cut(a[2].(string), "#")
		bk, _, _ := strings.Cut(b[2].(string), "#")
		return ak < bk
	})
	return p.log
}

func TestS0TheTablesGoAsJavasPullTaskService(t *testing.T) {
	for _, s := range scheduletest.Scripts(t, "../..") {
		t.Run(s.Name, func(t *testing.T) {
			p := newPlayer(&s)
			p.play()
			if diff := cmp.Diff(lines(t, s.Log), lines(t, p.canonical())); diff != "" {
				t.Errorf("what happens (-Java +ours):\n%s", diff)
			}
		})
	}
}

// lines are log entries as JSON, one each.
func lines(t *testing.T, log [][]any) []string {
	t.Helper()
	var out []string
	for _, e := range log {
		for len(e) > 2 && e[len(e)-1] == nil {
			e = e[:len(e)-1]
		}
		text, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(text))
	}
	return out
}
