package cli

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"mqscope/engine/demo"
	"mqscope/engine/memnet"
	"mqscope/engine/scenario"
	"mqscope/tui/config"
)

// demoWithoutScreen is how long the demo runs when nobody can press q.
const demoWithoutScreen = 10 * time.Second

// maxSeed keeps the seed a number that every flag parser can hold.
const maxSeed = 1<<31 - 1

func demoCommand(p Process) *cobra.Command {
	var f showFlags
	var seed int
	var orderly, stepped bool
	var record recordFlags
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Show a consumer at work on an embedded cluster, nothing else needed",
		Long: `Shows a consumer group at work on a cluster inside this process: a name server, two
brokers, a producer and three members, one of them ours and fully visible. One queue is slow
and trips flow control, some messages fail and come back through %RETRY%, a member leaves and
comes back. With --orderly the group consumes in order, under locks that the Locks screen
shows; what fails holds its queue up. With --step time stands still, and each decision waits for
you. Without a terminal it prints plain lines for ten seconds and a table of all queues.`,
		Example: "  mqscope demo --seed 7 --plain --for 30s\n  mqscope demo --orderly --step",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.load(cmd); err != nil {
				return err
			}
			if stepped {
				return stepDemo(cmd.Context(), p, &f, seed, orderly)
			}
			if !f.onScreen(p) && !cmd.Flags().Changed("for") && f.forHow == 0 {
				f.forHow = demoWithoutScreen
			}
			return runDemo(cmd.Context(), p, &f, &record, demo.Config{Seed: uint64(seed), Orderly: orderly})
		},
	}
	f.add(cmd.Flags())
	record.add(cmd.Flags())
	config.Int(cmd.Flags(), &seed, "seed", "", 1, 0, maxSeed, "number that the demo's script is drawn from")
	config.Bool(cmd.Flags(), &orderly, "orderly", "consume in order, under the brokers' locks")
	config.Bool(cmd.Flags(), &stepped, "step", "step through it decision by decision, on virtual time")
	return cmd
}

// stepDemo shows the demo on virtual time.
func stepDemo(ctx context.Context, p Process, f *showFlags, seed int, orderly bool) error {
	name := "demo"
	if orderly {
		name = "demo-orderly"
	}
	s, err := scenario.Find(name)
	if err != nil {
		return err
	}
	flags := stepFlags{showFlags: *f, seed: seed}
	switch {
	case f.plain || f.json:
		return usage("--step needs the screen: without one write mqscope step %s --script FILE", name)
	default:
		return flags.run(ctx, p, s)
	}
}

func runDemo(ctx context.Context, p Process, f *showFlags, record *recordFlags, cfg demo.Config) error {
	log, closeLog, err := f.openLog()
	if err != nil {
		return err
	}
	defer closeLog()
	if cfg.Recording, err = record.recording("demo"); err != nil {
		return err
	}
	network := memnet.New()
	cfg.Listen, cfg.Dial, cfg.Log = network.Listen, network.Dial, log
	shown, err := demo.Open(cfg)
	if err != nil {
		return errors.Join(errors.New("the demo could not be set up"), err)
	}
	return record.around(p, shown.Live, func() error { return f.show(ctx, p, shown) })
}
