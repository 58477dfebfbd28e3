package rebalance

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/snapshot"
)

// Brokers are asked what the group subscribes to after each pass and every groupEvery, not
// within groupPace. It takes groupHits answers that differ to believe that members do, and
// groupEquals in a row that do not to believe that it is over.
const (
	groupEvery  = 20 * time.Second
	groupPace   = 5 * time.Second
	groupHits   = 2
	groupEquals = 6
)

// Members themselves are asked only when there is something to find out: one that differs
// again every peerAgain, while somebody looks at locks each every peerEvery, no two within
// peerPace, and a new one not before peerFirst.
const (
	peerFirst = 3 * time.Second
	peerAgain = 5 * time.Minute
	peerEvery = lockInterval
	peerPace  = time.Second
	// peerSilent is how long a member is left alone that did not answer in time, also when it
	// left and came back: it may be the question that made it leave, see client.MemberInfo.
	peerSilent = 10 * time.Minute
)

type (
	// PeersSeen is the event that a pass has ended: the members of the group, and what this one
	// subscribes to.
	PeersSeen struct {
		Members []string
		Ours    []protocol.SubscriptionData
	}
	// GroupTold answers an AskGroup: what this member subscribed to when it was asked and what
	// the broker has of the group.
	GroupTold struct {
		Ours, Theirs []protocol.SubscriptionData
		Err          error
	}
	// GroupMoved is the event that a broker tells of a change in the group: what a new member
	// subscribes to may show until the next heartbeat of this one.
	GroupMoved struct{}
	// LocksWatched says whether somebody looks at locks.
	LocksWatched struct{ On bool }
	// PeerTold answers an AskPeer.
	PeerTold struct {
		ClientID string
		Info     protocol.ConsumerRunningInfo
		Err      error
	}
	// AskGroup asks a broker what the group subscribes to (GET_CONSUMER_CONNECTION_LIST). Each is
	// answered by one GroupTold.
	AskGroup struct{}
	// AskPeer asks a member, through a broker, what it is doing (GET_CONSUMER_RUNNING_INFO).
	// Each is answered by one PeerTold.
	AskPeer struct{ ClientID string }
)

// Peers compares what the other members of the group subscribe to with what this one does. In
// a group whose members differ, a queue may be allotted to a member that does not want its
// topic, and brokers filter for all by the tags that were subscribed to last; no broker tells
// so. What a broker keeps of the group is what its last heartbeat said, so members that differ
// show there sooner or later; only then are they asked themselves, which is no small thing:
// Java's client may stop for seconds to answer. Plain state, stepped by the owner of the
// Rebalance whose members they are.
//
// While somebody looks at the locks of a group that consumes in order, it also gathers who
// says to hold them. A broadcasting group is not watched: its members are not listed.
//
// Java: ConsumerRunningInfo.analyzeSubscription, which only tools call.
type Peers struct {
	clientID string
	ordered  bool
	peers    map[string]*peer
	turn     time.Duration // before members are asked that others may ask as well
	ours     map[string]protocol.SubscriptionData
	group    groupWatch
	looks    bool   // somebody looks at locks
	asked    string // whose answer is awaited, "" nobody's
	askedAt  time.Time
	next     time.Time
	dueAt    time.Time // NextDue
	due      bool
	claimed  map[mq.MessageQueue][]claim `pack:"-"` // of all peers; nil when to be gathered anew
	silent   map[string]time.Time        // members, also gone ones, that are not asked before that
	out      []Action                    `pack:"-"`
}

// peer is one other member.
type peer struct {
	due     time.Time // zero: not to be asked
	told    time.Time
	err     error // of the last question
	subs    map[string]protocol.SubscriptionData
	differs []snapshot.Difference
	locks   map[mq.MessageQueue]claim
}

// NewPeers returns one that knows of nobody yet; ordered says that the group needs locks.
func NewPeers(clientID string, ordered bool) *Peers {
	return &Peers{clientID: clientID, ordered: ordered, peers: map[string]*peer{}, silent: map[string]time.Time{}}
}

// Step takes in PeersSeen, GroupMoved, GroupTold, LocksWatched, PeerTold and event.Tick; it returns
// AskGroup, AskPeer and event.Entry.
func (p *Peers) Step(now time.Time, e event.Event) []Action {
	p.out = nil
	switch e := e.(type) {
	case PeersSeen:
		p.seen(now, e)
	case GroupMoved:
		p.groupMoved(now)
	case GroupTold:
		p.groupTold(now, e)
	case LocksWatched:
		p.watchLocks(now, e.On)
	case PeerTold:
		p.hear(now, e)
	}
	p.askGroup(now)
	p.ask(now)
	p.dueAt, p.due = p.nextDue()
	return p.out
}

// NextDue is when Step wants a Tick; false when never. It costs nothing.
func (p *Peers) NextDue() (time.Time, bool) { return p.dueAt, p.due }

func (p *Peers) nextDue() (at time.Time, ok bool) {
	if p.asked != "" {
		at, ok = p.next.Add(listPatience), true
	} else if id, due := p.first(); id != "" {
		at, ok = due, true
	}
	if due := p.group.next(); len(p.peers) > 0 && (!ok || due.Before(at)) {
		return due, true
	}
	return at, ok
}

// first is whom to ask next, and when; nobody when there is no need.
func (p *Peers) first() (id string, at time.Time) {
	for name, m := range p.peers {
		if m.due.IsZero() {
			continue
		}
		if id == "" || m.due.Before(at) || m.due.Equal(at) && name < id {
			id, at = name, m.due
		}
	}
	if id != "" && at.Before(p.next) {
		at = p.next
	}
	return id, at
}

func (p *Peers) ask(now time.Time) {
	if p.asked != "" {
		if now.Before(p.next.Add(listPatience)) {
			return
		}
		p.asked = "" // lost: no call takes that long
	}
	id, at := p.first()
	if id == "" || at.After(now) {
		return
	}
	p.asked, p.askedAt, p.next = id, now, now.Add(peerPace)
	p.again(now, id)
	p.out = append(p.out, AskPeer{ClientID: id})
}

// want has a member asked at a time, or as soon afterwards as may be.
func (p *Peers) want(at time.Time, id string) {
	if until := p.silent[id]; until.After(at) {
		at = until
	}
	p.peers[id].due = at
}

// again plans the next question to a member, if there is to be one.
func (p *Peers) again(now time.Time, id string) {
	switch m := p.peers[id]; {
	case p.looks:
		p.want(now.Add(peerEvery), id)
	case len(m.differs) > 0:
		p.want(now.Add(peerAgain), id)
	default:
		m.due = time.Time{}
	}
}

// watchLocks begins, or ends, to ask everybody for locks.
func (p *Peers) watchLocks(now time.Time, on bool) {
	if on = on && p.ordered; on == p.looks {
		return
	}
	p.looks = on
	for _, id := range p.ids() {
		if on {
			p.want(now, id)
		} else {
			p.again(now, id)
		}
	}
}

// seen takes over who is in the group.
func (p *Peers) seen(now time.Time, e PeersSeen) {
	for id := range p.peers {
		if !slices.Contains(e.Members, id) {
			delete(p.peers, id)
			p.claimed = nil
		}
	}
	maps.DeleteFunc(p.silent, func(_ string, until time.Time) bool { return !until.After(now) })
	p.turn = turnOf(p.clientID, e.Members)
	for _, id := range e.Members {
		if p.peers[id] == nil && id != p.clientID && id != "" {
			p.peers[id] = &peer{}
			if p.looks || p.group.differs {
				p.want(now.Add(peerFirst+p.turn), id)
			}
		}
	}
	p.group.soon(now)
	p.ours = byTopic(e.Ours)
	for _, id := range p.ids() {
		p.compare(now, id)
	}
}

// turnOf spreads the questions of members that begin to ask at the same time: two at once may
// be more than whom they ask can answer.
func turnOf(me string, members []string) time.Duration {
	before := 0
	for _, id := range members {
		if id < me {
			before++
		}
	}
	return time.Duration(before%30) * peerPace
}

// ids are the other members, sorted.
func (p *Peers) ids() []string { return slices.SortedFunc(maps.Keys(p.peers), mq.CompareJava) }

// hear takes in what a member told. A failure leaves what it told before.
func (p *Peers) hear(now time.Time, e PeerTold) {
	awaited := p.asked == e.ClientID
	if awaited {
		p.asked = ""
	}
	if isSilence(e.Err) {
		p.silent[e.ClientID] = now.Add(peerSilent)
	}
	m := p.peers[e.ClientID]
	if m == nil {
		return
	}
	if m.err = e.Err; m.err != nil {
		if p.looks || p.group.differs {
			p.want(now.Add(peerAgain), e.ClientID)
		}
		return
	}
	delete(p.silent, e.ClientID)
	m.told, m.subs = now, byTopic(e.Info.SubscriptionSet)
	if awaited { // else it is not known when it was asked
		p.claims(e.ClientID, m, e.Info.MQTable)
	}
	p.compare(now, e.ClientID)
	p.again(p.askedAt, e.ClientID)
}

// isSilence tells whether a member was asked and did not answer in time.
func isSilence(err error) bool {
	be, ok := errors.AsType[*protocol.BrokerError](err)
	return ok && be.Code == protocol.ConsumeMsgTimeout || errors.Is(err, context.DeadlineExceeded)
}

// compare tells when a member begins, or ends, to differ from this one.
func (p *Peers) compare(now time.Time, id string) {
	m := p.peers[id]
	if m.told.IsZero() {
		return
	}
	was := m.differs
	m.differs = differences(p.ours, m.subs)
	switch {
	case slices.EqualFunc(was, m.differs, sameDifference):
	case len(m.differs) == 0:
		p.tell(now, event.Info, id, "subscribes as this member does now")
	default:
		p.tell(now, event.Error, id, differText(m.differs))
	}
	if m.due.IsZero() {
		p.again(now, id)
	}
}

func (p *Peers) tell(now time.Time, level event.Level, id, what string) {
	who := "another member of the group "
	if id != "" {
		who = fmt.Sprintf("member %q ", id)
	}
	p.out = append(p.out, event.Entry{At: now, Level: level, Source: "rebalance", Where: id, What: who + what, Count: 1})
}

// Differs returns how the subscriptions of a member differ from ours, by topic, and when it
// told them. It is not to be changed.
func (p *Peers) Differs(id string) (list []snapshot.Difference, told snapshot.Val[time.Time]) {
	m := p.peers[id]
	switch {
	case m == nil || m.told.IsZero() && m.err == nil:
		return nil, snapshot.UnknownBecause[time.Time]("not asked: brokers know of no difference")
	case m.told.IsZero():
		return nil, snapshot.UnknownBecause[time.Time]("it does not tell: " + m.err.Error())
	}
	return m.differs, snapshot.Of(m.told, m.told)
}

// Unread tells whether a member is known not to subscribe to a topic: nobody reads the queues
// of it that are allotted to this member.
func (p *Peers) Unread(id, topic string) bool {
	m := p.peers[id]
	if m == nil || m.told.IsZero() || mq.IsRetryTopic(topic) {
		return false
	}
	_, subscribed := m.subs[topic]
	return !subscribed
}
