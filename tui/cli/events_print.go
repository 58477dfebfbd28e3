package cli

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"mqscope/engine/capture/infer"
	"mqscope/engine/mq"
)

// eventRow is an event of a capture or a recording.
type eventRow struct {
	number               uint64
	at                   time.Time
	kind                 string
	conn                 int
	client, group, topic string
	where                string // a server, where it is about no topic
	queue                mq.MessageQueue
}

// eventLine is an event as JSON has it.
type eventLine struct {
	Seq        uint64  `json:"seq"`
	At         string  `json:"at"`
	Since      float64 `json:"t_ms"`
	Kind       string  `json:"kind"`
	Provenance string  `json:"provenance"`
	Conn       int     `json:"connection,omitempty"`
	Client     string  `json:"client,omitempty"`
	Group      string  `json:"group,omitempty"`
	Topic      string  `json:"topic,omitempty"`
	Broker     string  `json:"broker,omitempty"`
	QueueID    *int32  `json:"queue_id,omitempty"`
	Words      string  `json:"words"`
}

// eventPrinter prints the events that are wanted.
type eventPrinter struct {
	flags      *eventFlags
	out        *bufio.Writer
	err        io.Writer
	json       *json.Encoder
	provenance string // of a recording
	start      time.Time
	seen       int // events that were looked at
	shown      int // that were wanted
}

// print prints an event that was inferred from traffic, if it is wanted.
func (p *eventPrinter) print(e *infer.Event) error {
	s := infer.About(e.Fact)
	row := eventRow{
		number: e.Seq, at: e.At, kind: infer.Kind(e.Fact), conn: e.Conn, client: s.Client, group: s.Group, topic: s.Topic, queue: s.Queue,
	}
	if !p.wanted(&row) {
		return nil
	}
	return p.line(&row, infer.Words(e.Fact))
}

// wanted tells whether the flags ask for it.
func (p *eventPrinter) wanted(e *eventRow) bool {
	f := p.flags
	if f.from.before(e.number, e.at, p.start) {
		return false
	}
	p.seen++
	switch {
	case len(f.kinds) > 0 && !slices.ContainsFunc(f.kinds, func(k string) bool { return e.kind == k || strings.HasPrefix(e.kind, k+".") }),
		f.group != "" && e.group != f.group,
		f.topic != "" && e.topic != f.topic,
		f.client != "" && !strings.Contains(e.client, f.client),
		len(f.onlyQueues) > 0 && !slices.Contains(f.onlyQueues, e.queue):
		return false
	}
	p.shown++
	return true
}

func (p *eventPrinter) line(e *eventRow, words string) error {
	since := e.at.Sub(p.start)
	if p.flags.json {
		line := eventLine{
			Seq: e.number, At: e.at.UTC().Format(time.RFC3339Nano), Since: float64(since.Microseconds()) / 1000,
			Kind: e.kind, Provenance: cmp.Or(p.provenance, infer.Provenance), Conn: e.conn, Client: e.client, Group: e.group, Topic: e.topic,
			Broker: e.queue.BrokerName, Words: words,
		}
		if e.queue != (mq.MessageQueue{}) {
			line.QueueID = &e.queue.QueueID
		}
		return p.json.Encode(&line)
	}
	about := []string{clean(e.client), clean(e.group), clean(e.topic)}
	switch {
	case e.queue != (mq.MessageQueue{}):
		about[2] = clean(e.queue.Path())
	case e.topic == "":
		about[2] = clean(e.where)
	}
	about = slices.DeleteFunc(about, func(t string) bool { return t == "" })
	what := strings.Join(append(about, ""), " ") + " " + clean(words)
	_, err := fmt.Fprintf(p.out, "%s  %-8s %12.6fs  %-16s  %s\n", e.at.In(p.start.Location()).Format("15:04:05.000"),
		"#"+strconv.FormatUint(e.number, 10), since.Seconds(), clean(e.kind), strings.TrimLeft(what, " "))
	return err
}
