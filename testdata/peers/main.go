// Command peers measures this engine beside Apache's Go client and Apache's Java client on
// the same topics, in one run: what catching up costs, how late messages arrive, how long a
// start takes, and what waiting costs.
//
// A broker, a producer and each contestant run in processes of their own, in turns
// A B C C B A …; the table at the end shows medians, the range and the ratios. Only what is
// measured in one run may be compared.
//
// It is a module of its own so that Apache's client stays out of the product's modules.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"mqscope/engine/lifecycle"
)

// settings are the knobs of a whole run.
type settings struct {
	job         // what all processes are told alike
	Broker      string
	Rows        string
	Contestants string
	Rounds      int
	Patience    time.Duration
	Pin         bool
	Raw         bool
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Args[1:])
	switch {
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	case ctx.Err() != nil:
		fmt.Fprintln(os.Stderr, "peers: interrupted")
		os.Exit(1)
	case err != nil:
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		return runChild(ctx, args)
	}
	var s settings
	flags := flag.NewFlagSet("peers", flag.ContinueOnError)
	flags.StringVar(&s.Rows, "rows", "catchup,latency,start,idle", "what to measure")
	flags.StringVar(&s.Broker, "broker", "embedded", "embedded, apache (see ../apache), or the address of a cluster's name server")
	flags.StringVar(&s.Contestants, "contestants", "mqscope,client-go,java", "who takes part")
	flags.IntVar(&s.Rounds, "rounds", 5, "turns of each contestant; latency has half as many, idle one")
	flags.DurationVar(&s.Patience, "patience", 3*time.Minute, "longest time that one measurement may take")
	flags.BoolVar(&s.Pin, "pin", false, "broker and producer on core 0, client on core 1 (Linux, taskset)")
	flags.BoolVar(&s.Raw, "raw", false, "print the figures of each turn as JSON, too")
	s.job.knobs(flags)
	if err := flags.Parse(args); err != nil {
		return err
	}
	if err := s.check(flags.Args()); err != nil {
		return err
	}
	return bench(ctx, s, os.Stdout)
}

// check names every knob that is out of range.
func (s *settings) check(rest []string) error {
	var errs []error
	least := func(name string, v, low int) {
		if v < low {
			errs = append(errs, fmt.Errorf("-%s is %d: at least %d is needed", name, v, low))
		}
	}
	if len(rest) > 0 {
		errs = append(errs, fmt.Errorf("%q is no flag: -help lists them", rest))
	}
	least("rounds", s.Rounds, 1)
	least("n", s.Count, 1)
	least("warm", s.Skip, 0)
	least("size", s.Size, headBytes)
	least("queues", s.Queues, 1)
	least("idle-queues", s.IdleQueues, 1)
	least("batch", s.Batch, 1)
	least("pull", s.Pull, 1)
	known := func(name, list string, want []string) {
		for one := range strings.SplitSeq(list, ",") {
			if !slices.Contains(want, one) {
				errs = append(errs, fmt.Errorf("-%s has %q: %s are known", name, one, strings.Join(want, ", ")))
			}
		}
	}
	known("rows", s.Rows, []string{"catchup", "latency", "start", "idle"})
	known("contestants", s.Contestants, contestants())
	if _, err := s.phases(); err != nil {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// runChild is one process of the bench: it does its job, says so in lines of JSON on standard
// output, and ends at once when standard input does, so that none outlives the bench.
func runChild(ctx context.Context, args []string) error {
	j, err := parseJob(args)
	if err != nil {
		return err
	}
	do, ok := roles()[j.Do]
	if !ok {
		return fmt.Errorf("job %q is unknown", j.Do)
	}
	group, ctx := lifecycle.NewGroup(ctx)
	group.Go("tether", func(context.Context) error {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(3)
		return nil
	})
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r, err := do(ctx, j)
	if err != nil {
		return fmt.Errorf("%s of %s: %w", j.Do, j.Who, err)
	}
	return say("done", r)
}

// roles are what a child process can do.
func roles() map[string]func(ctx context.Context, j job) (report, error) {
	return map[string]func(context.Context, job) (report, error){
		"broker": runBroker, "setup": runSetup, "produce": runProduce,
		"catchup": runCatchUp, "latency": runLatency, "start": runStart, "idle": runIdle,
	}
}
