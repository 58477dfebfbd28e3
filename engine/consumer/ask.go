package consumer

import (
	"context"
	"fmt"
	"time"

	"mqscope/engine/client"
	"mqscope/engine/clock"
)

// Questions that brokers ask of a push consumer's loop, on behalf of tools. Recordings keep them:
// to answer one brings offsets up to date, or more.
type (
	askedInfo    struct{}
	askedOffsets struct{ topic string }
	askedReset   struct{ wanted client.ResetOffsets }
)

// askedAgain has the loop do what an answer does beside telling it.
func (l *loop) askedAgain(now time.Time, question any) {
	switch q := question.(type) {
	case askedInfo:
		l.tellOfMyself(now)
	case askedOffsets:
		l.offsetsOf(now, q.topic)
	case askedReset:
		l.reset(now, q.wanted)
	}
}

// ask has the loop run fn, which answers question, between two events and returns what fn does, or
// ctx's error when the loop did not come to it. fn must not wait for anything.
func ask[T any](ctx context.Context, c clock.Clock, b *inbox, question any, fn func(now time.Time) T) (T, error) {
	var v T
	answered := make(chan struct{})
	b.post(&errand{question: question, fn: func(now time.Time) { v = fn(now); close(answered) }, done: make(chan struct{})})
	if clock.Wait(ctx, c, clock.Waits{First: answered}) == clock.Ended {
		var none T
		return none, fmt.Errorf("the consumer is busy or ends: %w", ctx.Err())
	}
	return v, nil
}
