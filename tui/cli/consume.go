package cli

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mqscope/engine"
	"mqscope/engine/client"
	"mqscope/engine/clock"
	"mqscope/engine/consume"
	"mqscope/engine/consumer"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/pull"
	"mqscope/tui/config"
)

// consumeFlags are the settings of one member of a group.
type consumeFlags struct {
	showFlags
	namesrv      string
	namespace    string
	vipChannel   bool
	group        string
	topics       []string
	sql          string
	from         string
	timestamp    string
	threads      int
	batch        int
	pullBatch    int
	limitCount   int
	limitMiB     int
	limitSpan    int
	handlerDelay time.Duration
	verdict      string
	maxReconsume int
	instance     string
	joinExisting bool
	step         bool
	breakpoints  string

	mode   modeFlags
	record recordFlags
}

func consumeCommand(p Process) *cobra.Command {
	var f consumeFlags
	cmd := &cobra.Command{
		Use:   "consume -n HOST:PORT -g GROUP -t TOPIC[:TAGS]",
		Short: "Join a consumer group of a real cluster and watch its queues",
		Long: `Joins a group as one more push consumer and consumes for real: offsets are committed and
messages count as consumed. Each message is given to a handler that waits --handler-delay and
answers --verdict. If the group has members already, they are shown, with how many queues would
move, and nothing happens until the group name was typed or --join-existing was given.

Use it for a group whose own members are push consumers, to see why one of its queues does not
move; with --orderly or --broadcast where its members consume so.

With --step it is a member like any other, but no pull is made except by your hand: on the Scheduler
screen . shows the next decision of a pull and at its end makes it, T does so for a whole turn, p
runs and stops. Heartbeats, locks, rebalance and the handler go on by themselves, so the group is not
disturbed; but the queues of this member are not read while you hold them.`,
		Example: `  mqscope consume -n 127.0.0.1:9876 -g billing -t orders
  mqscope consume -n 'ns1:9876;ns2:9876' -g audit -t 'orders:PAID || REFUND' --from first --json --for 30s`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.load(cmd); err != nil {
				return err
			}
			if err := f.canStep(p); err != nil {
				return err
			}
			return f.run(cmd.Context(), p)
		},
	}
	f.add(cmd.Flags())
	f.addConsume(cmd.Flags())
	f.record.add(cmd.Flags())
	config.Bool(cmd.Flags(), &f.step, "step", "make each pull by hand, decision by decision")
	config.Checked(cmd.Flags(), &f.breakpoints, "breakpoints", "", "", "NAME", "with --step: begin with the breakpoints of this set, and keep in it those there are at the end", checkSetName)
	return cmd
}

// addMember adds what every kind of member has: where it joins, what it wants, who it is.
func (f *consumeFlags) addMember(fs *pflag.FlagSet) {
	namesrvFlag(fs, &f.namesrv)
	config.Checked(fs, &f.namespace, "namespace", "", "", "NAME", "namespace of group and topics, which is put before their names", checkNamespace)
	config.Bool(fs, &f.vipChannel, "vip-channel", "use the second port of brokers for what is no pull, as old clients did")
	config.Checked(fs, &f.group, "group", "g", "", "GROUP", "consumer group to join", mq.ValidateGroup)
	config.List(fs, &f.topics, "topic", "t", "TOPIC[:TAGS]", "topic to consume, with tags joined by || after a colon; may be repeated", checkTopicFlag)
	config.Checked(fs, &f.sql, "sql", "", "", "EXPRESSION", "SQL92 expression over message properties, instead of tags, for brokers that have it on", nil)
	config.Choice(fs, &f.from, "from", "last", []string{"first", "last", "timestamp"}, "where a group without offsets starts")
	config.Checked(fs, &f.timestamp, "timestamp", "", "", "yyyyMMddHHmmss", "start for --from timestamp, local time; default 30 minutes ago", checkTimestamp)
	config.Checked(fs, &f.instance, "instance", "", "", "NAME", "instance name in the client id; default process id and a random part", checkInstance)
	f.mode.add(fs)
	config.Bool(fs, &f.joinExisting, "join-existing", "join a group that has members without asking")
}

func (f *consumeFlags) addConsume(fs *pflag.FlagSet) {
	f.addMember(fs)
	f.mode.addPush(fs)
	config.Int(fs, &f.threads, "threads", "", 20, 1, 1000, "consume threads")
	config.Int(fs, &f.batch, "batch", "", 1, 1, 1024, "messages a handler call gets at most")
	config.Int(fs, &f.pullBatch, "pull-batch", "", 32, 1, 1024, "messages a pull asks for")
	config.Int(fs, &f.limitCount, "limit-count", "", 1000, 1, 65535, "messages a queue may hold here before its pulls pause")
	config.Int(fs, &f.limitMiB, "limit-mib", "", 100, 1, 1024, "MiB a queue may hold here before its pulls pause")
	config.Int(fs, &f.limitSpan, "limit-span", "", 2000, 1, 65535, "offsets between first and last held message before pulls pause")
	config.Duration(fs, &f.handlerDelay, "handler-delay", 0, 0, time.Hour, "how long the handler takes for each call")
	config.Choice(fs, &f.verdict, "verdict", "success", []string{"success", "later"}, "what the handler answers; later sends every message back")
	config.Int(fs, &f.maxReconsume, "max-reconsume", "", defaultReconsume, 1, 1<<30, "how often a message may come back before the dead-letter topic")
}

// namesrvFlag is the one way to name a cluster.
func namesrvFlag(fs *pflag.FlagSet, p *string) {
	config.Checked(fs, p, "namesrv", "n", "", "HOST:PORT[;HOST:PORT]", "name servers of the cluster", func(s string) error {
		_, err := client.ParseNameServers(s)
		return err
	})
}

// nameServers splits what the flag has checked.
func nameServers(s string) []string {
	list, _ := client.ParseNameServers(s)
	return list
}

func checkTopicFlag(s string) error {
	topic, expression, _ := strings.Cut(s, ":")
	if err := mq.ValidateTopic(topic); err != nil {
		return err
	}
	_, err := protocol.ParseSubscription(topic, expression, 0)
	return err
}

const timestampLayout = "20060102150405"

func checkTimestamp(s string) error {
	if _, err := time.ParseInLocation(timestampLayout, s, time.Local); s != "" && err != nil {
		return fmt.Errorf("a local time such as 20260131235900 is allowed")
	}
	return nil
}

func checkNamespace(s string) error {
	if s == "" {
		return nil
	}
	if err := mq.ValidateGroup(s); err != nil || strings.Contains(s, "%") {
		return fmt.Errorf("letters, digits, - and _ are allowed")
	}
	return nil
}

func checkInstance(s string) error {
	if strings.ContainsAny(s, "@ \t\n") || len(s) > 100 {
		return fmt.Errorf("up to 100 characters without @ and blanks are allowed")
	}
	return nil
}

// missing names the first flag that must be given and was not.
func (f *consumeFlags) missing() error {
	switch {
	case f.namesrv == "":
		return usage("--namesrv is missing: give -n HOST:PORT of the cluster's name server")
	case f.group == "":
		return usage("--group is missing: give -g GROUP to join")
	case len(f.topics) == 0:
		return usage("--topic is missing: give -t TOPIC at least once")
	case f.sql != "" && slices.ContainsFunc(f.topics, func(t string) bool { return strings.Contains(t, ":") }):
		return usage("--sql %q and tags of a topic: give one of them", f.sql)
	}
	return nil
}

func (f *consumeFlags) run(ctx context.Context, p Process) error {
	if err := f.missing(); err != nil {
		return err
	}
	log, closeLog, err := f.openLog(f.record.output)
	if err != nil {
		return err
	}
	defer closeLog()
	settings := f.consumer()
	if err := f.mode.apply(&settings, f); err != nil {
		return err
	}
	cfg := engine.Config{NameServers: nameServers(f.namesrv), ClientID: f.clientID(), VIPChannel: f.vipChannel, Consumer: settings, Log: log}
	if cfg.Recording, err = f.record.recording(settings.Group); err != nil {
		return err
	}
	live, err := engine.Open(cfg)
	if err != nil {
		return usageError{err}
	}
	if !f.joinExisting {
		if err := askToJoin(ctx, p, f, live); err != nil {
			return err
		}
	}
	return f.record.around(p, live, func() error {
		if f.step {
			return f.showStepped(ctx, p, live)
		}
		return f.show(ctx, p, live)
	})
}

func (f *consumeFlags) consumer() consumer.Config {
	cfg := consumer.Config{
		Group: f.group, Namespace: f.namespace, Threads: f.threads, Batch: f.batch, MaxReconsume: f.maxReconsume,
		Pull: pull.Config{Batch: f.pullBatch, Limits: pull.Limits{CountPerQueue: f.limitCount, MiBPerQueue: f.limitMiB, Span: f.limitSpan}},
	}
	for _, t := range f.topics {
		topic, expression, _ := strings.Cut(t, ":")
		s := consumer.Subscription{Topic: topic, Expression: expression}
		if f.sql != "" {
			s.Expression, s.Type = f.sql, protocol.ExpressionSQL92
		}
		cfg.Subscriptions = append(cfg.Subscriptions, s)
	}
	switch f.from {
	case "first":
		cfg.From = mq.FromFirstOffset
	case "timestamp":
		cfg.From = mq.FromTimestamp
		if f.timestamp != "" {
			cfg.Timestamp, _ = time.ParseInLocation(timestampLayout, f.timestamp, time.Local)
		}
	}
	status := consume.Success
	if f.verdict == "later" {
		status = consume.ReconsumeLater
	}
	cfg.Listener = engine.Answering(clock.System{}, f.handlerDelay, status)
	return cfg
}

// clientID names this member: no two processes may have the same, or they would be given the
// same queues.
func (f *consumeFlags) clientID() string {
	instance := f.instance
	if instance == "" {
		instance = f.mode.instanceOf(strconv.Itoa(os.Getpid()) + "#" + strconv.FormatUint(rand.Uint64()>>16, 36))
	}
	return client.ClientID(localAddr(), instance, "")
}

// localAddr is this machine's first address that others could reach, loopback if there is none.
func localAddr() string {
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return "127.0.0.1"
	}
	for _, a := range addrs {
		if ip, ok := a.(*net.IPNet); ok && ip.IP.To4() != nil && ip.IP.IsGlobalUnicast() {
			return ip.IP.String()
		}
	}
	return "127.0.0.1"
}
