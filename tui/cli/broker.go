package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strconv"

	"github.com/spf13/cobra"

	"mqscope/engine/embedded"
	"mqscope/engine/lifecycle"
	"mqscope/tui/config"
)

// brokerFlags are the settings of the embedded cluster on TCP.
type brokerFlags struct {
	configFile string
	listen     string
	brokerPort int
	name       string
	queues     int
	memoryMiB  int
	remote     bool
}

func brokerCommand(_ Process) *cobra.Command {
	var f brokerFlags
	cmd := &cobra.Command{
		Use:   "broker",
		Short: "Run the embedded name server and broker on TCP, for any RocketMQ client",
		Long: `Runs a name server and a broker in this process, in memory, for tests and for learning.
Messages are kept up to --memory; when it is full the oldest are dropped, which is printed.
It has no authentication: other than loopback addresses need --allow-remote.`,
		Example: "  mqscope broker --listen 127.0.0.1:9876\n  mqscope broker --listen 127.0.0.1:19876 --broker-port 20911 --queues 8",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, err := config.Load(cmd.Flags(), f.configFile, knownKeys(cmd.Root())); err != nil {
				return usageError{err}
			}
			return f.run(cmd)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&f.configFile, "config", "", "configuration `FILE`, instead of config.yaml in the per-user folder")
	config.Checked(fs, &f.listen, "listen", "", "127.0.0.1:9876", "HOST:PORT", "address of the name server; the broker listens on the same host", checkListen)
	config.Int(fs, &f.brokerPort, "broker-port", "", 10911, 0, 65535, "port of the broker, 0 picks a free one")
	config.Checked(fs, &f.name, "name", "", "broker-a", "NAME", "name of the broker", checkInstance)
	config.Int(fs, &f.queues, "queues", "", 4, 1, 1024, "queues of a topic that is made by the first message")
	config.Int(fs, &f.memoryMiB, "memory", "", 256, 1, 1<<20, "MiB of messages to keep")
	config.Bool(fs, &f.remote, "allow-remote", "listen on an address that others can reach")
	return cmd
}

func checkListen(s string) error {
	_, port, err := net.SplitHostPort(s)
	if n, e := strconv.Atoi(port); err != nil || e != nil || n < 0 || n > 65535 {
		return fmt.Errorf("HOST:PORT with a port from 0 to 65535 is allowed")
	}
	return nil
}

func (f *brokerFlags) run(cmd *cobra.Command) error {
	host, _, err := net.SplitHostPort(f.listen)
	if err != nil {
		return usage("--listen %q: %v", f.listen, err)
	}
	if ip := net.ParseIP(host); !f.remote && host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return usage("--listen %q: everybody who reaches this address can read and write, there is no authentication: give --allow-remote to listen there", f.listen)
	}
	notices := make(chan embedded.Notice, 64)
	cluster, err := embedded.New(embedded.Config{
		Brokers: []string{f.name}, NameServerAddr: f.listen, AllowRemote: f.remote,
		BrokerAddrs:    []string{net.JoinHostPort(host, strconv.Itoa(f.brokerPort))},
		QueuesPerTopic: f.queues, MaxBytes: int64(f.memoryMiB) << 20,
		Log: slog.New(slog.DiscardHandler),
		OnNotice: func(n embedded.Notice) {
			select {
			case notices <- n:
			default: // standard output takes no more lines; the broker must not wait for it
			}
		},
	})
	if err != nil {
		return err
	}
	group, ctx := lifecycle.NewGroup(cmd.Context())
	group.Go("cluster", cluster.Run)
	group.Go("notices", func(ctx context.Context) error { return f.tell(ctx, cmd.OutOrStdout(), cluster, notices) })
	<-ctx.Done()
	return group.Wait()
}

// tell prints where the cluster listens once it does, and what happens to it.
func (f *brokerFlags) tell(ctx context.Context, out io.Writer, cluster *embedded.Cluster, notices <-chan embedded.Notice) error {
	select {
	case <-cluster.Ready():
	case <-ctx.Done():
		return nil
	}
	if _, err := fmt.Fprintf(out, "name server on %s, %s on %s; ctrl+c ends it\n", cluster.NameServerAddr(), f.name, cluster.BrokerAddr(f.name)); err != nil {
		return err
	}
	for {
		select {
		case n := <-notices:
			if n.Kind != embedded.MessagesDropped {
				continue
			}
			if _, err := fmt.Fprintf(out, "%s memory is full: the oldest %d messages of %s are gone\n", n.At.Format("15:04:05"), n.Messages(), clean(n.Queue.Path())); err != nil {
				return err
			}
		case <-ctx.Done():
			return nil
		}
	}
}
