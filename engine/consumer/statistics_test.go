package consumer

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/processqueue"
	"mqscope/engine/protocol"
)

// feed counts this and then samples, n times.
func feed(s *statistics, at *time.Time, n int, fn func(t *topicStats)) {
	for range n {
		if fn != nil {
			fn(s.of("T"))
		}
		*at = at.Add(statsEvery)
		s.sample(*at)
	}
}

func TestFiguresOfATopic(t *testing.T) {
	busy := func(t *topicStats) { // in ten seconds
		t.pull(30*time.Millisecond, 32)
		t.pull(10*time.Millisecond, 8)
		t.consumed(processqueue.Tally{Calls: 40, Busy: 100 * time.Millisecond, OK: 30, Failed: 10})
	}
	for _, c := range []struct {
		name string
		run  func(s *statistics, at *time.Time)
		want protocol.ConsumeStatus
	}{
		{"nothing was counted", func(s *statistics, at *time.Time) { feed(s, at, 3, nil) }, protocol.ConsumeStatus{}},
		{"what was counted shows with the next sample", func(s *statistics, at *time.Time) { busy(s.of("T")) }, protocol.ConsumeStatus{}},
		{"the first sample stands behind ten seconds of nothing", func(s *statistics, at *time.Time) { feed(s, at, 1, busy) },
			protocol.ConsumeStatus{PullRT: 20, PullTPS: 4, ConsumeRT: 2.5, ConsumeOKTPS: 3, ConsumeFailedTPS: 1, ConsumeFailedMsgs: 10}},
		{"a steady load has steady figures", func(s *statistics, at *time.Time) { feed(s, at, 30, busy) },
			protocol.ConsumeStatus{PullRT: 20, PullTPS: 4, ConsumeRT: 2.5, ConsumeOKTPS: 3, ConsumeFailedTPS: 1, ConsumeFailedMsgs: 300}},
		{"a minute after the load ended only the hour knows of it", func(s *statistics, at *time.Time) { feed(s, at, 5, busy); feed(s, at, 6, nil) },
			protocol.ConsumeStatus{ConsumeRT: 2.5, ConsumeFailedMsgs: 50}},
		{"within the minute it fades", func(s *statistics, at *time.Time) { feed(s, at, 6, busy); feed(s, at, 3, nil) },
			protocol.ConsumeStatus{PullRT: 20, PullTPS: 2, ConsumeRT: 2.5, ConsumeOKTPS: 1.5, ConsumeFailedTPS: 0.5, ConsumeFailedMsgs: 60}},
		{"after an hour and ten minutes the hour has forgotten too", func(s *statistics, at *time.Time) { feed(s, at, 5, busy); feed(s, at, 7*statsHourly, nil) },
			protocol.ConsumeStatus{}},
		{"after fifty minutes it has not", func(s *statistics, at *time.Time) { feed(s, at, 5, busy); feed(s, at, 5*statsHourly, nil) },
			protocol.ConsumeStatus{ConsumeRT: 2.5, ConsumeFailedMsgs: 50}},
		{"pulls whose messages nobody wants have a time but no rate", func(s *statistics, at *time.Time) {
			feed(s, at, 2, func(t *topicStats) { t.pull(30*time.Millisecond, 0) })
		}, protocol.ConsumeStatus{PullRT: 30}},
	} {
		s, at := &statistics{}, time.Unix(1000, 0)
		c.run(s, &at)
		if d := cmp.Diff(c.want, s.status("T")); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
		if d := cmp.Diff(protocol.ConsumeStatus{}, s.status("other")); d != "" {
			t.Errorf("%s: another topic: %s", c.name, d)
		}
	}
}

func TestStatisticsKeepABoundedNumberOfSamples(t *testing.T) {
	s, at := &statistics{}, time.Unix(1000, 0)
	feed(s, &at, 10000, func(t *topicStats) { t.pull(time.Millisecond, 1) })
	for _, i := range s.of("T").items() {
		if len(i.minute) > statsKept || len(i.hour) > statsKept {
			t.Errorf("%d and %d samples are kept, want at most %d", len(i.minute), len(i.hour), statsKept)
		}
	}
}
