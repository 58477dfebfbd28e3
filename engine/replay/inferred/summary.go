package inferred

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"mqscope/engine/capture"
	"mqscope/engine/capture/infer"
)

// Summary is what an import found.
type Summary struct {
	Events   uint64
	From, To time.Time
	Read     int64          // bytes of the capture's file
	Written  int64          // bytes of the recording
	Errors   int            // answers that were errors
	Groups   []GroupSummary // by name
	Stats    capture.Stats
	Gaps     int  // places where bytes are missing
	Early    bool // it was ended before the capture was
}

// GroupSummary is one consumer group.
type GroupSummary struct {
	Name                    string
	Joined                  int // members, each time that one was new
	Queues, Pulls, Received int // popping is pulling
	Acked, SentBack         int
}

func (m *importer) summary(path string) (*Summary, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	state := m.rec.State()
	s := &Summary{Written: info.Size(), Read: m.from.n, Stats: m.c.Stats(), Early: m.early}
	s.Events, s.Gaps, s.From, s.To, s.Errors = state.Seq, state.Gaps, m.began, state.At, m.errors
	for _, g := range state.SortedGroups() {
		one := GroupSummary{Name: g.Name}
		if seen := m.seen[g.Name]; seen != nil {
			one = *seen
		}
		one.Queues, one.SentBack = len(g.Queues), g.SentBack
		for _, q := range g.Queues {
			one.Received += q.Delivered
			one.Acked += q.Acked
			for _, n := range q.Pulls {
				one.Pulls += n
			}
		}
		s.Groups = append(s.Groups, one)
	}
	return s, nil
}

// namesOf says which groups there are.
func namesOf(s *infer.State) string {
	names := slices.Sorted(maps.Keys(s.Groups))
	if len(names) == 0 {
		return "no consumer group was seen"
	}
	const shown = 10
	more := ""
	if n := len(names); n > shown {
		names, more = names[:shown], fmt.Sprintf(" and %d more", n-shown)
	}
	for i, n := range names {
		names[i] = strconv.Quote(n)
	}
	return "it has " + strings.Join(names, ", ") + more
}
