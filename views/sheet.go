package views

import (
	"math"
	"time"

	"mqscope/engine/snapshot"
)

// Exporter is a view with a table that a person may take along.
type Exporter interface {
	// Sheet is the table on show: all of its rows, not only those on screen, with the filter and
	// in the order in force. ok is false where there is none, as in a pane without a table.
	Sheet(In) (s Sheet, ok bool)
}

// Sheet is a table for other programs: exact, and as it was told. Its texts are not safe to
// draw; package views/export writes them.
type Sheet struct {
	Name string    // of the file that it goes to, such as queues
	At   time.Time // of the snapshot
	Cols []string  // names as in the JSON of a snapshot
	Rows [][]Cell  // one cell a column
}

// Cell is one value: a string, bool, integer, float64, time.Time, or nil where there is none.
type Cell struct {
	V   any
	Why string        // why it is not known; empty when it is, or has no meaning
	Old time.Duration // how long ago it was read, 0 while that is fresh
}

// NewSheet is a table without rows.
func NewSheet(name string, at time.Time, cols ...string) Sheet {
	return Sheet{Name: name, At: at, Cols: cols}
}

// Add appends a row.
func (s *Sheet) Add(cells ...Cell) { s.Rows = append(s.Rows, cells) }

// Is is a value that is known.
func Is(v any) Cell { return Cell{V: v} }

// Cause is text that is nothing when empty.
func Cause(s string) Cell {
	if s == "" {
		return Cell{}
	}
	return Cell{V: s}
}

// When is a moment; the zero time is none.
func When(t time.Time) Cell {
	if t.IsZero() {
		return Cell{}
	}
	return Cell{V: t}
}

// Millis is a length of time in ms.
func Millis(d time.Duration) Cell { return Cell{V: float64(d.Microseconds()) / 1000} }

// Reading is a value with its trust, as of now.
func Reading[T any](v snapshot.Val[T], now time.Time) Cell {
	switch v.State {
	case snapshot.Unknown:
		return Cell{Why: orUnknown(v.Reason)}
	case snapshot.NotApplicable:
		return Cell{}
	}
	c := Cell{V: v.V}
	if f, ok := any(v.V).(float64); ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
		return Cell{Why: "no data"}
	}
	if t, ok := any(v.V).(time.Time); ok {
		c = When(t)
	}
	if v.State == snapshot.Stale {
		c.Old = max(now.Sub(v.At), time.Millisecond)
	}
	return c
}

func orUnknown(reason string) string {
	if reason == "" {
		return "unknown"
	}
	return reason
}

// Quantile is a quantile of l in ms; below 20 samples there is none.
func Quantile(l snapshot.Latency, d time.Duration) Cell {
	if !l.Enough {
		return Cell{Why: "fewer than 20 samples"}
	}
	return Millis(d)
}

// QueueCells are the cells topic, broker and queue_id; of no queue they are empty.
func QueueCells(q snapshot.MessageQueue) []Cell {
	if q == (snapshot.MessageQueue{}) {
		return []Cell{{}, {}, {}}
	}
	return []Cell{Is(q.Topic), Is(q.BrokerName), Is(q.QueueID)}
}

// EventSheet is a table of events.
func EventSheet(name string, at time.Time, events []*snapshot.Entry) Sheet {
	s := NewSheet(name, at, "seq", "at", "level", "source", "topic", "broker", "queue_id", "where", "what", "count")
	for _, e := range events {
		row := append([]Cell{Is(e.Seq), When(e.At), Is(e.Level.String()), Is(e.Source)}, QueueCells(e.Queue)...)
		s.Add(append(row, Cause(e.Where), Is(e.What), Is(e.Count))...)
	}
	return s
}

// Invisible tells whether a character must not reach a file as it is, since whoever looks at
// that would not see it: controls, marks that change direction, what has no meaning.
func Invisible(r rune) bool { return r < 0x20 || r == 0x7f || invisible(r) }
