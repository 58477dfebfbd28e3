package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mqscope/engine"
	"mqscope/engine/mq"
	"mqscope/engine/ondemand"
	"mqscope/engine/recording"
	"mqscope/tui/config"
)

// onDemandFlags are the settings of a consumer that is asked for messages: those of consume
// that concern it, and what the application is like that asks.
type onDemandFlags struct {
	consumeFlags
	app    ondemand.App
	queues []string
}

// addAsked adds what pull, schedule and lite have in common.
func (f *onDemandFlags) addAsked(fs *pflag.FlagSet, pullBatch int) {
	f.add(fs)
	f.addMember(fs)
	config.Int(fs, &f.pullBatch, "pull-batch", "", pullBatch, 1, 1024, "messages a pull asks for")
	config.Duration(fs, &f.app.Work, "handler-delay", 0, 0, time.Hour, "how long the application works on each batch")
	fs.StringVarP(&f.record.output, "output", "o", "", "`RECORDING` to write (.mqrec), of what its connections carry; without messages, for its owner only")
	config.Bool(fs, &f.record.force, "force", "replace a recording that is there already")
}

// command is a command that opens a source with open and shows it.
func (f *onDemandFlags) command(p Process, cmd *cobra.Command, open func(engine.Config, ondemand.App) (*ondemand.Source, error)) *cobra.Command {
	cmd.Args = noArguments
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := f.load(cmd); err != nil {
			return err
		}
		return f.run(cmd.Context(), p, open)
	}
	return cmd
}

func (f *onDemandFlags) run(ctx context.Context, p Process, open func(engine.Config, ondemand.App) (*ondemand.Source, error)) error {
	queues, err := parseQueues("--queue", f.queues)
	if err != nil {
		return err
	}
	f.app.Queues = queues
	for _, q := range queues {
		if !f.names(q.Topic) {
			f.topics = append(f.topics, q.Topic)
		}
	}
	if err := f.missing(); err != nil {
		return err
	}
	log, closeLog, err := f.openLog(f.record.output)
	if err != nil {
		return err
	}
	defer closeLog()
	f.verdict = "success"
	settings := f.consumer()
	if err := f.mode.apply(&settings, &f.consumeFlags); err != nil {
		return err
	}
	// Java's pull consumers have this part in their client ids, so that no push consumer has
	// the same.
	cfg := engine.Config{NameServers: nameServers(f.namesrv), ClientID: f.clientID(), UnitName: "STREAM", VIPChannel: f.vipChannel, Consumer: settings, Log: log}
	if f.record.output != "" {
		return f.recorded(ctx, p, cfg, open)
	}
	source, err := open(cfg, f.app)
	if err != nil {
		return usageError{err}
	}
	if err := f.ask(ctx, p, source); err != nil {
		return err
	}
	return f.show(ctx, p, source)
}

// recorded shows a source that is recorded by what its connections carry.
func (f *onDemandFlags) recorded(ctx context.Context, p Process, cfg engine.Config, open func(engine.Config, ondemand.App) (*ondemand.Source, error)) error {
	if err := recording.Free(f.record.output, f.record.force); err != nil {
		return f.record.refused(err) // before anybody is asked
	}
	asks, err := open(cfg, f.app) // what it asks before it joins is not recorded
	if err != nil {
		return usageError{err}
	}
	if err := f.ask(ctx, p, asks); err != nil {
		return err
	}
	w, err := newWireRecording(&f.record, f.namesrv, cfg.Consumer.Group)
	if err != nil {
		return err
	}
	cfg.Dial = w.dial()
	source, err := open(cfg, f.app)
	if err != nil {
		return usageError{err}
	}
	return w.around(ctx, p, func() error { return f.show(ctx, p, w.shown(source)) })
}

// ask asks whether to join a group that has members.
func (f *onDemandFlags) ask(ctx context.Context, p Process, source *ondemand.Source) error {
	if f.joinExisting {
		return nil
	}
	return askToJoin(ctx, p, &f.consumeFlags, source)
}

// names tells whether a topic is among those given.
func (f *onDemandFlags) names(topic string) bool {
	for _, t := range f.topics {
		if name, _, _ := strings.Cut(t, ":"); name == topic {
			return true
		}
	}
	return false
}

// parseQueues reads what a flag gave as TOPIC/BROKER/ID.
func parseQueues(flag string, list []string) ([]mq.MessageQueue, error) {
	var out []mq.MessageQueue
	for _, s := range list {
		q, err := parseQueue(s)
		if err != nil {
			return nil, usage("%s %q: %v", flag, s, err)
		}
		out = append(out, q)
	}
	return out, nil
}

func parseQueue(s string) (mq.MessageQueue, error) {
	parts := strings.Split(s, "/")
	if len(parts) != 3 || parts[1] == "" {
		return mq.MessageQueue{}, fmt.Errorf("TOPIC/BROKER/ID is allowed, as in orders/broker-a/0")
	}
	id, err := strconv.ParseInt(parts[2], 10, 32)
	if err != nil || id < 0 {
		return mq.MessageQueue{}, fmt.Errorf("%q is no queue id: a number from 0 on is allowed", parts[2])
	}
	return mq.MessageQueue{Topic: parts[0], BrokerName: parts[1], QueueID: int32(id)}, mq.ValidateTopic(parts[0])
}

func checkQueueFlag(s string) error {
	_, err := parseQueue(s)
	return err
}
