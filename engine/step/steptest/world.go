package steptest

import (
	"errors"
	"hash/fnv"
	"math/rand/v2"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
	"mqscope/engine/step"
)

// Options set a world up.
type Options struct {
	Seed    uint64
	Turns   int // after which nothing is left to do, default 1e9
	Until   time.Duration
	Breach  uint64 // step from which on an invariant is broken, 0 for never
	Stray   uint64 // step at which worlds other than the first do something else, 0 for never
	Queues  int    // default 4
	Opened  *int   // counts worlds that are not closed
	Refuse  bool   // changes
	Members []string
	Work    int // how often each decision is hashed again, to take time
}

// Maker makes worlds that are all the same.
func Maker(o Options) step.Maker {
	made := 0
	return func() (step.World, error) {
		made++
		if o.Opened != nil {
			*o.Opened++
		}
		w := &World{o: o, other: made > 1, now: Start, dice: rand.New(rand.NewPCG(o.Seed, 1)), sum: 14695981039346656037}
		if w.o.Turns == 0 {
			w.o.Turns = 1e9
		}
		if w.o.Queues == 0 {
			w.o.Queues = 4
		}
		w.left = w.o.Turns
		for i := range w.o.Queues {
			w.tasks = append(w.tasks, task{id: uint64(i + 1), queue: Queue(i), mine: true})
		}
		return w, nil
	}
}

// Start is the time at which a world begins.
var Start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) //nolint:gochecknoglobals // a constant

// Queue is one of the queues of topic orders at broker a.
func Queue(id int) mq.MessageQueue {
	return mq.MessageQueue{Topic: "orders", BrokerName: "a", QueueID: int32(id)}
}

// World is the world.
type World struct {
	o       Options
	other   bool
	now     time.Time
	dice    *rand.Rand
	sum     uint64
	steps   uint64
	left    int // turns
	tasks   []task
	pending []decision.Decision
	buf     []byte
	stirred bool // at rest
	closed  bool
	told    []any
}

type task struct {
	id    uint64
	queue mq.MessageQueue
	next  int64
	delay time.Duration
	cause event.Cause
	fail  string
	mine  bool
}

// Run implements step.World.
func (w *World) Run(stop func(d *decision.Decision) bool) (step.Reason, error) {
	if w.closed {
		return step.Stopped, errors.New("run after Close")
	}
	for {
		if len(w.pending) == 0 {
			if w.o.Until > 0 && w.now.Sub(Start) >= w.o.Until {
				return step.TimeUp, nil
			}
			if w.left == 0 {
				if !w.stirred { // what happens behind the last decision
					w.stirred = true
					w.now = w.now.Add(time.Duration(1+w.dice.IntN(1000)) * time.Millisecond)
				}
				return step.Idle, nil
			}
			w.left--
			w.stirred = false
			w.turn()
		}
		d := w.pending[0]
		w.pending = w.pending[1:]
		d.At, d.Member = w.now, "me"
		w.steps++
		if w.other && w.steps == w.o.Stray {
			d.N[0]++
		}
		w.buf = d.AppendTo(w.buf[:0])
		h := fnv.New64a()
		_, _ = h.Write(w.buf)
		for range w.o.Work {
			_, _ = h.Write(w.buf[:8])
		}
		w.sum = w.sum*1099511628211 ^ h.Sum64()
		if stop(&d) {
			return step.Stopped, nil
		}
	}
}

// Steps, Now, Hash, Close implement step.World.
func (w *World) Steps() uint64  { return w.steps }
func (w *World) Now() time.Time { return w.now }
func (w *World) Hash() uint64   { return w.sum }
func (w *World) Close() {
	if w.closed {
		panic("closed twice")
	}
	w.closed = true
	if w.o.Opened != nil {
		*w.o.Opened--
	}
}

// Do implements step.Doer.
func (w *World) Do(cmd any) { w.told = append(w.told, cmd) }

// Broken implements step.World.
func (w *World) Broken() []snapshot.Breach {
	if w.o.Breach > 0 && w.steps >= w.o.Breach {
		return []snapshot.Breach{{ID: "I13", What: "two requests of one queue"}}
	}
	return nil
}

// Snapshot implements step.World.
func (w *World) Snapshot() *snapshot.Snapshot {
	s := &snapshot.Snapshot{At: w.now}
	for _, m := range append([]string{"me"}, w.o.Members...) {
		s.Members = append(s.Members, snapshot.Member{ID: m, Me: m == "me"})
	}
	for i := range w.tasks {
		t := &w.tasks[i]
		q := snapshot.Queue{ID: t.queue, Mine: t.mine, State: snapshot.Pulling,
			Next: snapshot.Of(t.next, w.now), Committed: snapshot.Of(t.next/2, w.now), Count: snapshot.Of(int(t.next%100), w.now)}
		q.Task = snapshot.Task{ID: t.id, State: snapshot.TaskDelayed, Due: w.now.Add(t.delay), Cause: t.cause, Since: w.now}
		s.Queues = append(s.Queues, q)
		s.Sched.Tasks = append(s.Sched.Tasks, snapshot.SchedTask{Task: q.Task, Queue: t.queue, Next: t.next, Count: int(t.next % 100)})
	}
	return s
}

// Change implements step.World.
func (w *World) Change(c step.Change) error {
	if w.o.Refuse {
		return errors.New("this world can not be changed")
	}
	w.stirred = false
	switch c := c.(type) {
	case step.AdvanceClock:
		w.now = w.now.Add(c.By)
		w.left += 3
	case step.MemberJoins:
		w.o.Members = append(append([]string(nil), w.o.Members...), c.Name)
		w.tasks[len(w.tasks)-1].mine = false
	case step.DelayTask:
		w.of(c.Queue).delay += c.By
	case step.AnswerPull:
		w.of(c.Queue).fail = c.Status
	case step.FailPull:
		w.of(c.Queue).fail = "lost"
	case step.SendMessages:
		w.of(c.Queue).next += int64(c.N)
	}
	w.dice = rand.New(rand.NewPCG(w.dice.Uint64(), uint64(len(c.String()))))
	return nil
}

func (w *World) of(q mq.MessageQueue) *task {
	for i := range w.tasks {
		if w.tasks[i].queue == q {
			return &w.tasks[i]
		}
	}
	return &task{}
}

// turn puts together what is decided in the turn of some task.
func (w *World) turn() {
	w.now = w.now.Add(time.Duration(1+w.dice.IntN(20)) * time.Millisecond)
	t := &w.tasks[w.dice.IntN(len(w.tasks))]
	if w.dice.IntN(20) == 0 {
		w.add(decision.Decision{Line: decision.RebalanceBegin, Text: "20s are over", N: [6]int64{1}})
		w.add(decision.Decision{Line: decision.RebalanceAdded, Queue: t.queue, N: [6]int64{t.next, 1, int64(500 * time.Millisecond)}})
	}
	w.add(decision.Decision{Line: decision.PullTaken, Queue: t.queue, Task: t.id, N: [6]int64{t.next, 0}})
	w.add(decision.Decision{Line: decision.PullDropped, Queue: t.queue})
	w.add(decision.Decision{Line: decision.FlowCount, Queue: t.queue, N: [6]int64{t.next % 100, 1000}})
	span := w.dice.Int64N(2200)
	d := decision.Decision{Line: decision.FlowSpan, Queue: t.queue, Yes: span > 2000, N: [6]int64{span, 2000}}
	t.delay, t.cause = 0, ""
	if d.Yes {
		t.delay, t.cause = 50*time.Millisecond, event.CauseFlowSpan
		d.Then = decision.Then{Do: decision.PutBack, Delay: t.delay, Why: t.cause}
		w.add(d)
		return
	}
	w.add(d)
	w.add(decision.Decision{Line: decision.OffsetCommitted, Queue: t.queue, Yes: true, N: [6]int64{t.next / 2}})
	w.add(decision.Decision{Line: decision.PullSend, Queue: t.queue, Task: t.id, N: [6]int64{t.next, 32, 3, 0, 0, int64(15 * time.Second)}})
	status, n := "FOUND", w.dice.Int64N(33)
	if t.fail != "" {
		status, n, t.fail = t.fail, 0, ""
	}
	t.next += n
	w.add(decision.Decision{Line: decision.ConsumeReturned, Queue: t.queue, Text: status, N: [6]int64{t.next, n, int64(time.Millisecond), n, 0}})
}

func (w *World) add(d decision.Decision) { w.pending = append(w.pending, d) }

// Told are the commands that Do was given.
func (w *World) Told() []any { return w.told }
