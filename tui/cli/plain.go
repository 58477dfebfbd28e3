package cli

import (
	"fmt"
	"io"
	"strings"

	"mqscope/engine/event"
	"mqscope/engine/snapshot"
)

// plainLines turns snapshots into lines for people and pipes.
type plainLines struct {
	w       io.Writer
	seen    uint64 // number of the last event printed
	state   string
	members string
	queues  map[snapshot.MessageQueue]string

	last    *snapshot.Snapshot // given to changes
	running *snapshot.Snapshot // the newest before the source began to end
}

func newPlainLines(w io.Writer) *plainLines {
	return &plainLines{w: w, queues: map[snapshot.MessageQueue]string{}}
}

// changes prints what differs from the snapshot before: source, members, queues, events.
func (p *plainLines) changes(s *snapshot.Snapshot) {
	if s.Seq == 0 {
		return
	}
	p.last = s
	if s.Source.State < snapshot.Stopping {
		p.running = s
	}
	if state := s.Source.State.String() + suffix(": ", s.Source.Err); state != p.state {
		p.state = state
		p.line(s, "source", s.Source.Kind.String()+" "+s.Source.Name+" "+state)
	}
	p.memberChanges(s)
	for i := range s.Queues {
		q := &s.Queues[i]
		if text := queueState(q); text != p.queues[q.ID] {
			p.queues[q.ID] = text
			p.line(s, "queue", q.ID.Path()+" "+text)
		}
	}
	p.events(s, snapshot.Info)
}

// events prints the new events from a level on.
func (p *plainLines) events(s *snapshot.Snapshot, from event.Level) {
	for _, e := range s.Events.Entries {
		if e.Seq > p.seen && e.Level >= from {
			p.event(e)
		}
		p.seen = max(p.seen, e.Seq)
	}
}

func (p *plainLines) memberChanges(s *snapshot.Snapshot) {
	if !s.MembersKnown.OK() {
		return
	}
	var ids []string
	for _, m := range s.Members {
		ids = append(ids, m.ID)
	}
	if text := strings.Join(ids, " "); text != p.members {
		p.members = text
		p.line(s, "members", fmt.Sprintf("%d: %s", len(ids), text))
	}
}

// queueState is what a queue's line tells: it changes when the queue's owner, state or worst
// fact does, not with every offset.
func queueState(q *snapshot.Queue) string {
	if q.State == snapshot.NotOwned {
		switch {
		case q.Unread:
			return "owned by " + q.Owner.V + suffix(", ", q.Note)
		case q.Owner.OK():
			return "owned by " + q.Owner.V
		}
		return "owner unknown"
	}
	text := q.State.String()
	switch {
	case q.Mine:
		text = "ours, " + text
	case q.Owner.OK(): // seen from outside
		text = q.Owner.V + ", " + text
	}
	if q.Flow.Cause != "" {
		text += ", " + string(q.Flow.Cause)
	}
	return text + suffix(", ", q.LastError)
}

func (p *plainLines) event(e snapshot.Entry) {
	where := e.Where
	if e.Queue != (snapshot.MessageQueue{}) {
		where = e.Queue.Path()
	}
	text := strings.TrimSpace(where + " " + e.What)
	if e.Count > 1 {
		text += fmt.Sprintf(" (x%d)", e.Count)
	}
	fmt.Fprintf(p.w, "%s %-9s %s\n", e.At.Format("15:04:05.000"), e.Source, clean(text))
}

func (p *plainLines) line(s *snapshot.Snapshot, what, text string) {
	fmt.Fprintf(p.w, "%s %-9s %s\n", s.At.Format("15:04:05.000"), what, clean(text))
}

func suffix(sep, text string) string {
	if text == "" {
		return ""
	}
	return sep + text
}
