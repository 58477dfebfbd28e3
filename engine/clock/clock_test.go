package clock

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestSleepLastsAsLongAsSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := System{}.Now()
		if err := Sleep(t.Context(), System{}, 3*time.Second); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took != 3*time.Second {
			t.Errorf("slept %v, want 3s", took)
		}
	})
}

func TestSleepEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		if err := Sleep(ctx, System{}, time.Hour); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		if took := time.Since(start); took != time.Second {
			t.Errorf("slept %v, want 1s", took)
		}
		if err := Sleep(ctx, System{}, 0); err == nil {
			t.Error("no time to sleep and an ended context: want its error")
		}
	})
}
