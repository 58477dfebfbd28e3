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

// How soon and how often other members are asked about themselves: each a moment after it was
// seen first and then once a minute, no two within a second, whatever their number.
const (
	peerFirst = 3 * time.Second
	peerEvery = time.Minute
	peerPace  = time.Second
	// peerEveryInOrder is as often as locks are renewed.
	peerEveryInOrder = lockInterval
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
	// PeerTold answers an AskPeer.
	PeerTold struct {
		ClientID string
		Info     protocol.ConsumerRunningInfo
		Err      error
	}
	// AskPeer asks a member, through a broker, what it is doing (GET_CONSUMER_RUNNING_INFO).
	// Each is answered by one PeerTold.
	AskPeer struct{ ClientID string }
)

// Peers compares what the other members of the group subscribe to with what this one does. In
// a group whose members differ, a queue may be allotted to a member that does not want its
// topic, and brokers filter for all by the tags that were subscribed to last; no broker tells
// so. Plain state, stepped by the owner of the Rebalance whose members they are.
//
// A broadcasting group shares nothing: its members are not listed, and so nobody is asked.
// It also keeps which locks they say they hold, for those who want to see two owners of one.
//
// Java: ConsumerRunningInfo.analyzeSubscription, which only tools call.
type Peers struct {
	clientID string
	peers    map[string]*peer
	ours     map[string]protocol.SubscriptionData
	every    time.Duration
	asked    string // whose answer is awaited, "" nobody's
	askedAt  time.Time
	next     time.Time
	dueAt    time.Time // NextDue
	due      bool
	claimed  map[mq.MessageQueue][]claim // of all peers; nil when to be gathered anew
	silent   map[string]time.Time        // members, also gone ones, that are not asked before that
	out      []Action
}

// peer is one other member.
type peer struct {
	due     time.Time
	told    time.Time
	err     error // of the last question
	subs    map[string]protocol.SubscriptionData
	differs []snapshot.Difference
	locks   map[mq.MessageQueue]claim
}

// NewPeers returns one that knows of nobody yet. Members of a group that consumes in order are
// asked more often, for their locks.
func NewPeers(clientID string, ordered bool) *Peers {
	p := &Peers{clientID: clientID, peers: map[string]*peer{}, silent: map[string]time.Time{}, every: peerEvery}
	if ordered {
		p.every = peerEveryInOrder
	}
	return p
}

// Step takes in PeersSeen, PeerTold and event.Tick; it returns AskPeer and event.Entry.
func (p *Peers) Step(now time.Time, e event.Event) []Action {
	p.out = nil
	switch e := e.(type) {
	case PeersSeen:
		p.seen(now, e)
	case PeerTold:
		p.hear(now, e)
	}
	p.ask(now)
	p.dueAt, p.due = p.nextDue()
	return p.out
}

// NextDue is when Step wants a Tick; false when never. It costs nothing.
func (p *Peers) NextDue() (time.Time, bool) { return p.dueAt, p.due }

func (p *Peers) nextDue() (time.Time, bool) {
	if p.asked != "" {
		return p.next.Add(listPatience), true
	}
	id, at := p.first()
	return at, id != ""
}

// first is whom to ask next, and when; nobody when there are no others.
func (p *Peers) first() (id string, at time.Time) {
	for name, m := range p.peers {
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
	p.asked, p.askedAt, p.next, p.peers[id].due = id, now, now.Add(peerPace), now.Add(p.every)
	p.out = append(p.out, AskPeer{ClientID: id})
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
	for _, id := range e.Members {
		if p.peers[id] == nil && id != p.clientID && id != "" {
			due := now.Add(peerFirst)
			if until := p.silent[id]; until.After(due) {
				due = until
			}
			p.peers[id] = &peer{due: due}
		}
	}
	p.ours = byTopic(e.Ours)
	for _, id := range p.ids() {
		p.compare(now, id)
	}
}

// ids are the other members, sorted.
func (p *Peers) ids() []string {
	ids := make([]string, 0, len(p.peers))
	for id := range p.peers {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, mq.CompareJava)
	return ids
}

// hear takes in what a member told. A failure leaves what it told before.
func (p *Peers) hear(now time.Time, e PeerTold) {
	awaited := p.asked == e.ClientID
	if awaited {
		p.asked = ""
	}
	m := p.peers[e.ClientID]
	if m == nil {
		return
	}
	if m.err = e.Err; m.err != nil {
		if isSilence(e.Err) {
			m.due = now.Add(peerSilent)
			p.silent[e.ClientID] = m.due
		}
		return
	}
	delete(p.silent, e.ClientID)
	m.told, m.subs = now, byTopic(e.Info.SubscriptionSet)
	if awaited { // else it is not known when it was asked
		p.claims(e.ClientID, m, e.Info.MQTable)
	}
	p.compare(now, e.ClientID)
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
}

func (p *Peers) tell(now time.Time, level event.Level, id, what string) {
	what = fmt.Sprintf("member %q %s", id, what)
	p.out = append(p.out, event.Entry{At: now, Level: level, Source: "rebalance", Where: id, What: what, Count: 1})
}

// Differs returns how the subscriptions of a member differ from ours, by topic, and when it
// told them. It is not to be changed.
func (p *Peers) Differs(id string) (list []snapshot.Difference, told snapshot.Val[time.Time]) {
	m := p.peers[id]
	switch {
	case m == nil || m.told.IsZero() && m.err == nil:
		return nil, snapshot.UnknownBecause[time.Time]("not asked yet")
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
