package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mqscope/engine/capture"
	"mqscope/engine/capture/infer"
	"mqscope/engine/mq"
	"mqscope/tui/config"
)

// eventFlags say which events of a capture are printed, and how.
type eventFlags struct {
	configFile string
	kinds      []string
	group      string
	client     string
	topic      string
	from, to   time.Duration
	json       bool
	queues     bool
}

func eventsCommand() *cobra.Command {
	var f eventFlags
	cmd := &cobra.Command{
		Use:   "events FILE",
		Short: "Print what clients and brokers did, from a packet capture",
		Long: `Reads a packet capture (pcap or pcapng, as tcpdump and Wireshark write them, also gzipped; - is
standard input) of anybody's RocketMQ clients and prints what happened: members, subscriptions,
routes, who pulls which queue, pulls with their statuses, commits, locks, messages sent back,
resets, errors. All of it is inferred from the traffic: what was not captured is not known, and
gaps are said.

With --queues it prints, instead, each queue of each group as it was at the end, or at --to: who
pulls it, the next and the committed offset, what was delivered and not committed, the lag.`,
		Example: "  mqscope events clients.pcap --group billing --kind pull-done --kind committed\n  tcpdump -i any -w - port 10911 | mqscope events - --json",
		Args:    oneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := config.Load(cmd.Flags(), f.configFile, knownKeys(cmd.Root())); err != nil {
				return usageError{err}
			}
			if f.to > 0 && f.to < f.from {
				return usage("--to %v is before --from %v", f.to, f.from)
			}
			return f.run(cmd, args[0])
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&f.configFile, "config", "", "configuration `FILE`, instead of config.yaml in the per-user folder")
	fs.StringArrayVar(&f.kinds, "kind", nil, "only events of this `KIND`, may be repeated: "+strings.Join(infer.Kinds(), ", "))
	fs.StringVar(&f.group, "group", "", "only events of this consumer `GROUP`")
	fs.StringVar(&f.client, "client", "", "only events of clients whose id has this `TEXT` in it")
	fs.StringVar(&f.topic, "topic", "", "only events of this `TOPIC`")
	config.Duration(fs, &f.from, "from", 0, 0, 0, "only events from this time after the first packet on")
	config.Duration(fs, &f.to, "to", 0, 0, 0, "only events up to this time after the first packet; 0 is the end")
	config.Bool(fs, &f.json, "json", "an object a line")
	config.Bool(fs, &f.queues, "queues", "the queues of each group at the end, instead of events")
	return cmd
}

func oneFile(cmd *cobra.Command, args []string) error {
	switch len(args) {
	case 0:
		return usage("no file is named: write mqscope events FILE, or - for standard input")
	case 1:
		return nil
	}
	return usage("%q: one file at a time", args[1])
}

func (f *eventFlags) run(cmd *cobra.Command, name string) error {
	for _, k := range f.kinds {
		if !slices.Contains(infer.Kinds(), k) {
			return usage("--kind %q: the kinds are %s", k, strings.Join(infer.Kinds(), ", "))
		}
	}
	in := cmd.InOrStdin()
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return fmt.Errorf("open the capture: %w", err)
		}
		defer file.Close() //nolint:errcheck // it was only read
		in = file
	}
	r, err := capture.Read(in, capture.Options{})
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	out := bufio.NewWriter(cmd.OutOrStdout())
	p := &eventPrinter{flags: f, out: out, json: json.NewEncoder(out), inferer: infer.New()}
	if err = p.all(r); err == nil && f.queues {
		p.table()
	}
	if flushed := out.Flush(); err == nil || flushed != nil && errors.Is(err, errOver) {
		err = flushed
	}
	if err != nil && !errors.Is(err, errOver) {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// errOver says that nothing behind this is wanted.
var errOver = errors.New("over")

// eventPrinter prints the events of one capture.
type eventPrinter struct {
	flags   *eventFlags
	out     *bufio.Writer
	json    *json.Encoder
	inferer *infer.Inferer
	start   time.Time
	last    time.Time
}

// all reads r to its end, or to where nothing is wanted any more.
func (p *eventPrinter) all(r *capture.Reader) error {
	for {
		it, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if p.start.IsZero() {
			p.start = it.At
		}
		if p.flags.to > 0 && it.At.Sub(p.start) > p.flags.to {
			return nil
		}
		p.last = it.At
		for _, e := range p.inferer.Step(it) {
			if p.flags.queues || !p.wanted(&e) {
				continue
			}
			if err := p.print(&e); err != nil {
				return err
			}
		}
	}
}

func (p *eventPrinter) wanted(e *infer.Event) bool {
	f, s := p.flags, infer.About(e.Fact)
	switch {
	case e.At.Sub(p.start) < f.from,
		len(f.kinds) > 0 && !slices.Contains(f.kinds, infer.Kind(e.Fact)),
		f.group != "" && s.Group != f.group,
		f.topic != "" && s.Topic != f.topic,
		f.client != "" && !strings.Contains(s.Client, f.client):
		return false
	}
	return true
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

func (p *eventPrinter) print(e *infer.Event) error {
	s, since := infer.About(e.Fact), e.At.Sub(p.start)
	if p.flags.json {
		line := eventLine{
			Seq: e.Seq, At: e.At.UTC().Format(time.RFC3339Nano), Since: float64(since.Microseconds()) / 1000,
			Kind: infer.Kind(e.Fact), Provenance: infer.Provenance, Conn: e.Conn,
			Client: s.Client, Group: s.Group, Topic: s.Topic, Broker: s.Queue.BrokerName, Words: infer.Words(e.Fact),
		}
		if s.Queue != (mq.MessageQueue{}) {
			line.QueueID = &s.Queue.QueueID
		}
		return p.json.Encode(&line)
	}
	about := []string{clean(s.Client), clean(s.Group)}
	if s.Queue != (mq.MessageQueue{}) {
		about = append(about, clean(s.Queue.Path()))
	} else {
		about = append(about, clean(s.Topic))
	}
	about = slices.DeleteFunc(about, func(t string) bool { return t == "" })
	_, err := fmt.Fprintf(p.out, "%12.6fs  %-15s  %s  %s\n", since.Seconds(), infer.Kind(e.Fact), strings.Join(about, " "), clean(infer.Words(e.Fact)))
	return err
}

// table prints the queues of all groups.
func (p *eventPrinter) table() {
	state := p.inferer.State()
	rows := [][]string{{"GROUP", "QUEUE", "OWNER", "NEXT", "COMMITTED", "UNCOMMITTED", "LAG", "DELIVERED", "LOCK"}}
	for _, g := range state.SortedGroups() {
		for _, q := range g.SortedQueues() {
			if p.flags.group != "" && g.Name != p.flags.group || p.flags.topic != "" && q.Queue.Topic != p.flags.topic {
				continue
			}
			owner := "-"
			if o, ok := q.Owner(); ok {
				owner = o.Client
			}
			rows = append(rows, []string{
				clean(g.Name), clean(q.Queue.Path()), clean(owner), number(q.Next), number(q.Committed), number(q.Window),
				number(state.Lag(g.Name, q.Queue)), fmt.Sprint(q.Delivered), clean(dash(q.Lock.Client)),
			})
		}
	}
	fmt.Fprintf(p.out, "queues %.3fs after the first packet, inferred from the traffic\n", p.last.Sub(p.start).Seconds())
	columns(p.out, rows, 3, 8)
	if state.Gaps > 0 {
		fmt.Fprintf(p.out, "%s in the capture: counts may be too small\n", count(state.Gaps, "gap"))
	}
}
