package cli

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"mqscope/engine/snapshot"
)

// table prints every queue, one a row, as it was when the source gave it up; where that is not
// told, as it was before the source began to end.
func (p *plainLines) table() {
	s := p.last
	if s == nil || !owns(s) {
		s = p.running
	}
	if s == nil {
		return
	}
	rows := [][]string{{"QUEUE", "OWNER", "STATE", "MIN", "COMMITTED", "NEXT", "MAX", "LAG", "CACHED", "IN/s", "OUT/s", "FLOW", "PUT-BACKS", "FOUND"}}
	for i := range s.Queues {
		q := &s.Queues[i]
		rows = append(rows, []string{
			clean(q.ID.Path()), clean(word(q.Owner)), q.State.String(),
			number(q.Min), number(q.Committed), number(q.Next), number(q.Max), number(q.Lag),
			number(q.Count), rate(q.InRate), rate(q.OutRate), dash(string(q.Flow.Cause)),
			strconv.FormatUint(q.Flow.PutBacks, 10), strconv.FormatUint(q.Found, 10),
		})
	}
	when := ", before leaving"
	if s.Replay.Known {
		when = ""
	}
	fmt.Fprintf(p.w, "\nall queues at %s%s\n", s.At.Format("15:04:05.000"), when)
	writeColumns(p, rows)
	c := &p.last.Counters
	fmt.Fprintf(p.w, "\n%d queues, %d pulls (%d failed), %d messages received, %d consumed, %d sent back, %d commits\n",
		len(s.Queues), c.Pulls, c.PullsFailed, c.Received, c.Consumed, c.SentBack, c.Commits)
}

func writeColumns(p *plainLines, rows [][]string) { columns(p.w, rows, 3, 11) }

// columns prints rows under each other, text on the left: the first columns and one more.
func columns(w io.Writer, rows [][]string, first, further int) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], ansi.StringWidth(cell))
		}
	}
	for _, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-ansi.StringWidth(cell))
			if i < first || i == further {
				b.WriteString(cell + pad + "  ")
			} else {
				b.WriteString(pad + cell + "  ")
			}
		}
		fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	}
}

func number[T int | int64](v snapshot.Val[T]) string {
	switch v.State {
	case snapshot.Known:
		return strconv.FormatInt(int64(v.V), 10)
	case snapshot.Stale:
		return "~" + strconv.FormatInt(int64(v.V), 10)
	case snapshot.NotApplicable:
		return "n/a"
	}
	return "?"
}

func rate(v snapshot.Val[float64]) string {
	if !v.OK() {
		return "?"
	}
	return strconv.FormatFloat(v.V, 'f', 1, 64)
}

func word(v snapshot.Val[string]) string {
	if !v.OK() {
		return "?"
	}
	return v.V
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func owns(s *snapshot.Snapshot) bool {
	return slices.ContainsFunc(s.Queues, func(q snapshot.Queue) bool { return q.Mine && q.State != snapshot.NotOwned })
}
