package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mqscope/engine"
	"mqscope/engine/consumer"
	"mqscope/engine/recorder"
	"mqscope/engine/recording/policy"
	"mqscope/engine/snapshot"
	"mqscope/tui/config"
)

// recordFlags say what is recorded of a consumer, and where.
type recordFlags struct {
	bodies string
	deny   []string
	rate   string
	limit  int64  // of the black box, 0: there is none
	saveTo string // folder that it is saved to
	stuck  time.Duration

	output string // recording from the beginning on, "" is none
	force  bool
}

// add adds what every command has whose source may be recorded.
func (f *recordFlags) add(fs *pflag.FlagSet) {
	config.Checked(fs, &f.bodies, "bodies", "", "256", "WHAT", "what recordings keep of message bodies: full, hash, a number of bytes such as 4KiB, or none, which is nothing of messages", checkBodies)
	config.Checked(fs, &f.rate, "messages-rate", "", consumer.DefaultRate.String(), "SIZE", "most of messages that is recorded in a second, or all: faster ones are left out, and counted; those that fail are kept", checkRate)
	config.List(fs, &f.deny, "deny", "", "PATTERN", "properties of messages that recordings leave out, such as 'card*'; may be repeated. Secrets are left out in any case", checkDeny)
	config.Size(fs, &f.limit, "black-box", 1<<20, 64<<30, "keep a recording of the last so many bytes, saved when something goes wrong and by :save")
	fs.StringVar(&f.saveTo, "black-box-to", ".", "`FOLDER` that the black box is saved to")
	config.Duration(fs, &f.stuck, "black-box-stuck", time.Minute, time.Second, 24*time.Hour, "save it when a listener runs, a queue stands still or flow control holds it for so long")
}

const noBodies = "none"

func checkBodies(s string) error {
	if s == noBodies {
		return nil
	}
	_, err := policy.ParseBodies(s)
	return err
}

// Least and most that may be asked for in a second.
const (
	leastRate = 64 << 10
	mostRate  = 1 << 30
)

func parseRate(s string) (consumer.Rate, error) {
	if s == consumer.EveryMessage.String() {
		return consumer.EveryMessage, nil
	}
	n, ok := config.ParseSize(s)
	if !ok || n < leastRate || n > mostRate {
		return 0, fmt.Errorf("write all, or how much a second, %s to %s, such as 4MiB", config.SizeWord(leastRate), config.SizeWord(mostRate))
	}
	return consumer.Rate(n), nil
}

func checkRate(s string) error {
	_, err := parseRate(s)
	return err
}

func checkDeny(s string) error { return policy.Policy{Deny: []string{s}}.Validate() }

// recording is what of it the engine is told.
func (f *recordFlags) recording(group string) (recorder.Config, error) {
	r := recorder.Config{Program: "mqscope " + version(), Keep: policy.Policy{Deny: f.deny}, NoMessages: f.bodies == noBodies}
	if !r.NoMessages {
		r.Keep.Bodies, _ = policy.ParseBodies(f.bodies) // both were checked when they were set
		r.Rate, _ = parseRate(f.rate)
	}
	if f.limit == 0 {
		return r, nil
	}
	dir, err := newBoxFolder(group)
	if err != nil {
		return r, fmt.Errorf("--black-box: %w", err)
	}
	r.Box = recorder.Box{Dir: dir, Limit: f.limit, SaveTo: f.saveTo, StuckAfter: f.stuck}
	return r, nil
}

// around runs show, which runs live, with what is to be recorded from the beginning, and says what
// became of recordings.
func (f *recordFlags) around(p Process, live *engine.Live, show func() error) error {
	if f.limit > 0 {
		tellLeft(p.Err, live)
	}
	if f.output != "" {
		if err := live.StartRecording(recorder.Record{File: f.output, Replace: f.force}); err != nil {
			if there, ok := errors.AsType[*recorder.ExistsError](err); ok {
				return usage("%s is there already: give another name with -o, or replace it with --force", there.Path)
			}
			return usageError{err}
		}
	}
	err := show()
	r := live.Recorded()
	if saved := r.Saved; saved.Times > 0 {
		fmt.Fprintf(p.Err, "black box saved %s: %s\n", count(saved.Times, "time"), savedWords(saved))
	}
	switch {
	case r.Err != "":
		err = errors.Join(err, fmt.Errorf("the recording ended before the consumer did: %s", r.Err))
	case r.File != "" && !r.Box:
		fmt.Fprintf(p.Err, "written to %s: %s%s\n", clean(r.File), sizeWords(r.Bytes), f.leftOut(r.LeftOut))
	}
	return err
}

// leftOut says how many messages are not in a recording.
func (f *recordFlags) leftOut(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("; %s came faster than --messages-rate %s and are not in it", count(int(n), "message"), f.rate)
}

// savedWords say where a black box was saved to last, and why.
func savedWords(s snapshot.SavedBox) string {
	if s.Why == "" {
		return clean(s.File)
	}
	return fmt.Sprintf("%s, because of: %s", clean(s.File), clean(s.Why))
}

func recordCommand(p Process) *cobra.Command {
	var f consumeFlags
	var noScreen bool
	var left string
	cmd := &cobra.Command{
		Use:   "record -n HOST:PORT -g GROUP -t TOPIC[:TAGS] -o FILE",
		Short: "Join a consumer group and record what this member does",
		Long: `Does what mqscope consume does, and writes all that reaches the consumer to a file, from which
mqscope replay shows every screen as it was, at any moment. The file is for its owner only. Signatures,
access keys, tokens and passwords never get into it; --bodies and --deny say what of messages does. A
recording that can not go on, because the disk is full or too slow, ends and says so; the consumer goes on.

With --black-box the last so many bytes are kept beside that, or without -o in place of it, and
saved to a file when something goes wrong, or by :save on the screen. Going wrong are: an error in the
event stream, the consumer's end with one, a listener that runs or a queue that stands still for
--black-box-stuck, flow control that holds a queue for so long, a lost lock, an offset that goes
back or is refused, a broker that is out of reach for 30 s, a broken invariant. Each of them saves
once until it was well for 5 minutes; it is saved at most once a minute, and 5 times a day. What a
process left that was killed, --save-left saves.`,
		Example: "  mqscope record -n 127.0.0.1:9876 -g billing -t orders -o billing.mqrec --bodies hash\n  mqscope record -n 127.0.0.1:9876 -g billing -t orders --black-box 256MiB --no-screen",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.load(cmd); err != nil {
				return err
			}
			if left != "" {
				return saveLeft(cmd.Context(), cmd.OutOrStdout(), left)
			}
			if f.record.output == "" && f.record.limit == 0 {
				return usage("--output is missing: give -o FILE to record to, or --black-box SIZE")
			}
			if noScreen {
				f.instead = func(ctx context.Context, source engine.Source) error {
					return waitQuietly(ctx, cmd.OutOrStdout(), source)
				}
			}
			return f.run(cmd.Context(), p)
		},
	}
	fs := cmd.Flags()
	f.add(fs)
	f.addConsume(fs)
	f.record.add(fs)
	fs.StringVarP(&f.record.output, "output", "o", "", "`RECORDING` to write (.mqrec), for its owner only")
	config.Bool(fs, &f.record.force, "force", "replace a recording that is there already")
	config.Bool(fs, &noScreen, "no-screen", "neither the screen nor lines of what happens")
	fs.StringVar(&left, "save-left", "", "save to this `RECORDING` the black box that a killed process left, and end")
	return cmd
}
