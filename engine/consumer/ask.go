package consumer

import (
	"context"
	"fmt"
	"time"

	"mqscope/engine/clock"
)

// ask has the loop run fn between two events and returns what fn does, or ctx's error when the
// loop did not come to it. fn must not wait for anything.
func ask[T any](ctx context.Context, c clock.Clock, b *inbox, fn func(now time.Time) T) (T, error) {
	var v T
	answered := make(chan struct{})
	b.post(&errand{fn: func(now time.Time) { v = fn(now); close(answered) }, done: make(chan struct{})})
	if clock.Wait(ctx, c, clock.Waits{First: answered}) == clock.Ended {
		var none T
		return none, fmt.Errorf("the consumer is busy or ends: %w", ctx.Err())
	}
	return v, nil
}
