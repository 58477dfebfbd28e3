package consumer

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"mqscope/engine/client"
	"mqscope/engine/clock"
	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/offset"
	"mqscope/engine/protocol"
	"mqscope/engine/rebalance"
	"mqscope/engine/snapshot"
)

// membership is what every kind of consumer has in its group: subscriptions, the queues that
// it is given, their offsets, and what pictures show of all that. One goroutine owns it, that
// of the consumer's loop, whose kind decides what a queue given or taken means (Java:
// RebalanceImpl and OffsetStore with the MQClientInstance behind them).
type membership struct {
	group     string
	clientID  string
	namespace string             // that topics and the group are in, left out where messages show a topic
	strategy  rebalance.Strategy `pack:"-"`
	clock     clock.Clock        `pack:"-"`
	client    *client.Instance   `pack:"-"`
	decisions *decision.Recorder `pack:"-"`
	kind      kind               `pack:"-"`
	startedAt time.Time
	ran       atomic.Bool `pack:"-"` // once Run was called, which is allowed once

	in        *inputs `pack:"-"` // of a push consumer, else nil
	inbox     *inbox  `pack:"-"`
	calls     *calls  `pack:"-"`
	subs      *subscriptions
	journal   *journal     `pack:"-"` // checkpoints have its end
	telling   sync.RWMutex `pack:"-"` // held while one tells from beside the loop
	rebalance *rebalance.Rebalance
	peers     *rebalance.Peers
	locks     lockHolder `pack:"-"` // of an orderly consumer
	offsets   offset.Store
	unsent    map[string]bool // brokers of which it was told that offsets can not be sent
	file      *fileOffsets    `pack:"-"` // of a broadcasting consumer, else nil
	// knownStart answers for a broker what it need not be asked; it may be nil.
	knownStart func(rebalance.ReadOffset) (e event.OffsetRead, known bool) `pack:"-"`

	queues  map[mq.MessageQueue]*owned
	lately  mq.Last[*owned]   `pack:"-"` // of queues
	order   []mq.MessageQueue // keys of queues, sorted
	illegal map[mq.MessageQueue]uint64
	watched map[mq.MessageQueue]bool
	running bool // pulls may be made
	// stepping is true in the midst of a step or tick, where nothing can be judged.
	stepping bool
	samples  int

	source   snapshot.Source
	counters snapshot.Counters
	topics   map[string]*topicTrend
	brokers  map[string]*pullSeries // by broker name
	passes   passes
	batches  batchPool         `pack:"-"`
	inflater protocol.Inflater `pack:"-"`

	out          *outlet       `pack:"-"`
	pictureEvery time.Duration // the shortest time between two snapshots
	dirty        bool          // something changed since the last snapshot
	builtAt      time.Time
	seq          uint64
}

// kind is the kind of consumer that a membership belongs to.
type kind interface {
	assign(now time.Time, e event.QueueAssigned)
	revoke(now time.Time, e event.QueueRevoked)
	// withheld tells that an offset need not, or must not, be sent now.
	withheld(now time.Time, a offset.Send) bool
	offsetSent(now time.Time, e event.OffsetSent)
	// advance brings what is resolved of a queue into the offset store.
	advance(now time.Time, o *owned)
	// task is what goes on with the pulls of a queue.
	task(q mq.MessageQueue) snapshot.Task
	// picture is the snapshot of this moment, pictureOwned what it says of one of our queues.
	picture(now time.Time) *snapshot.Snapshot
	pictureOwned(o *owned, now time.Time) snapshot.Queue
}

// newMembership returns one that lacks its kind. Topics of cfg are those of subs.
func newMembership(instance *client.Instance, subs *subscriptions, c clock.Clock, log *slog.Logger, cfg rebalance.Config) membership {
	cfg.Topics = subs.topics()
	rec, owners, offsets := decision.NewRecorder(cfg.ClientID, c.Now), rebalance.New(cfg), offset.NewBroker()
	owners.Decisions = rec
	offsets.Record(rec)
	return membership{
		decisions: rec,
		group:     cfg.Group, clientID: cfg.ClientID, strategy: cfg.Strategy, clock: c, client: instance, startedAt: c.Now(),
		inbox: newInbox(), subs: subs, journal: &journal{log: log}, rebalance: owners, peers: rebalance.NewPeers(cfg.ClientID, cfg.Orderly),
		offsets: offsets, unsent: map[string]bool{},
		queues: map[mq.MessageQueue]*owned{}, illegal: map[mq.MessageQueue]uint64{}, watched: map[mq.MessageQueue]bool{},
		topics: map[string]*topicTrend{}, brokers: map[string]*pullSeries{},
		passes: passes{owners: map[string]topicOwners{}}, out: newOutlet(), running: true,
	}
}

// runsOnce refuses every call but the first (Java: the ServiceState of a consumer's start).
func (m *membership) runsOnce() error {
	if m.ran.Swap(true) {
		return fmt.Errorf("group %s: %w", m.group, client.ErrAlreadyRun)
	}
	return nil
}

// rebalanceStep lets the rebalance take e and carries out its decisions.
func (m *membership) rebalanceStep(now time.Time, e event.Event) {
	m.carryOut(now, m.rebalance.Step(now, e))
}

func (m *membership) carryOut(now time.Time, actions []rebalance.Action) {
	for _, a := range actions {
		switch a := a.(type) {
		case rebalance.ListMembers:
			m.listMembers(a.Topic)
		case rebalance.QueryAssignment:
			m.queryAssignment(a)
		case rebalance.DrainPopRetry:
			m.drainPopRetry(a.Topic)
		case rebalance.ReadOffset:
			if a.Source == event.CommittedOffset {
				m.offsetStep(now, offset.Removed{Queue: a.Queue})
			}
			m.readOffset(a)
		case rebalance.Assign:
			m.kind.assign(now, a)
		case rebalance.Revoke:
			m.kind.revoke(now, a)
		case rebalance.LockQueues:
			m.lockQueues(a)
		case rebalance.UnlockQueues:
			m.unlockQueues(a)
		case rebalance.LocksHeld:
			m.locks.locksHeld(now, a)
		case rebalance.LocksLost:
			m.locks.locksLost(a)
		case rebalance.Release:
			m.locks.remind(now, a)
		case rebalance.Announce:
			m.subs.touch(a.Topic, now)
			m.call(groupLane, func(ctx context.Context) { m.heartbeat(ctx) })
		case event.Entry:
			a.At = now
			m.add(a)
		}
	}
}

func (m *membership) listMembers(topic string) {
	m.call(groupLane, func(ctx context.Context) {
		ids, err := m.client.ConsumerList(ctx, topic, m.group)
		m.inbox.post(event.MembersListed{Topic: topic, Members: ids, Err: err})
	})
}

func (m *membership) readOffset(a rebalance.ReadOffset) {
	if m.knownStart != nil {
		if e, known := m.knownStart(a); known {
			m.inbox.post(e)
			return
		}
	}
	if m.file != nil && a.Source == event.CommittedOffset {
		m.inbox.post(m.file.read(a))
		return
	}
	m.call(a.Queue.BrokerName, func(ctx context.Context) {
		e := event.OffsetRead{Queue: a.Queue, Epoch: a.Epoch, Source: a.Source, Found: true}
		switch a.Source {
		case event.CommittedOffset:
			e.Offset, e.Found, e.Err = m.client.QueryOffset(ctx, m.group, a.Queue)
		case event.MaxOffset:
			e.Offset, e.Err = m.client.MaxOffset(ctx, a.Queue)
		case event.MinOffset:
			e.Offset, e.Err = m.client.MinOffset(ctx, a.Queue)
		case event.OffsetByTime:
			e.Offset, e.Err = m.client.SearchOffset(ctx, a.Queue, a.Time)
		}
		m.inbox.post(e)
	})
}

// offsetStep lets the offset store take e and carries out what it decides.
func (m *membership) offsetStep(now time.Time, e event.Event) {
	for _, a := range m.offsets.Step(now, e) {
		switch a := a.(type) {
		case offset.Send:
			m.commit(now, a)
		case offset.Write:
			m.file.write(m, a)
		case event.Entry:
			a.At = now
			m.add(a)
		}
	}
}

// commit sends an offset one-way, unless the consumer withholds it. That a broker can not be
// reached is told once, whatever the number of its queues, until it can be again.
func (m *membership) commit(now time.Time, a offset.Send) {
	if m.kind.withheld(now, a) {
		return
	}
	err := m.commitOneWay(a)
	m.kind.offsetSent(now, event.OffsetSent{Queue: a.Queue, Offset: a.Offset, Err: err})
	broker := a.Queue.BrokerName
	switch sent := m.decisions.Is(decision.OffsetSent, a.Queue, err == nil, [6]int64{a.Offset}); {
	case sent:
		delete(m.unsent, broker)
	case !m.unsent[broker]:
		m.unsent[broker] = true
		m.note(now, event.Warn, "offset", broker, "offsets can not be sent, are kept and sent again later: "+err.Error())
	}
}

// heartbeat tells every broker of us and says whether one of them took it. Pulls do not carry
// a subscription yet that not all of them took: they would be refused.
func (m *membership) heartbeat(ctx context.Context) bool {
	versions := m.subs.versions()
	sent, err := m.client.HeartbeatAll(ctx)
	switch {
	case err == nil:
		m.subs.announced(versions)
	case sent == 0 && ctx.Err() == nil:
		m.tell(event.Entry{Level: event.Warn, Source: "remote", What: "heartbeat: " + err.Error()})
	}
	return sent > 0
}

// commitOneWay hands an offset to the connection of its broker.
func (m *membership) commitOneWay(a offset.Send) error {
	m.in.act(actCommit, int64(a.Queue.QueueID), a.Offset)
	if m.in == nil {
		return m.client.CommitOffset(m.group, a.Queue, a.Offset)
	}
	return seen(m.in, "commit to "+a.Queue.BrokerName, func() failure {
		return failure{m.client.CommitOffset(m.group, a.Queue, a.Offset)}
	}).Err
}

// tell adds an entry to the event stream from beside the loop. While the loop is recorded it goes
// through the loop: the order of all entries is that of the recording.
func (m *membership) tell(e event.Entry) {
	if e.At.IsZero() {
		e.At = m.clock.Now()
	}
	m.telling.RLock()
	defer m.telling.RUnlock()
	if m.in != nil && m.in.recording.Load() {
		m.inbox.post(e)
		return
	}
	m.journal.add(e)
}

// tellsAsNow waits for those who tell in the way of before recording began or ended.
func (m *membership) tellsAsNow() {
	m.telling.Lock()
	defer m.telling.Unlock()
}

// add adds an entry to the event stream, from the loop.
func (m *membership) add(e event.Entry) {
	e.Seq = m.journal.add(e)
	m.in.told(e)
}

func (m *membership) note(now time.Time, level event.Level, source, where, what string) {
	m.add(event.Entry{At: now, Level: level, Source: source, Where: where, What: what})
}

func (m *membership) noteQueue(now time.Time, level event.Level, source string, q mq.MessageQueue, what string) {
	m.add(event.Entry{At: now, Level: level, Source: source, Queue: q, What: what})
}
