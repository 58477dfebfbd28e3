// Command mqscope shows the inside of an Apache RocketMQ consumer and drives it.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"mqscope/tui/cli"
)

func main() { os.Exit(run()) }

// run turns the signals that end a program into the end of a context, so that terminal and
// offsets are put in order first; a second signal ends the process at once.
func run() int {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	stop := context.AfterFunc(ctx, func() { signal.Stop(signals) })
	defer stop()
	return cli.Main(ctx, cli.Process{
		Args: os.Args[1:], In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		Signals: signals, Cancel: cancel,
	})
}
