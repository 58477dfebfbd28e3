package tui

import (
	"testing"
	"time"

	"mqscope/engine/snapshot"
	"mqscope/views/viewtest"
)

func TestWhatIsNotDoneIsToldOnEveryScreen(t *testing.T) {
	seq := uint64(1)
	with := func(entries ...snapshot.Entry) snapshotMsg {
		seq++
		return snapshotMsg{changed(inDemo(viewtest.Normal()), func(s *snapshotT) { s.Seq, s.Events.Entries = s.Seq+seq, entries })}
	}
	refusal := snapshot.Entry{Seq: 7, Level: snapshot.Warn, Source: "engine", What: "not done: there is no black box \x1b[2J", Count: 1}
	s := newScreen(t, inDemo(viewtest.Normal()), 120, 36)
	s.send(with(refusal))
	s.wait(time.Second)
	s.has("Not done: there is no black box ␛[2J")
	s.wait(time.Hour)
	s.hasNot("Not done")
	s.send(with(refusal, snapshot.Entry{Seq: 8, Level: snapshot.Info, Source: "engine", What: "something else"}))
	s.wait(time.Second)
	s.hasNot("Not done")
	again := refusal
	again.Count = 2
	s.send(with(again))
	s.wait(time.Second)
	s.has("Not done")
}
