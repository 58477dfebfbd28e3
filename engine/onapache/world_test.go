package onapache_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mqscope/engine"
	"mqscope/engine/apachetest"
	"mqscope/engine/consume"
	"mqscope/engine/consumer"
	"mqscope/engine/mq"
	"mqscope/engine/rebalance"
	"mqscope/engine/recorder"
	"mqscope/engine/recorder/recordertest"
	"mqscope/engine/snapshot"
)

// patience is for whole tests against real servers; nothing in them depends on how fast
// they are.
const patience = 3 * time.Minute

func TestMain(m *testing.M) { os.Exit(apachetest.Main{M: leakFree{m}}.Run()) }

// leakFree fails the run when a goroutine is left behind.
type leakFree struct{ m *testing.M }

func (l leakFree) Run() int {
	code := l.m.Run()
	if err := goleak.Find(); code == 0 && err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// ourMember is one of our consumers on the real cluster.
type ourMember struct {
	t     *testing.T
	id    string
	live  *engine.Live
	shows shows // live, or who steps it
	stop  context.CancelFunc
	done  chan error
	// recording is the file that all it does is recorded to.
	recording   string
	ownStrategy bool

	mu       sync.Mutex
	keys     map[string]int   // key → deliveries
	attempts map[string][]int // key → reconsume times of its deliveries
}

type shows interface {
	Run(ctx context.Context) error
	Snapshot() *snapshot.Snapshot
	Updates() <-chan struct{}
}

type answer func(m mq.Message) consume.Status

func success(mq.Message) consume.Status { return consume.Success }

func joinApache(t *testing.T, c *apachetest.Cluster, group, topic, id string, answer answer, change ...func(*engine.Config)) *ourMember {
	t.Helper()
	m := openMember(t, c.NameServer, group, topic, id, answer, change...)
	m.run(m.live)
	return m
}

// openMember makes a member that does not run yet.
func openMember(t *testing.T, nameServer, group, topic, id string, answer answer, change ...func(*engine.Config)) *ourMember {
	t.Helper()
	m := &ourMember{t: t, id: id, done: make(chan error, 1), keys: map[string]int{}, attempts: map[string][]int{}}
	cfg := engine.Config{
		NameServers: []string{nameServer}, ClientID: id,
		Consumer: consumer.Config{
			Group: group, From: mq.FromFirstOffset, Subscriptions: []consumer.Subscription{{Topic: topic}},
			Listener: func(_ context.Context, msgs []mq.Message, _ *consume.Context) consume.Status {
				for _, msg := range msgs {
					m.note(msg)
					if s := answer(msg); s != consume.Success {
						return s
					}
				}
				return consume.Success
			},
		},
	}
	for _, fn := range change {
		fn(&cfg)
	}
	live, err := engine.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	m.live, m.ownStrategy = live, cfg.Consumer.Strategy != nil && !rebalance.Plain(cfg.Consumer.Strategy)
	m.recording = filepath.Join(t.TempDir(), "member.mqrec")
	if err := live.StartRecording(recorder.Record{File: m.recording}); err != nil {
		t.Fatal(err)
	}
	return m
}

// remake has the consumer do once more what was recorded of it: on this cluster it did so among
// real threads, on real time.
func (m *ourMember) remake() {
	if m.ownStrategy {
		return // what it does is not recorded
	}
	if s := recordertest.EndOf(m.t, m.recording); s.Source.State != snapshot.Ended || m.live.Snapshot().Counters.Commits != s.Counters.Commits {
		m.t.Errorf("member %s: its recording ends %v with %d commits", m.id, s.Source.State, s.Counters.Commits)
	}
}

// run has the member run as s, until it leaves.
func (m *ourMember) run(s shows) {
	m.shows = s
	ctx, stop := context.WithCancel(context.Background())
	m.stop = stop
	go func() { m.done <- s.Run(ctx) }()
	m.t.Cleanup(m.leave)
}

func (m *ourMember) note(msg mq.Message) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.keys[msg.Keys()]++
	m.attempts[msg.Keys()] = append(m.attempts[msg.Keys()], int(msg.ReconsumeTimes()))
}

// leave stops the member cleanly; a second call does nothing.
func (m *ourMember) leave() {
	m.stop()
	select {
	case err, ok := <-m.done:
		if ok {
			close(m.done)
			m.remake()
		}
		if err != nil {
			m.t.Errorf("member %s: %v", m.id, err)
		}
	case <-time.After(30 * time.Second):
		m.t.Errorf("member %s did not end", m.id)
	}
}

func (m *ourMember) distinct() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.keys)
}

// until waits for a snapshot that cond holds for.
func (m *ourMember) until(what string, cond func(s *snapshot.Snapshot) bool) *snapshot.Snapshot {
	m.t.Helper()
	deadline := time.After(patience)
	for {
		select {
		case <-m.shows.Updates():
			if s := m.shows.Snapshot(); cond(s) {
				return s
			}
		case <-deadline:
			s := m.shows.Snapshot()
			m.t.Fatalf("waited for %s: have %d messages, queues %v, source %+v", what, m.distinct(), ownedOf(s, ""), s.Source)
		}
	}
}

// tells tells whether an event has all of the words.
func tells(s *snapshot.Snapshot, words ...string) bool {
	return slices.ContainsFunc(s.Events.Entries, func(e snapshot.Entry) bool {
		return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(e.What, word) })
	})
}

// configure changes a setting of the broker for the time of a test.
func configure(t *testing.T, c *apachetest.Cluster, key, value, after string) {
	t.Helper()
	set := func(value string) {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if _, err := c.Admin(ctx, "updateBrokerConfig", "-b", c.Broker, "-k", key, "-v", value); err != nil {
			t.Error(err)
		}
	}
	set(value)
	t.Cleanup(func() { set(after) })
}

// ownedOf are the queues of topic (of every topic when empty) that this member owns, as
// Apache's member prints them.
func ownedOf(s *snapshot.Snapshot, topic string) []string {
	var out []string
	for _, q := range s.Queues {
		if q.State != snapshot.NotOwned && q.State != snapshot.Resolving && (topic == "" || q.ID.Topic == topic) {
			out = append(out, fmt.Sprintf("%s@%s:%d", q.ID.Topic, q.ID.BrokerName, q.ID.QueueID))
		}
	}
	slices.Sort(out)
	return out
}

// deliveries are what an application was given, and when.
type deliveries struct {
	mu   sync.Mutex
	list []delivery
}

type delivery struct {
	queue  mq.MessageQueue
	offset int64
	at     time.Time
}

func (d *deliveries) note(q mq.MessageQueue, at time.Time, msgs []mq.Message) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, m := range msgs {
		d.list = append(d.list, delivery{q, m.QueueOffset(), at})
	}
}

// slow has a member of ours note each delivery and take work for it.
func (d *deliveries) slow(work time.Duration) func(*engine.Config) {
	return func(c *engine.Config) {
		inner := c.Consumer.Listener
		c.Consumer.Listener = func(ctx context.Context, msgs []mq.Message, cc *consume.Context) consume.Status {
			d.note(cc.Queue, time.Now(), msgs)
			time.Sleep(work)
			return inner(ctx, msgs, cc)
		}
	}
}

// slowInOrder is slow for a member that consumes in order.
func (d *deliveries) slowInOrder(work time.Duration) func(*engine.Config) {
	return func(c *engine.Config) {
		c.Consumer.Listener, c.Consumer.Orderly = nil, true
		c.Consumer.OrderlyListener = func(_ context.Context, msgs []mq.Message, ctx *consume.OrderlyContext) consume.OrderlyStatus {
			d.note(ctx.Queue, time.Now(), msgs)
			time.Sleep(work)
			return consume.OrderlySuccess
		}
	}
}
