package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"mqscope/engine"
	"mqscope/engine/clock"
	"mqscope/engine/mq"
	"mqscope/tui/config"
)

// produceFlags say what is sent.
type produceFlags struct {
	configFile string
	namesrv    string
	topic      string
	tag        string
	rate       int
	count      int
	size       int

	empty int // lines left out, since a message has at least one byte
}

// maxBody is the largest message that a broker takes by default: 4 MiB.
const maxBody = 4 << 20

func produceCommand(p Process) *cobra.Command {
	var f produceFlags
	cmd := &cobra.Command{
		Use:   "produce -n HOST:PORT -t TOPIC",
		Short: "Send messages: lines of standard input, or made-up ones",
		Long: `Sends each line of standard input as one message; empty lines are left out. With --rate or --count, sends made-up
messages of --size bytes with keys and tags instead.`,
		Example: "  printf 'one\\ntwo\\n' | mqscope produce -n 127.0.0.1:9876 -t orders\n  mqscope produce -n 127.0.0.1:9876 -t orders --rate 100 --count 1000 --size 256",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, err := config.Load(cmd.Flags(), f.configFile, knownKeys(cmd.Root())); err != nil {
				return usageError{err}
			}
			return f.run(cmd.Context(), p)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&f.configFile, "config", "", "configuration `FILE`, instead of config.yaml in the per-user folder")
	namesrvFlag(fs, &f.namesrv)
	config.Checked(fs, &f.topic, "topic", "t", "", "TOPIC", "topic to send to", mq.ValidateTopic)
	config.Checked(fs, &f.tag, "tag", "", "", "TAG", "tag of every message; made-up messages have TagA, TagB, TagC in turn without it", checkTag)
	config.Int(fs, &f.rate, "rate", "", 0, 0, 1_000_000, "made-up messages a second; 0 as fast as they are taken")
	config.Int(fs, &f.count, "count", "", 0, 0, 1<<30, "made-up messages in all; 0 with --rate goes on until ended")
	config.Int(fs, &f.size, "size", "", 128, 1, maxBody, "bytes of a made-up body")
	return cmd
}

func checkTag(s string) error {
	for _, r := range s {
		if r < ' ' || r == '|' {
			return fmt.Errorf("a tag without control characters and | is allowed")
		}
	}
	return nil
}

func (f *produceFlags) run(ctx context.Context, p Process) error {
	switch {
	case f.namesrv == "":
		return usage("--namesrv is missing: give -n HOST:PORT of the cluster's name server")
	case f.topic == "":
		return usage("--topic is missing: give -t TOPIC to send to")
	}
	producer, err := engine.OpenProducer(engine.Config{
		NameServers: nameServers(f.namesrv),
		ClientID:    localAddr() + "@" + strconv.Itoa(os.Getpid()),
		Log:         slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return usageError{err}
	}
	sent := 0
	err = producer.Run(ctx, func(ctx context.Context, send engine.SendFunc) error {
		var next nextMessage
		if f.rate > 0 || f.count > 0 {
			next = f.madeUp()
		} else {
			next = f.lines(ctx, p.In)
		}
		for {
			m, err := next(ctx)
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			if err := send(ctx, m); err != nil {
				return fmt.Errorf("message %d to %s: %w", sent+1, f.topic, err)
			}
			sent++
		}
	})
	if errors.Is(err, context.Canceled) {
		err = nil
	}
	f.tell(p.Err, sent)
	return err
}

// tell says what was sent.
func (f *produceFlags) tell(w io.Writer, sent int) {
	fmt.Fprintf(w, "%s sent to %s", count(sent, "message"), f.topic)
	if f.empty > 0 {
		fmt.Fprintf(w, ", %s left out", count(f.empty, "empty line"))
	}
	fmt.Fprintln(w)
}

type nextMessage func(ctx context.Context) (engine.OutMessage, error)

// lines yields the lines of r as messages, empty ones left out.
func (f *produceFlags) lines(ctx context.Context, r io.Reader) nextMessage {
	lines := readLines(ctx, r)
	return func(ctx context.Context) (engine.OutMessage, error) {
		for {
			select {
			case l := <-lines:
				if l.err == nil && len(l.text) == 0 {
					f.empty++
					continue
				}
				return engine.OutMessage{Topic: f.topic, Tags: f.tag, Body: l.text}, l.err
			case <-ctx.Done():
				return engine.OutMessage{}, ctx.Err()
			}
		}
	}
}

// madeUp yields --count messages, at --rate a second.
func (f *produceFlags) madeUp() nextMessage {
	n := 0
	var start time.Time
	return func(ctx context.Context) (engine.OutMessage, error) {
		if f.count > 0 && n == f.count {
			return engine.OutMessage{}, io.EOF
		}
		now := time.Now()
		if n == 0 {
			start = now
		}
		if f.rate > 0 {
			due := start.Add(time.Duration(n) * time.Second / time.Duration(f.rate))
			if err := clock.Sleep(ctx, clock.System{}, due.Sub(now)); err != nil {
				return engine.OutMessage{}, err
			}
		}
		n++
		m := engine.OutMessage{Topic: f.topic, Tags: f.tag, Keys: fmt.Sprintf("k%d", n), Body: body(n, f.size)}
		if m.Tags == "" {
			m.Tags = []string{"TagA", "TagB", "TagC"}[n%3]
		}
		return m, ctx.Err()
	}
}

// body is size bytes that differ from message to message.
func body(n, size int) []byte {
	b := make([]byte, size)
	head := copy(b, fmt.Sprintf("message %d ", n))
	for i := head; i < size; i++ {
		b[i] = 'a' + byte((i+n)%26)
	}
	return b
}
