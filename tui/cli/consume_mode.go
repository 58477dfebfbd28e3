package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"mqscope/engine"
	"mqscope/engine/clock"
	"mqscope/engine/consume"
	"mqscope/engine/consumer"
	"mqscope/engine/mq"
	"mqscope/engine/rebalance"
	"mqscope/tui/config"
)

// defaultReconsume is DefaultMQPushConsumer's limit for consumers that need no order.
const defaultReconsume = 16

// modeFlags say in which way a group consumes: every member must say the same.
type modeFlags struct {
	orderly   bool
	broadcast bool
	strategy  string
	queues    []string // of strategy CONFIG
	rooms     []string // of strategy MACHINE_ROOM
	rebalance string
}

// addPush adds what only push consumers have.
func (f *modeFlags) addPush(fs *pflag.FlagSet) {
	config.Bool(fs, &f.orderly, "orderly", "consume each queue in order, under the broker's lock; for groups whose members all do")
	config.Choice(fs, &f.rebalance, "rebalance", "client", []string{"client", "broker"}, "who divides queues among members; broker: it does, by AVG or AVG_BY_CIRCLE, where it can and without --orderly")
}

func (f *modeFlags) add(fs *pflag.FlagSet) {
	config.Bool(fs, &f.broadcast, "broadcast", "every member reads all queues, offsets in ~/.rocketmq_offsets; for groups whose members all do")
	config.Checked(fs, &f.strategy, "strategy", "", "AVG", "NAME", "how queues are allotted, the same at all members: "+strings.Join(rebalance.StrategyNames(), ", "), nil)
	config.List(fs, &f.queues, "strategy-queue", "", "TOPIC/BROKER/ID", "queue that --strategy CONFIG gives to this member; may be repeated", checkQueueFlag)
	config.List(fs, &f.rooms, "strategy-room", "", "ROOM", "machine room that --strategy MACHINE_ROOM consumes from, the part of broker names before @; may be repeated", nil)
}

// apply completes cfg, whose listener answers verdict after the delay of f.
func (f *modeFlags) apply(cfg *consumer.Config, c *consumeFlags) error {
	queues, err := parseQueues("--strategy-queue", f.queues)
	if err != nil {
		return err
	}
	strategy, err := rebalance.StrategyByName(f.strategy, rebalance.StrategyOptions{Queues: queues, Rooms: f.rooms})
	if err != nil {
		return usage("--strategy %q: %v%s", f.strategy, err, strategyHint(f.strategy))
	}
	cfg.Strategy, cfg.BrokerRebalance = strategy, f.rebalance == "broker"
	if f.broadcast {
		home, err := os.UserHomeDir()
		if err != nil {
			return errors.Join(errors.New("--broadcast needs a home directory for its offsets"), err)
		}
		cfg.Model, cfg.OffsetsDir = mq.Broadcasting, filepath.Join(home, ".rocketmq_offsets")
	}
	if !f.orderly {
		return nil
	}
	status := consume.OrderlySuccess
	if c.verdict == "later" {
		status = consume.SuspendCurrentQueueAMoment
	}
	cfg.Orderly, cfg.Listener = true, nil
	cfg.OrderlyListener = engine.AnsweringInOrder(clock.System{}, c.handlerDelay, status)
	if c.maxReconsume == defaultReconsume {
		cfg.MaxReconsume = 0 // no limit: the queue waits for the message
	}
	return nil
}

// strategyHint names the flag that a strategy needs.
func strategyHint(strategy string) string {
	switch strings.ToUpper(strategy) {
	case "CONFIG":
		return ": name them with --strategy-queue"
	case "MACHINE_ROOM", "ROOM":
		return ": name them with --strategy-room"
	}
	return ""
}

// instanceOf is the default instance name. A broadcasting consumer keeps Java's, so that it
// finds its offsets again after a restart; two of them on one host need names of their own.
func (f *modeFlags) instanceOf(pid string) string {
	if f.broadcast {
		return "DEFAULT"
	}
	return pid
}
