package consume

import (
	"fmt"
	"runtime/debug"

	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/processqueue"
)

// teller is how a worker tells what it decides of the batch at hand. While nobody watches, which
// is found out once a batch, it costs one comparison a decision.
type teller struct {
	decisions *decision.Recorder
	on        bool
	shown     bool   // the listener got the batch
	broke     string // how a call of it ended that did not return
}

// look finds out whether somebody watches.
func (t *teller) look() bool {
	t.on = t.decisions.On()
	if t.on {
		t.broke = ""
	}
	return t.on
}

// is records the answer to a question about q, and returns it.
func (t *teller) is(l *decision.Line, q *processqueue.Queue, answer bool, n ...int64) bool {
	if t.on {
		t.record(l, q, answer, "", n)
	}
	return answer
}

func (t *teller) fact(l *decision.Line, q *processqueue.Queue, text string, n ...int64) {
	if t.on {
		t.record(l, q, false, text, n)
	}
}

func (t *teller) record(l *decision.Line, q *processqueue.Queue, answer bool, text string, n []int64) {
	d := &decision.Decision{Line: l, Queue: q.ID, Yes: answer, Text: text}
	copy(d.N[:], n)
	t.decisions.Record(d)
}

// aside tells what was decided under the mutex, without it and before anybody is woken: whoever
// watches may take time, and what follows is to be told later.
func (c *Orderly) aside(tell func(d *decision.Recorder)) {
	if c.cfg.Decisions.On() {
		c.mu.Unlock()
		tell(c.cfg.Decisions)
		c.mu.Lock()
	}
}

// tell emits an entry about a queue.
func (s *shift[W]) tell(level event.Level, source string, q mq.MessageQueue, count int, what string) {
	s.emit(event.Entry{At: s.clock.Now(), Level: level, Source: source, Queue: q, What: what, Count: count})
}

// panicked tells that the listener did, which t called with messages of q, and says so for traces.
func (s *shift[W]) panicked(t *thread, q mq.MessageQueue, v any) (broke string) {
	t.totals.panics.Add(1)
	stack := debug.Stack()
	s.tell(event.Error, "consume", q, 1, fmt.Sprintf("listener panicked at offset %d: %v\n%s", t.first.Load(), v, stack[:min(len(stack), stackBytes)]))
	return ", it panicked"
}

// exited is panicked for a listener that ended the goroutine it was called on.
func (s *shift[W]) exited(t *thread, q mq.MessageQueue) (broke string) {
	t.totals.panics.Add(1)
	s.tell(event.Error, "consume", q, 1, fmt.Sprintf("listener ended its goroutine at offset %d: counts as failed", t.first.Load()))
	return ", it ended its goroutine"
}
