package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mqscope/engine/capture/infer"
	"mqscope/engine/mq"
	"mqscope/tui/config"
)

// eventFlags say which events of a capture or recording are printed, and how.
type eventFlags struct {
	configFile string
	kinds      []string
	group      string
	client     string
	topic      string
	only       []string // queues as they were given
	onlyQueues []mq.MessageQueue
	fromText   string
	toText     string
	from, to   place
	json       bool
	queues     bool
}

func eventsCommand() *cobra.Command {
	var f eventFlags
	cmd := &cobra.Command{
		Use:   "events FILE",
		Short: "Print what clients and brokers did, from a recording or a packet capture",
		Long: `Reads a recording (.mqrec) or a packet capture (pcap or pcapng, as tcpdump and Wireshark write
them, also gzipped; - is standard input) of anybody's RocketMQ clients and prints what happened:
members, subscriptions, routes, who pulls which queue, pulls with their statuses, commits, locks,
messages sent back, resets, errors. Of captures all of it is inferred from the traffic: what was
not captured is not known, and gaps are said.

With --queues it prints, instead, each queue of each group (of a recording, of one group) as it
was at the end, or at --to: who pulls it, the next and the committed offset, what was delivered
and not committed, the lag.

  --from, --to  5s after the first event, #18244, 12:03:41.220 or 2026-01-31T12:03:41Z`,
		Example: "  mqscope events clients.mqrec --group billing --kind pull-done --from 12:03:41 --to '#18244'\n  tcpdump -i any -w - port 10911 | mqscope events - --json",
		Args:    oneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			_, err := config.Load(cmd.Flags(), f.configFile, knownKeys(cmd.Root()))
			if err != nil {
				return usageError{err}
			}
			if f.onlyQueues, err = parseQueues("--queue", f.only); err != nil {
				return err
			}
			for i, k := range f.kinds {
				f.kinds[i] = strings.TrimSuffix(k, ".*") // as a shell would have it
			}
			f.from, _ = parsePlace(f.fromText) // they were checked when they were set
			f.to, _ = parsePlace(f.toText)
			if err := checkSpan(f.from, f.to); err != nil {
				return err
			}
			return f.run(cmd, args[0])
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&f.configFile, "config", "", "configuration `FILE`, instead of config.yaml in the per-user folder")
	fs.StringArrayVar(&f.kinds, "kind", nil, "only events of this `KIND`, may be repeated; message is what a recorded consumer of ours was given, other kinds of one are, or begin with, "+strings.Join(ourKinds(), ", ")+"; of what was seen on the wire: "+strings.Join(infer.Kinds(), ", "))
	fs.StringVar(&f.group, "group", "", "only events of this consumer `GROUP`")
	fs.StringVar(&f.client, "client", "", "only events of clients whose id has this `TEXT` in it")
	fs.StringVar(&f.topic, "topic", "", "only events of this `TOPIC`")
	config.List(fs, &f.only, "queue", "", "TOPIC/BROKER/ID", "only events of this queue; may be repeated", checkQueueFlag)
	config.Checked(fs, &f.fromText, "from", "", "", "PLACE", "only events from this one, or this time, on", checkPlace)
	config.Checked(fs, &f.toText, "to", "", "", "PLACE", "only events up to this one, or this time", checkPlace)
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
	in, file, err := openInput(cmd.Context(), name, cmd.InOrStdin())
	if err != nil {
		return err
	}
	ours := false
	if file != nil {
		defer file.Close() //nolint:errcheck // it was only read
		if ours, err = isRecording(file); err != nil {
			return unread(err)
		}
	}
	out := bufio.NewWriter(cmd.OutOrStdout())
	p := &eventPrinter{flags: f, out: out, err: cmd.ErrOrStderr(), json: json.NewEncoder(jsonText{out})}
	if ours {
		err = f.recording(name, p)
	} else if err = f.checkKinds(); err == nil {
		err = f.capture(name, in, p)
	}
	if flushed := out.Flush(); err == nil {
		err = flushed
	}
	switch {
	case err != nil || p.shown > 0:
	case p.seen > 0:
		fmt.Fprintf(p.err, "mqscope: %s: none of %s is what the flags ask for\n", clean(name), count(p.seen, "event"))
	case f.from.set() && !f.queues:
		fmt.Fprintf(p.err, "mqscope: %s: there is no event from %s on\n", clean(name), clean(f.from.text))
	}
	return err
}

// checkKinds knows those of what was seen on the wire.
func (f *eventFlags) checkKinds() error {
	for _, k := range f.kinds {
		if !slices.Contains(infer.Kinds(), k) {
			return usage("--kind %q: the kinds are %s", k, strings.Join(infer.Kinds(), ", "))
		}
	}
	return nil
}

// ourKinds are the kinds of events of our own consumers, of most only what is before a dot.
func ourKinds() []string {
	return []string{
		"asked", "assignment", "broker", "clock", "event", "flow", "group", "hand", "leave", "lock", "member", "members", "offset",
		"pop", "pull", "rebalance", "revoke", "route", "source", "told",
	}
}

// checkOurKinds knows those of our own consumers.
func (f *eventFlags) checkOurKinds() error {
	for _, k := range f.kinds {
		if begin, _, _ := strings.Cut(k, "."); !slices.Contains(ourKinds(), begin) {
			return usage("--kind %q: in a recording of one of our consumers the kinds are, or begin with, %s, as in pull or pull.found", k, strings.Join(ourKinds(), ", "))
		}
	}
	return nil
}
