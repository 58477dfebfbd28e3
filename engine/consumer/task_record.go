package consumer

import (
	"context"

	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/schedule"
)

// taskKey is the key of the pull task in the context that its callback got.
type taskKey struct{}

func withTask(ctx context.Context, id schedule.TaskID) context.Context {
	return context.WithValue(ctx, taskKey{}, id)
}

// taskIn is the number of the task whose callback has ctx, if it is one of q; 0 for none.
func taskIn(ctx context.Context, q mq.MessageQueue) uint64 {
	if id, ok := ctx.Value(taskKey{}).(schedule.TaskID); ok && id.Queue == q {
		return id.N
	}
	return 0
}

// tellStart says how far the start of the consumer came.
func (l *onDemand) tellStart(stage string) {
	m, ok := l.manner.(*scheduling)
	if ok && l.decisions.On() {
		l.record(decision.TaskStart, mq.MessageQueue{}, 0, [6]int64{int64(m.threads)}, stage)
	}
}

// tellShutdown says how far its end came.
func (l *onDemand) tellShutdown(stage string) {
	if l.decisions.On() {
		l.record(decision.TaskShutdown, mq.MessageQueue{}, 0, [6]int64{int64(len(l.order))}, stage)
	}
}

func (p *Pull) tellSent(ctx context.Context, a Ask, flags int32, broker, timeout int64) {
	l := p.loop
	if !l.decisions.On() {
		return
	}
	held := int64(0)
	if a.Block {
		held = 1
	}
	n := [6]int64{a.Offset, int64(a.MaxNums), int64(flags), broker, held, timeout}
	l.record(decision.TaskPullSent, a.Queue, taskIn(ctx, a.Queue), n, "")
}

func (p *Pull) tellAnswer(ctx context.Context, e *event.PullDone) {
	l := p.loop
	if !l.decisions.On() {
		return
	}
	n := [6]int64{int64(e.Took), int64(e.Count), e.Next, e.Min, e.Max, e.Suggest}
	l.record(decision.TaskPullAnswer, e.Queue, taskIn(ctx, e.Queue), n, e.Status.String())
}

// What Java's fetchConsumeOffset says instead of an offset.
const (
	javaNoOffset     = -1
	javaOffsetFailed = -2
)

func (p *Pull) tellFetched(ctx context.Context, q mq.MessageQueue, source string, at int64, found bool, err error) {
	l := p.loop
	if !l.decisions.On() {
		return
	}
	switch {
	case err != nil:
		at = javaOffsetFailed
	case !found:
		at = javaNoOffset
	}
	l.record(decision.TaskFetchOffset, q, taskIn(ctx, q), [6]int64{at}, source)
}
