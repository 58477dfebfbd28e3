package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"time"

	"mqscope/engine/client"
	"mqscope/engine/clock"
	"mqscope/engine/consume"
	"mqscope/engine/consumer"
	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/recorder"
	"mqscope/engine/remoting"
	"mqscope/engine/snapshot"
)

// Config says which cluster to join and how to consume there. Identity, chance, time and
// network come in here: the engine reads nothing of the process it runs in.
type Config struct {
	Name        string   // of the cluster, for the header; default the first name server
	NameServers []string // host:port
	ClientID    string   // see client.ClientID
	UnitName    string   // put behind ClientID; may be empty
	VIPChannel  bool     // see client.Config
	Consumer    consumer.Config

	Dial   func(ctx context.Context, network, addr string) (net.Conn, error)
	Clock  clock.Clock
	Rand   *rand.Rand
	Log    *slog.Logger
	Limits remoting.Limits
	Kind   snapshot.SourceKind

	Recording recorder.Config
}

// Live is a consumer on a cluster.
type Live struct {
	cfg      Config
	instance *client.Instance
	push     *consumer.Push
	recorder *recorder.Recorder
}

// Open checks cfg and returns a source that joins the cluster when run. Its error names all
// faults.
func Open(cfg Config) (*Live, error) {
	cfg = cfg.WithDefaults()
	instance, err := cfg.Instance()
	cfg.Consumer.ClientID = cfg.ClientID
	if err == nil {
		cfg.Consumer.ClientID = instance.ClientID()
	}
	cfg.Consumer.Clock = cfg.Clock
	if err != nil {
		return nil, errors.Join(err, cfg.Consumer.Validate())
	}
	l := &Live{instance: instance}
	if l.recorder, err = recorder.New(cfg.Recording, cfg.Clock); err != nil {
		return nil, err
	}
	cfg.Consumer.Log = l.recorder.Watch(cfg.Log)
	l.cfg = cfg
	if l.push, err = consumer.NewPush(cfg.Consumer, instance); err != nil {
		return nil, err
	}
	l.recorder.Of(cfg.Name, &l.cfg.Consumer, l.push)
	return l, nil
}

// WithDefaults is c with what fields left empty mean, and its consumer in the namespace.
func (c Config) WithDefaults() Config {
	if c.Clock == nil {
		c.Clock = clock.System{}
	}
	if c.Name == "" && len(c.NameServers) > 0 {
		c.Name = c.NameServers[0]
	}
	c.Consumer = c.Consumer.InNamespace()
	return c
}

// Instance is a new client instance that joins the cluster when run.
func (c *Config) Instance() (*client.Instance, error) {
	return client.New(client.Config{
		NameServers: c.NameServers, ClientID: c.ClientID, UnitName: c.UnitName, VIPChannel: c.VIPChannel, Dial: c.Dial,
		Clock: c.Clock, Rand: c.Rand, Log: c.Log, Limits: c.Limits,
	})
}

// Run joins, consumes until ctx ends, leaves the group and closes the connections.
func (l *Live) Run(ctx context.Context) error {
	return l.recorder.Around(ctx, func(ctx context.Context) error { return l.instance.RunAround(ctx, l.push.Run) })
}

// Snapshot implements Source.
func (l *Live) Snapshot() *snapshot.Snapshot {
	s := *l.push.Snapshot()
	s.Source.Kind, s.Source.Name = l.cfg.Kind, l.cfg.Name
	l.recorder.Show(&s)
	return &s
}

// Updates implements Source.
func (l *Live) Updates() <-chan struct{} { return l.push.Updates() }

// Do implements Source.
func (l *Live) Do(c Command) {
	switch c := c.(type) {
	case Pause:
		l.push.Pause()
	case Resume:
		l.push.Resume()
	case Watch:
		l.push.Watch(c.Queues...)
		l.push.WatchLocks(c.Locks)
	case recorder.Record, recorder.Stop, recorder.Save:
		l.recorder.Ask(c)
	default:
		l.steer(c)
	}
}

// StartRecording records to a file from the beginning, see recorder.Recorder; it is called before
// Run.
func (l *Live) StartRecording(c recorder.Record) error { return l.recorder.Begin(c) }

// Recorded is what became of the last recording to a file, for whoever waited for Run.
func (l *Live) Recorded() snapshot.Recorder {
	s := snapshot.Snapshot{}
	l.recorder.Show(&s)
	return s.Recorder
}

// Tell adds a line of the program around the consumer to the event stream.
func (l *Live) Tell(what string) {
	l.push.Note(event.Entry{Level: event.Warn, Source: "engine", What: what})
}

// Note adds e to the consumer's event stream.
func (l *Live) Note(e event.Entry) { l.push.Note(e) }

// Answering returns a listener that takes delay for each batch and answers status, for a
// consumer that is run to be watched rather than to process anything.
func Answering(c clock.Clock, delay time.Duration, status consume.Status) consume.Listener {
	return func(ctx context.Context, _ []mq.Message, _ *consume.Context) consume.Status {
		if err := clock.Sleep(ctx, c, delay); err != nil {
			return consume.ReconsumeLater
		}
		return status
	}
}

// AnsweringInOrder is Answering for a consumer that consumes in order.
func AnsweringInOrder(c clock.Clock, delay time.Duration, status consume.OrderlyStatus) consume.OrderlyListener {
	return func(ctx context.Context, _ []mq.Message, _ *consume.OrderlyContext) consume.OrderlyStatus {
		if err := clock.Sleep(ctx, c, delay); err != nil {
			return consume.SuspendCurrentQueueAMoment
		}
		return status
	}
}

// describe names the cluster and the group in errors.
func (c *Config) describe() string {
	return fmt.Sprintf("group %s at %v", c.Consumer.Group, c.NameServers)
}
