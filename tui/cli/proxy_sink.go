package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"mqscope/engine/capture/infer"
	"mqscope/engine/recording"
	"mqscope/engine/replay/inferred"
)

// proxySink takes what a proxy concludes: into a recording, into lines, and into a picture for
// the end. It runs on the goroutine that watches, so that it may wait for a terminal.
type proxySink struct {
	rec     *inferred.Recorder
	state   *infer.State
	joined  map[string]int // members by group
	printer *eventPrinter
	end     context.CancelCauseFunc // ends all when nobody reads the lines
	err     error
}

func (s *proxySink) recordTo(w *recording.Writer) {
	s.rec = inferred.NewRecorder(w, inferred.RecorderOptions{Scrub: scrub})
}

func (s *proxySink) printTo(w io.Writer, asJSON bool, end context.CancelCauseFunc) {
	out := bufio.NewWriter(w)
	s.printer = &eventPrinter{flags: &eventFlags{json: asJSON}, out: out, json: json.NewEncoder(jsonText{out})}
	s.end = end
}

// Add implements proxy.Sink.
func (s *proxySink) Add(e infer.Event) {
	if s.rec != nil {
		s.rec.Add(e)
	} else {
		if s.state == nil {
			s.state = infer.NewState()
		}
		s.state.Step(e)
	}
	if m, ok := e.Fact.(infer.MemberSeen); ok && m.New && s.picture().Groups[m.Group] != nil {
		if s.joined == nil {
			s.joined = make(map[string]int)
		}
		s.joined[m.Group]++
	}
	if s.printer == nil || s.err != nil {
		return
	}
	if s.err = s.print(&e); s.err != nil {
		s.end(s.err)
	}
}

func (s *proxySink) print(e *infer.Event) error {
	if s.printer.start.IsZero() {
		s.printer.start = e.At
	}
	if err := s.printer.print(e); err != nil {
		return err
	}
	return s.printer.out.Flush()
}

// picture is what was seen so far, nil for nothing.
func (s *proxySink) picture() *infer.State {
	if s.rec != nil {
		return s.rec.State()
	}
	return s.state
}

// groups prints what there was of consumer groups.
func (s *proxySink) groups(out io.Writer) {
	state := s.picture()
	if state == nil || len(state.Groups) == 0 {
		fmt.Fprintln(out, "no consumer group was seen")
		return
	}
	rows := [][]string{{"GROUP", "JOINED", "QUEUES", "MESSAGES", "SENT BACK"}}
	for _, g := range state.SortedGroups() {
		messages := 0
		for _, q := range g.Queues {
			messages += q.Delivered
		}
		rows = append(rows, []string{clean(g.Name), fmt.Sprint(s.joined[g.Name]), fmt.Sprint(len(g.Queues)), fmt.Sprint(messages), fmt.Sprint(g.SentBack)})
	}
	columns(out, rows, 1, -1)
}
