package engine

import (
	"log/slog"

	"mqscope/engine/consumer"
	"mqscope/engine/event"
	"mqscope/engine/recording"
	"mqscope/engine/snapshot"
)

// StartRecording records to a file from the beginning; it is called before Run. It fails where the
// file can not be made, with an *ExistsError where there is one already.
func (l *Live) StartRecording(c Record) error { return l.recorder.record(c) }

// Recorded is what became of the last recording to a file, for whoever waited for Run.
func (l *Live) Recorded() snapshot.Recorder {
	s := snapshot.Snapshot{}
	l.recorder.show(&s)
	return s.Recorder
}

// Tell adds a line of the program around the consumer to the event stream.
func (l *Live) Tell(what string) {
	l.push.Note(event.Entry{Level: event.Warn, Source: "engine", What: what})
}

// watched is the log of a consumer whose black box is saved when something goes wrong.
func (l *Live) watched(log *slog.Logger) *slog.Logger {
	if l.cfg.Recording.Box.Dir == "" {
		return log
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return slog.New(watcher{log.Handler(), func(t trouble) { l.recorder.wrong(t) }})
}

// header is what recordings of l say of themselves.
func (l *Live) header() recording.Header {
	c, rec := &l.cfg.Consumer, &l.cfg.Recording
	bodies := rec.Keep.Bodies.String()
	if rec.NoMessages {
		bodies = "no messages"
	}
	strategy := "AVG"
	if c.Strategy != nil {
		strategy = c.Strategy.Name()
	}
	return recording.Header{
		Program: rec.Program, Created: l.cfg.Clock.Now(), Source: "engine", Cluster: l.cfg.Name, Group: c.Group, First: 1,
		Bodies: bodies, Secrets: rec.Keep.Words(),
		Meta: map[string]string{
			"messages": rec.Rate.Words(), "types": consumer.Types(), "setup": string(l.push.Setup()),
			"client": c.ClientID, "strategy": strategy, "model": c.Model.String(),
		},
	}
}
