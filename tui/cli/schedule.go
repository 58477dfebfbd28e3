package cli

import (
	"time"

	"github.com/spf13/cobra"

	"mqscope/engine/ondemand"
	"mqscope/tui/config"
)

func scheduleCommand(p Process) *cobra.Command {
	var f onDemandFlags
	cmd := &cobra.Command{
		Use:   "schedule -n HOST:PORT -g GROUP -t TOPIC[:TAGS]",
		Short: "Join a group with a scheduled pull consumer and watch its tasks",
		Long: `Joins a group as a scheduled pull consumer (MQPullConsumerScheduleService): each queue of this
member has a task that calls a callback, on a pool of --threads, and again --delay after it
has returned, or one second after it has failed. The callback pulls once, works --handler-delay
and sets the offset. Use it to see how pull tasks come, wait, run and are cancelled when queues
move. If the group has members already, joining is asked for as consume does.`,
		Example: `  mqscope schedule -n 127.0.0.1:9876 -g reports -t orders
  mqscope schedule -n ns:9876 -g reports -t orders --delay 1s --threads 2 --json --for 30s`,
	}
	fs := cmd.Flags()
	f.addAsked(fs, 32)
	config.Duration(fs, &f.app.Delay, "delay", 100*time.Millisecond, time.Millisecond, time.Hour, "from the end of a queue's callback to the next one")
	config.Int(fs, &f.app.Threads, "threads", "", 20, 1, 1000, "callbacks that run at once")
	return f.command(p, cmd, ondemand.OpenScheduled)
}
