package replay

import (
	"context"
	"log/slog"
)

// logOpened says which recording is played, and what is wrong with it.
func (p *Player) logOpened() {
	i := &p.info
	p.log.LogAttrs(context.Background(), slog.LevelInfo, "a recording is played",
		slog.String("file", p.file), slog.String("source", i.Header.Source), slog.String("program", i.Header.Program),
		slog.String("group", i.Header.Group), slog.Uint64("events", i.Total), slog.Time("from", i.From), slog.Time("to", i.To))
	if i.Damage != "" {
		p.log.LogAttrs(context.Background(), slog.LevelWarn, "the recording is damaged", slog.String("err", i.Damage))
	}
}

// logDeparted says once where the code does not do what was recorded.
func (p *Player) logDeparted(why string) {
	if why != "" && !p.departed {
		p.departed = true
		p.log.LogAttrs(context.Background(), slog.LevelWarn, "what follows is not what was recorded", slog.String("err", why))
	}
}
