package cli

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"mqscope/engine/recording"
	"mqscope/engine/recording/policy"
	"mqscope/engine/recording/redact"
	"mqscope/tui/config"
)

// redactFlags say what is taken out of a recording, and where the rest goes.
type redactFlags struct {
	configFile string
	output     string
	inPlace    bool
	force      bool
	bodies     string
	deny       []string
}

func redactCommand() *cobra.Command {
	var f redactFlags
	cmd := &cobra.Command{
		Use:   "redact FILE",
		Short: "Take secrets and message bodies out of a recording",
		Long: `Writes another recording without access keys, signatures, tokens, passwords and the like, wherever
texts in it have them, without the properties that are denied, and with as much of message bodies
as --bodies says. It counts what it took out, and reads what it wrote once more to see that
nothing of it is left. Events, times and numbers stay as they are: it plays as before, and
bookmarks fit. Free text may have secrets that look like none: read what you send.

Names of topics, groups, clients and brokers, and addresses, stay too. The bookmarks beside the
file, with their notes, are not copied.`,
		Example: "  mqscope redact orders.mqrec -o to-send.mqrec\n  mqscope redact orders.mqrec --in-place --bodies 64 --deny 'card*' --deny customer",
		Args: func(_ *cobra.Command, args []string) error {
			switch len(args) {
			case 0:
				return usage("no recording is named: write mqscope redact FILE")
			case 1:
				return nil
			}
			return usage("%q: one recording at a time", args[1])
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := config.Load(cmd.Flags(), f.configFile, knownKeys(cmd.Root())); err != nil {
				return usageError{err}
			}
			return f.run(cmd, args[0])
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.configFile, "config", "", "configuration `FILE`, instead of config.yaml in the per-user folder")
	flags.StringVarP(&f.output, "output", "o", "", "`RECORDING` to write, for its owner only; default FILE with .redacted before its ending")
	config.Bool(flags, &f.inPlace, "in-place", "put the new recording in the place of FILE, once it is complete")
	config.Bool(flags, &f.force, "force", "replace a recording that is there already")
	flags.StringVar(&f.bodies, "bodies", "hash", "what is kept of message `BODIES`: full, hash, or so many bytes, as in 256")
	flags.StringArrayVar(&f.deny, "deny", nil, "leave out message properties whose name is like this `PATTERN`, may be repeated; * is any characters")
	return cmd
}

// policy reads what is to be kept.
func (f *redactFlags) policy() (p policy.Policy, err error) {
	if p.Bodies, err = policy.ParseBodies(f.bodies); err != nil || strings.TrimSpace(f.bodies) == "none" {
		return p, usage("--bodies %q: write full, hash, or how many bytes to keep, as in 256 or 4KiB", f.bodies)
	}
	p.Deny = f.deny
	if err := p.Validate(); err != nil {
		return p, usage("--deny: %v", err)
	}
	return p, nil
}

// target is where the new recording goes.
func (f *redactFlags) target(name string) (path string, replace bool, err error) {
	switch {
	case f.inPlace && f.output != "":
		return "", false, usage("--in-place and -o: write one of them")
	case f.inPlace:
		return name, true, nil
	case f.output != "":
		if same(name, f.output) {
			return "", false, usage("-o names the recording that is read: write --in-place to replace it")
		}
		return f.output, f.force, nil
	}
	const ending = ".mqrec"
	return strings.TrimSuffix(name, ending) + ".redacted" + ending, f.force, nil
}

// same tells whether two names are of one file.
func same(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	two, err := os.Stat(b)
	return err == nil && os.SameFile(one, two)
}

func (f *redactFlags) run(cmd *cobra.Command, name string) error {
	p, err := f.policy()
	if err != nil {
		return err
	}
	path, replace, err := f.target(name)
	if err != nil {
		return err
	}
	from, err := recording.Open(name)
	if err != nil {
		return err
	}
	defer from.Close() //nolint:errcheck // it was only read
	if f.inPlace && from.Info().End == recording.Unknown {
		return fmt.Errorf("%s: it was not closed: where it is still written, what comes would be lost. Write another recording, with -o", name)
	}
	write := func() (*redact.Report, error) { return redact.File(cmd.Context(), from, path, p, replace) }
	if f.inPlace {
		write = func() (*redact.Report, error) { return redact.InPlace(cmd.Context(), from, path, p) }
	}
	report, err := write()
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already: give another name with -o, or replace it with --force", path)
	}
	if err != nil {
		return cmp.Or(unwritten(path, err), fmt.Errorf("%s: %w", name, err))
	}
	out := bufio.NewWriter(cmd.OutOrStdout())
	printRedacted(out, name, path, p, report)
	if err := out.Flush(); err != nil {
		return err
	}
	if !report.Left.Nothing() {
		return fmt.Errorf("%s: something is left in it: do not send it", path)
	}
	return nil
}

func printRedacted(out io.Writer, name, path string, p policy.Policy, r *redact.Report) {
	fmt.Fprintf(out, "%s: %s\n", clean(name), count(int(r.Records), "record"))
	rows := [][]string{{"TAKEN OUT", "FOUND", "LEFT"}}
	for _, one := range []struct {
		what        string
		found, left int
	}{
		{"secrets in texts", r.Secrets, r.Left.Secrets},
		{"properties, and fields with a secret's name", r.Properties, r.Left.Properties},
		{"message bodies, kept: " + p.Bodies.String(), r.Bodies, r.Left.Bodies},
	} {
		rows = append(rows, []string{one.what, fmt.Sprint(one.found), fmt.Sprint(one.left)})
	}
	columns(out, rows, 1, -1)
	if r.Behind != "" {
		fmt.Fprintf(out, "it ends there: %s\n", clean(r.Behind))
	}
	fmt.Fprintf(out, "written to %s\n", clean(path))
}
