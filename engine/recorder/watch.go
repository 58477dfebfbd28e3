package recorder

import (
	"context"
	"log/slog"

	"mqscope/engine/mq"
)

// Watch returns log, for the consumer: where a black box is kept, its errors are a reason to save that.
func (r *Recorder) Watch(log *slog.Logger) *slog.Logger {
	if r.cfg.Box.Dir == "" {
		return log
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return slog.New(watcher{log.Handler(), r.wrong})
}

// watcher sees errors on their way to the log. All entries of the event stream come by it.
type watcher struct {
	slog.Handler
	wrong func(trouble)
}

// Enabled implements slog.Handler.
func (w watcher) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelError || w.Handler.Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (w watcher) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= slog.LevelError {
		w.wrong(troubleOf(r))
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

// troubleOf is an error of the log: those of one source about one queue are the same trouble.
func troubleOf(r slog.Record) trouble {
	t := trouble{cause: causeError, what: r.Message}
	where := ""
	r.Attrs(func(a slog.Attr) bool {
		switch v := a.Value.Any().(type) {
		case mq.MessageQueue:
			t.queue = v
		case string:
			switch a.Key {
			case "source":
				t.where = v
			case "where":
				where = v
			}
		}
		return true
	})
	if where != "" {
		t.where += " " + where
	}
	return t
}
