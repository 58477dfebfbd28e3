package lifecycle

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestTheFirstErrorEndsTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, _ := NewGroup(t.Context())
		boom := errors.New("boom")
		ended := false
		g.Go("fails", func(context.Context) error { time.Sleep(time.Second); return boom })
		g.Go("waits", func(ctx context.Context) error { <-ctx.Done(); ended = true; return ctx.Err() })
		err := g.Wait()
		if !errors.Is(err, boom) || !strings.HasPrefix(err.Error(), "fails: ") {
			t.Errorf("got %v, want boom with the name of who failed", err)
		}
		if !ended {
			t.Error("the other function was not ended")
		}
	})
}

func TestAPanicIsAnErrorWithItsStack(t *testing.T) {
	g, _ := NewGroup(t.Context())
	g.Go("listener", func(context.Context) error { panic("nil map") })
	p, ok := errors.AsType[*PanicError](g.Wait())
	if !ok || p.Name != "listener" || p.Value != "nil map" || !strings.Contains(string(p.Stack), "group_test.go") {
		t.Errorf("got %+v", p)
	}
}

func TestAnEndByContextIsSuccess(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	g, _ := NewGroup(ctx)
	g.Go("waits", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
	cancel()
	if err := g.Wait(); err != nil {
		t.Errorf("got %v, want nil", err)
	}
}

func TestACanceledErrorOfSomethingElseIsAFailure(t *testing.T) {
	err := Guard(t.Context(), "call", func(context.Context) error { return context.Canceled })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v: the context has not ended, so this is a failure", err)
	}
}
