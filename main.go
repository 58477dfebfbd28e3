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
// offsets are put in order first. A reader of standard output that goes away is an error of
// writing, not a signal, for the same reason.
func run() int {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	signal.Ignore(syscall.SIGPIPE)
	defer signal.Stop(signals)
	return cli.Main(ctx, cli.Process{
		Args: os.Args[1:], In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		Signals: signals, Cancel: cancel,
	})
}
