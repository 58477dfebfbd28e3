package cli

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"mqscope/engine"
	"mqscope/engine/ondemand"
	"mqscope/tui/config"
)

// pullFlags are those of pull beyond what all consumers have that are asked for messages.
type pullFlags struct {
	onDemandFlags
	offset      string
	print       bool
	count       int
	keepOffsets bool
}

func pullCommand(p Process) *cobra.Command {
	var f pullFlags
	cmd := &cobra.Command{
		Use:   "pull -n HOST:PORT -g GROUP -t TOPIC[:TAGS]",
		Short: "Pull messages of some queues or all, to print them or to watch",
		Long: `Joins a group as a pull consumer (DefaultMQPullConsumer): the application says which queue to
pull from, and from which offset. The one that comes with this command works on each queue of
this member beside the others, or on those named with --queue: it pulls from where the group is
or from --offset, lets the broker hold the pull, works --handler-delay, and sets the offset,
which is sent every five seconds. With --print it prints messages instead of showing queues.

Use it to look at messages where they are stored (with --keep-offsets and a group name of your
own nobody notices), for a group whose own members pull, and to see what brokers answer to pulls
without a listener behind them. With -o what it does is recorded, as it is seen on the wire. If
the group has members already, joining is asked for as consume does.`,
		Example: `  mqscope pull -n 127.0.0.1:9876 -g reports -t orders
  mqscope pull -n ns:9876 -g look --queue orders/broker-a/0 --offset 1229411 --count 10 --print --keep-offsets`,
	}
	fs := cmd.Flags()
	f.addAsked(fs, 32)
	config.List(fs, &f.queues, "queue", "", "TOPIC/BROKER/ID", "queue to pull from, whoever has it, instead of those allotted; may be repeated", checkQueueFlag)
	config.Checked(fs, &f.offset, "offset", "", "group", "WHERE", "where each queue begins: group, first, last, time (that of --timestamp), or an offset", checkOffsetFlag)
	config.Int(fs, &f.count, "count", "", 0, 0, 1<<30, "messages to take in all before it ends; 0 without end")
	config.Bool(fs, &f.print, "print", "print each message as a line instead of showing queues")
	config.Bool(fs, &f.keepOffsets, "keep-offsets", "leave the group's offsets as they are")
	return f.command(p, cmd, f.open(p))
}

// open completes the application with what the flags say.
func (f *pullFlags) open(p Process) func(engine.Config, ondemand.App) (*ondemand.Source, error) {
	return func(cfg engine.Config, app ondemand.App) (*ondemand.Source, error) {
		begin, err := parseOffset(f.offset)
		if err != nil {
			return nil, fmt.Errorf("--offset %q: %w", f.offset, err)
		}
		if begin.Where == ondemand.PullFromTime {
			begin.Time = time.Now().Add(-30 * time.Minute)
			if f.timestamp != "" {
				begin.Time, _ = time.ParseInLocation(timestampLayout, f.timestamp, time.Local)
			}
		}
		app.Begin, app.Count, app.KeepOffsets = begin, f.count, f.keepOffsets
		if f.print {
			if f.json {
				return nil, fmt.Errorf("--print and --json: give one of them")
			}
			printed := newMessageLines(output{p.Out}, f.count)
			app.Take = printed.line
			f.instead = func(ctx context.Context, source engine.Source) error { return printed.follow(ctx, source, p.Err) }
		}
		return ondemand.OpenPull(cfg, app)
	}
}

// parseOffset reads a place in a queue.
func parseOffset(s string) (ondemand.PullFrom, error) {
	switch s {
	case "group":
		return ondemand.PullFrom{}, nil
	case "first":
		return ondemand.PullFrom{Where: ondemand.PullFromFirst}, nil
	case "last":
		return ondemand.PullFrom{Where: ondemand.PullFromLast}, nil
	case "time":
		return ondemand.PullFrom{Where: ondemand.PullFromTime}, nil
	}
	at, err := strconv.ParseInt(s, 10, 64)
	if err != nil || at < 0 {
		return ondemand.PullFrom{}, fmt.Errorf("group, first, last, time or a number from 0 on is allowed")
	}
	return ondemand.PullFrom{Where: ondemand.PullFromOffset, Offset: at}, nil
}

func checkOffsetFlag(s string) error {
	_, err := parseOffset(s)
	return err
}
