package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mqscope/engine"
	"mqscope/engine/recording/policy"
	"mqscope/tui/config"
)

// recordFlags say what is recorded of a consumer, and where.
type recordFlags struct {
	bodies string
	deny   []string
	limit  int64  // of the black box, 0: there is none
	saveTo string // folder that it is saved to

	output string // recording from the beginning on, "" is none
	force  bool
}

// add adds what every command has whose source may be recorded.
func (f *recordFlags) add(fs *pflag.FlagSet) {
	config.Checked(fs, &f.bodies, "bodies", "", "256", "WHAT", "what recordings keep of message bodies: full, hash, a number of bytes such as 4KiB, or none, which is nothing of messages", checkBodies)
	config.List(fs, &f.deny, "deny", "", "PATTERN", "properties of messages that recordings leave out, such as 'card*'; may be repeated. Secrets are left out in any case", checkDeny)
	config.Size(fs, &f.limit, "black-box", 1<<20, 64<<30, "keep a recording of the last so many bytes, saved when something goes wrong and by :save")
	fs.StringVar(&f.saveTo, "black-box-to", ".", "`FOLDER` that the black box is saved to")
}

const noBodies = "none"

func checkBodies(s string) error {
	if s == noBodies {
		return nil
	}
	_, err := policy.ParseBodies(s)
	return err
}

func checkDeny(s string) error { return policy.Policy{Deny: []string{s}}.Validate() }

// recording is what of it the engine is told.
func (f *recordFlags) recording(group string) (engine.Recording, error) {
	r := engine.Recording{Program: "mqscope " + version(), Keep: policy.Policy{Deny: f.deny}, NoMessages: f.bodies == noBodies}
	if !r.NoMessages {
		r.Keep.Bodies, _ = policy.ParseBodies(f.bodies) // it was checked when it was set
	}
	if f.limit == 0 {
		return r, nil
	}
	dir, err := newBoxFolder(group)
	if err != nil {
		return r, fmt.Errorf("--black-box: %w", err)
	}
	r.Box = engine.Box{Dir: dir, Limit: f.limit, SaveTo: f.saveTo}
	return r, nil
}

// around runs show, which runs live, with what is to be recorded from the beginning, and says what
// became of recordings.
func (f *recordFlags) around(p Process, live *engine.Live, show func() error) error {
	if f.limit > 0 {
		tellLeft(p.Err, live)
	}
	if f.output != "" {
		if err := live.StartRecording(engine.Record{File: f.output, Replace: f.force}); err != nil {
			if there, ok := errors.AsType[*engine.ExistsError](err); ok {
				return usage("%s is there already: give another name with -o, or replace it with --force", there.Path)
			}
			return usageError{err}
		}
	}
	err := show()
	r := live.Recorded()
	switch {
	case r.Err != "":
		err = errors.Join(err, fmt.Errorf("the recording ended before the consumer did: %s", r.Err))
	case r.File != "" && !r.Box:
		fmt.Fprintf(p.Err, "written to %s: %s\n", clean(r.File), sizeWords(r.Bytes))
	}
	return err
}

func recordCommand(p Process) *cobra.Command {
	var f consumeFlags
	var noScreen bool
	var left string
	cmd := &cobra.Command{
		Use:   "record -n HOST:PORT -g GROUP -t TOPIC[:TAGS] -o FILE",
		Short: "Join a consumer group and record what this member does",
		Long: `Does what mqscope consume does, and writes all that reaches the consumer to a file, from which
mqscope replay shows every screen as it was, at any moment. The file is for its owner only. Signatures, access keys, tokens and
passwords never get into it; --bodies and --deny say what of messages does. A recording that can not
go on, because the disk is full or too slow, ends and says so; the consumer goes on.

With --black-box the last so many bytes are kept beside that, or without -o in place of it, and
saved to a file when something goes wrong, at most once a minute, or by :save on the screen. What a
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
