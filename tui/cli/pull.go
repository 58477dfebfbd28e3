package cli

import (
	"github.com/spf13/cobra"

	"mqscope/engine"
)

func pullCommand(p Process) *cobra.Command {
	var f onDemandFlags
	cmd := &cobra.Command{
		Use:   "pull -n HOST:PORT -g GROUP -t TOPIC[:TAGS]",
		Short: "Join a group with a pull consumer and watch its queues",
		Long: `Joins a group as a pull consumer (DefaultMQPullConsumer): the application says which queue to
pull from, and from which offset. The one that comes with this command works on each queue of
this member beside the others: it pulls from where the group is, lets the broker hold the pull,
works --handler-delay, and sets the offset, which is sent every five seconds. Use it for a group
whose own members pull, and to see what brokers answer to pulls without a listener behind them.
If the group has members already, joining is asked for as consume does.`,
		Example: `  mqscope pull -n 127.0.0.1:9876 -g reports -t orders
  mqscope pull -n ns:9876 -g reports -t 'orders:PAID || REFUND' --from first --handler-delay 50ms --plain --for 30s`,
	}
	f.addMember(cmd.Flags(), 32)
	return f.command(p, cmd, engine.OpenPull)
}
