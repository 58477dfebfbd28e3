package engine

import (
	"context"
	"log/slog"
)

// watcher sees errors on their way to the log. All entries of the event stream come by it.
type watcher struct {
	slog.Handler
	wrong func(what string)
}

// Enabled implements slog.Handler.
func (w watcher) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelError || w.Handler.Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (w watcher) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= slog.LevelError {
		w.wrong(r.Message)
		if !w.Handler.Enabled(ctx, r.Level) {
			return nil
		}
	}
	return w.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (w watcher) WithAttrs(attrs []slog.Attr) slog.Handler {
	return watcher{w.Handler.WithAttrs(attrs), w.wrong}
}

// WithGroup implements slog.Handler.
func (w watcher) WithGroup(name string) slog.Handler {
	return watcher{w.Handler.WithGroup(name), w.wrong}
}
