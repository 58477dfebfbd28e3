package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mqscope/engine/lifecycle"
	"mqscope/engine/proxy"
	"mqscope/engine/recording"
	"mqscope/engine/replay"
	"mqscope/engine/replay/inferred"
	"mqscope/tui/config"
)

// proxyFlags say between whom a proxy stands, and what becomes of what it sees.
type proxyFlags struct {
	configFile string
	namesrv    string
	listen     string
	brokerPort int
	advertise  string
	output     string
	force      bool
	print      bool
	json       bool
	remote     bool
}

func proxyCommand(p Process) *cobra.Command {
	var f proxyFlags
	cmd := &cobra.Command{
		Use:   "proxy -n HOST:PORT",
		Short: "Stand between anybody's clients and their cluster, and record what they do",
		Long: `Point a client at --listen as its name server. It is told addresses of this proxy instead of those
of brokers, so that all it says to them comes through here; every other byte is passed on as it is.
What is seen becomes a recording for mqscope replay, events and diff, with -o, or lines, with
--print. All of it is inferred from the traffic. Bodies of messages, signatures and access keys are
not kept. A client that is faster than can be looked at is never held up: the recording has a
marked gap instead.

Clients under TLS are passed on unread, and go to their brokers past the proxy. Brokers see the
proxy's address as that of the client. Messages are looked up by an offset id at the broker itself.
Everybody who reaches the address reaches the cluster: other than loopback addresses need
--allow-remote.`,
		Example: "  mqscope proxy -n 10.0.0.12:9876 --listen 127.0.0.1:9876 -o billing.mqrec\n  mqscope proxy -n 10.0.0.12:9876 --listen 127.0.0.1:7876 --print",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, err := config.Load(cmd.Flags(), f.configFile, knownKeys(cmd.Root())); err != nil {
				return usageError{err}
			}
			if err := f.check(); err != nil {
				return err
			}
			return f.run(cmd.Context(), cmd.OutOrStdout(), p.Err)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&f.configFile, "config", "", "configuration `FILE`, instead of config.yaml in the per-user folder")
	namesrvFlag(fs, &f.namesrv)
	config.Checked(fs, &f.listen, "listen", "", "127.0.0.1:9876", "HOST:PORT", "where clients find their name server; brokers are on the same host", checkListen)
	config.Int(fs, &f.brokerPort, "broker-port", "", 0, 0, 65535, "first port to listen for brokers at, and upwards; 0 takes free ones")
	config.Checked(fs, &f.advertise, "advertise", "", "", "HOST", "host that clients are told to find brokers at; default the one they came to", checkAdvertise)
	fs.StringVarP(&f.output, "output", "o", "", "`RECORDING` to write (.mqrec), for its owner only")
	config.Bool(fs, &f.force, "force", "replace a recording that is there already")
	config.Bool(fs, &f.print, "print", "print events as they happen, as mqscope events does")
	config.Bool(fs, &f.json, "json", "with --print, an object a line")
	config.Bool(fs, &f.remote, "allow-remote", "listen on an address that others can reach")
	return cmd
}

func checkAdvertise(s string) error {
	if strings.ContainsAny(s, "[]/@\"\\ \t") || strings.Count(s, ":") == 1 {
		return errors.New("a host name or an IP address is allowed, without a port")
	}
	return nil
}

func (f *proxyFlags) check() error {
	host, _, err := net.SplitHostPort(f.listen)
	switch ip := net.ParseIP(host); {
	case f.namesrv == "":
		return usage("--namesrv is missing: give -n HOST:PORT of the cluster's name server")
	case err != nil:
		return usage("--listen %q: %v", f.listen, err)
	case !f.remote && host != "localhost" && (ip == nil || !ip.IsLoopback()):
		return usage("--listen %q: everybody who reaches this address reaches the cluster through it: give --allow-remote to listen there", f.listen)
	case f.force && f.output == "":
		return usage("--force replaces a recording: name it with -o")
	case f.json && !f.print:
		return usage("--json is how --print prints: give both")
	}
	for _, s := range nameServers(f.namesrv) {
		if s == f.listen {
			return usage("--listen %q is the name server itself: give another port, as in --listen 127.0.0.1:7876", f.listen)
		}
	}
	return nil
}

// run serves until ctx ends. What is told goes to standard output, and beside printed events to
// that of errors.
func (f *proxyFlags) run(ctx context.Context, out, errs io.Writer) error {
	told := make(chan string, 64)
	tell := func(format string, a ...any) {
		select {
		case told <- time.Now().Format("15:04:05 ") + fmt.Sprintf(format, a...):
		default: // nobody takes lines; clients must not wait for that
		}
	}
	sink := &proxySink{}
	p, err := proxy.New(proxy.Config{
		NameServers: nameServers(f.namesrv), Listen: f.listen, Advertise: f.advertise, FirstPort: f.brokerPort, Sink: sink,
		OnNotice: func(n proxy.Notice) { tell("%s: %s", n.Kind, clean(n.Text)) },
	})
	if err != nil {
		return usageError{err}
	}
	if err := p.Listen(ctx); err != nil {
		return fmt.Errorf("%w: give another one with --listen", err)
	}
	lines := out
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	if f.print {
		lines = errs
		sink.printTo(out, f.json, end)
	}
	w, err := f.record(sink, tell)
	if err != nil {
		return err
	}
	group, _ := lifecycle.NewGroup(context.WithoutCancel(ctx))
	if w != nil {
		group.Go("recording", w.Run)
	}
	group.Go("proxy", func(context.Context) error {
		defer end(nil)
		err := p.Run(ctx)
		if w != nil {
			err = errors.Join(err, w.Close(context.WithoutCancel(ctx)))
		}
		return err
	})
	group.Go("lines", func(context.Context) error { return f.follow(ctx, lines, p, told) })
	err = errors.Join(group.Wait(), sink.err)
	last := bufio.NewWriter(lines)
	f.summary(last, p.Stats(), sink)
	return errors.Join(err, last.Flush())
}

// record makes the recording, if there is to be one.
func (f *proxyFlags) record(sink *proxySink, tell func(string, ...any)) (*recording.Writer, error) {
	if f.output == "" {
		return nil, nil
	}
	h := inferred.Header(recording.Header{
		Program: "mqscope " + version(), Created: time.Now(), Source: replay.SourceProxy, Cluster: f.namesrv,
		Secrets: "none: they are taken out of what is seen",
	})
	w, err := recording.Create(f.output, h, recording.Options{
		Replace: f.force, QueueBytes: 64 << 20,
		Ended: func(err error) { tell("THE RECORDING HAS ENDED, clients go on: %s", clean(err.Error())) },
	})
	if errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("%s is there already: give another name with -o, or replace it with --force", f.output)
	}
	if err != nil {
		return nil, cmp.Or(unwritten(f.output, err), err)
	}
	sink.recordTo(w)
	return w, nil
}

// linesEvery is how often a line says how much is going on.
const linesEvery = 10 * time.Second

// follow prints what is told, and now and then how much goes through, until ctx ends.
func (f *proxyFlags) follow(ctx context.Context, out io.Writer, p *proxy.Proxy, told <-chan string) error {
	if _, err := fmt.Fprintf(out, "clients find their name server at %s, in the place of %s; ctrl+c ends it\n", p.Addr(), f.namesrv); err != nil {
		return err
	}
	tick := time.NewTicker(linesEvery)
	defer tick.Stop()
	before := p.Stats()
	for {
		var line string
		select {
		case line = <-told:
		case <-tick.C:
			now := p.Stats()
			line, before = time.Now().Format("15:04:05 ")+rates(before, now), now
		case <-ctx.Done():
			return nil
		}
		if _, err := fmt.Fprintln(out, line); err != nil {
			return err
		}
	}
}

// rates says what happened between two looks.
func rates(before, now proxy.Stats) string {
	const each = int64(linesEvery / time.Second)
	line := fmt.Sprintf("%s open, %d requests/s, %s/s up, %s/s down, %s", count(int(now.Open), "connection"),
		(now.FromClients.Frames-before.FromClients.Frames)/each, sizeWords((now.FromClients.Bytes-before.FromClients.Bytes)/each),
		sizeWords((now.FromServers.Bytes-before.FromServers.Bytes)/each), count(int(now.Events), "event"))
	if n := now.Unseen - before.Unseen; n > 0 {
		line += ", " + sizeWords(n) + " not looked at"
	}
	return line
}

// summary says at the end what was seen.
func (f *proxyFlags) summary(out io.Writer, s proxy.Stats, sink *proxySink) {
	fmt.Fprintf(out, "%s, %s up in %d frames, %s down in %d, %s\n", count(int(s.Conns), "connection"), sizeWords(s.FromClients.Bytes), s.FromClients.Frames,
		sizeWords(s.FromServers.Bytes), s.FromServers.Frames, count(int(s.Events), "event"))
	sink.groups(out)
	if s.Refused > 0 {
		fmt.Fprintf(out, "%s whose server could not be reached\n", count(int(s.Refused), "connection"))
	}
	if s.Unseen > 0 {
		fmt.Fprintf(out, "%s were passed on without being looked at: each place is marked (--kind noted), counts may be too small\n", sizeWords(s.Unseen))
	}
	if f.output != "" {
		fmt.Fprintf(out, "written to %s\n", clean(f.output))
	}
}
