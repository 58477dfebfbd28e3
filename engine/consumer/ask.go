package consumer

import (
	"context"
	"fmt"
	"time"
)

// ask has the loop run fn between two events and returns what fn does, or ctx's error when the
// loop did not come to it. fn must not wait for anything.
func ask[T any](ctx context.Context, b *inbox, fn func(now time.Time) T) (T, error) {
	answer := make(chan T, 1)
	b.post(&errand{fn: func(now time.Time) { answer <- fn(now) }, done: make(chan struct{})})
	select {
	case v := <-answer:
		return v, nil
	case <-ctx.Done():
		var none T
		return none, fmt.Errorf("the consumer is busy or ends: %w", ctx.Err())
	}
}
