package cli

import (
	"time"

	"github.com/spf13/cobra"

	"mqscope/engine/ondemand"
	"mqscope/tui/config"
)

func liteCommand(p Process) *cobra.Command {
	var f onDemandFlags
	cmd := &cobra.Command{
		Use:   "lite -n HOST:PORT -g GROUP -t TOPIC[:TAGS]",
		Short: "Join a group with a lite pull consumer, or take given queues, and watch them",
		Long: `Joins a group as a lite pull consumer (DefaultLitePullConsumer): it pulls by itself, and the
application polls. The one that comes with this command works --handler-delay on each batch and
polls again; what polls returned is committed every --commit-every. With --queue it takes given
queues instead, whoever else reads them. Use it for a group whose own members poll, and to read
single queues. If the group has members already, joining is asked for as consume does.`,
		Example: `  mqscope lite -n 127.0.0.1:9876 -g reports -t orders --from first
  mqscope lite -n ns:9876 -g look --queue orders/broker-a/0 --queue orders/broker-a/1 --join-existing`,
	}
	fs := cmd.Flags()
	f.addAsked(fs, 10)
	config.List(fs, &f.queues, "queue", "", "TOPIC/BROKER/ID", "queue to take instead of subscribing to topics; may be repeated", checkQueueFlag)
	config.Duration(fs, &f.app.AutoCommit, "commit-every", 5*time.Second, time.Second, time.Hour, "how often what was polled is committed")
	config.Int(fs, &f.limitCount, "limit-count", "", 1000, 1, 65535, "messages a queue may hold here before its pulls pause")
	config.Int(fs, &f.limitMiB, "limit-mib", "", 100, 1, 1024, "MiB a queue may hold here before its pulls pause")
	config.Int(fs, &f.limitSpan, "limit-span", "", 2000, 1, 65535, "offsets between first and last held message before pulls pause")
	config.Int(fs, &f.app.LimitAll, "limit-all", "", 10_000, 1, 1<<30, "messages all queues together may hold before all pulls pause")
	return f.command(p, cmd, ondemand.OpenLite)
}
