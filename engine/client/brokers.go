package client

import (
	"context"
	"fmt"
	"slices"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
	"mqscope/engine/route"
)

// link is what is remembered of one broker address.
type link struct {
	version   int32     // as its last heartbeat answer said, 0 when there was none
	beatAt    time.Time // last heartbeat that was accepted
	beatErr   error     // why the last one was not, nil when it was
	fresh     bool      // a connection came up that no heartbeat has gone over yet
	lost      bool      // there is no connection and consumers were told
	lostAsks  int       // times that routes were read again because of that
	holdSends time.Time // busy until then: other brokers are sent to first
}

// BrokerState is one address of a broker and how it is doing.
type BrokerState struct {
	Name     string
	ID       int64 // 0 is the master
	Addr     string
	Master   bool
	Version  int32 // as its heartbeat answer said; 0 is unknown
	Up       bool
	Err      error     // why there is no connection
	RetryAt  time.Time // next dial, zero when none is planned
	InFlight int       // calls without an answer
	Oldest   time.Duration
	// LastHeartbeat is when the broker last accepted one; HeartbeatErr is why it did not
	// accept the last one.
	LastHeartbeat time.Time
	HeartbeatErr  error
}

// Brokers returns every broker address that a route names, sorted by name and id.
func (i *Instance) Brokers() []BrokerState {
	states := i.connections()
	i.mu.Lock()
	defer i.mu.Unlock()
	var out []BrokerState
	for _, f := range i.table.Addrs() {
		b := BrokerState{Name: f.BrokerName, ID: f.ID, Addr: f.Addr, Master: !f.Slave()}
		if s, ok := states[f.Addr]; ok {
			b.Up, b.Err, b.RetryAt, b.InFlight, b.Oldest = s.Up, s.Err, s.RetryAt, s.InFlight, s.OldestCall
		}
		if l := i.links[f.Addr]; l != nil {
			b.Version, b.LastHeartbeat, b.HeartbeatErr = l.version, l.beatAt, l.beatErr
		}
		out = append(out, b)
	}
	return out
}

// Stats are the counters of the connections.
func (i *Instance) Stats() remoting.Stats { return i.net.Stats() }

// link returns what is remembered of addr, making it. i.mu is held.
func (i *Instance) link(addr string) *link {
	l := i.links[addr]
	if l == nil {
		l = &link{}
		i.links[addr] = l
	}
	return l
}

// onState is told by the connections when one came up or was lost.
func (i *Instance) onState(s remoting.AddrState) {
	i.mu.Lock()
	f, ok := i.table.NameOf(s.Addr)
	if !ok {
		i.mu.Unlock()
		return
	}
	l := i.link(s.Addr)
	line := (*decision.Line)(nil)
	switch {
	case s.Up:
		line = decision.InstanceConnected
		l.fresh, l.lost, l.lostAsks = true, false, 0
		i.wantVanished(f.BrokerName)
		signal(i.wakeBeats)
	case s.Err != nil:
		// Further dials that fail are not told: Brokers has the newest error.
		if !l.lost {
			line = decision.InstanceLost
			l.fresh, l.lost = false, true
			i.tellAll(event.BrokerLost{BrokerName: f.BrokerName, Addr: s.Addr, Err: s.Err, RetryAt: s.RetryAt})
		}
		i.wantOtherAddrs(l, f.BrokerName)
	}
	i.mu.Unlock()
	if line != nil && i.decisions.On() {
		i.decisions.Fact(line, nowhere, f.BrokerName+" at "+s.Addr, [6]int64{})
	}
	i.deliver()
}

// maxLostAsks is how often routes are read again for one loss of a broker, with the first dials
// that fail: name servers need a moment to notice.
const maxLostAsks = 3

// wantOtherAddrs has the routes that name a lost broker read again: a slave may be all that is
// left of it, or it may have moved. (Java's clients wait for the next interval, up to 30 s.)
// i.mu is held.
func (i *Instance) wantOtherAddrs(l *link, broker string) {
	if l.lostAsks >= maxLostAsks {
		return
	}
	asked := false
	for _, s := range i.topics {
		if s.route == nil || i.clock.Now().Sub(s.tried) < routePause {
			continue
		}
		if slices.ContainsFunc(s.route.BrokerDatas, func(b protocol.BrokerData) bool { return b.BrokerName == broker }) {
			s.wanted, asked = true, true
		}
	}
	if asked {
		l.lostAsks++
		signal(i.wakeRoutes)
	}
}

// dropOffline closes connections to addresses that no route names any more
// (Java: MQClientInstance.cleanOfflineBroker, which runs with the heartbeats; here it
// follows each refresh of all routes).
func (i *Instance) dropOffline() {
	i.mu.Lock()
	gone := i.table.DropOffline()
	for _, f := range gone {
		delete(i.links, f.Addr)
	}
	i.mu.Unlock()
	for _, f := range gone {
		if i.decisions.On() {
			i.decisions.Fact(decision.InstanceBrokerRemoved, nowhere, f.BrokerName+" at "+f.Addr, [6]int64{})
		}
		i.log.Info("broker left all routes", "broker", f.BrokerName, "addr", f.Addr)
		i.forget(f.Addr)
	}
}

func (i *Instance) find(name string, id int64, onlyThis bool) (route.Found, bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.table.Find(name, id, onlyThis)
}

// locate finds the address of the broker of q, reading the topic's route once when it is
// not known.
func (i *Instance) locate(ctx context.Context, q mq.MessageQueue, id int64, onlyThis bool) (route.Found, error) {
	if f, ok := i.find(q.BrokerName, id, onlyThis); ok {
		return f, nil
	}
	if err := i.await(ctx); err != nil {
		return route.Found{}, err
	}
	if err := i.learn(ctx, q.Topic); err != nil {
		return route.Found{}, fmt.Errorf("broker %s: %w: %w", q.BrokerName, ErrNoBroker, err)
	}
	if f, ok := i.find(q.BrokerName, id, onlyThis); ok {
		return f, nil
	}
	return route.Found{}, i.noBroker(q.BrokerName)
}

// noBroker says why there is no address of a broker.
func (i *Instance) noBroker(name string) error {
	i.mu.Lock()
	refused := i.table.Refused(name)
	i.mu.Unlock()
	if len(refused) > 0 {
		r := refused[0]
		return fmt.Errorf("broker %s: %w: the route says %q, refused: %s", name, ErrNoBroker, r.Addr, r.Why)
	}
	return fmt.Errorf("broker %s: %w: it is down, or has no master", name, ErrNoBroker)
}

// brokersOf returns one address of each broker of a topic in a random order, reading the
// route once when it is not known.
func (i *Instance) brokersOf(ctx context.Context, topic string) ([]route.Found, error) {
	pick := func() []route.Found {
		i.mu.Lock()
		defer i.mu.Unlock()
		all := i.table.BrokersOf(topic, i.rng.IntN)
		i.rng.Shuffle(len(all), func(a, b int) { all[a], all[b] = all[b], all[a] })
		return all
	}
	if all := pick(); len(all) > 0 {
		return all, nil
	}
	if err := i.await(ctx); err != nil {
		return nil, err
	}
	if err := i.learn(ctx, topic); err != nil {
		return nil, err
	}
	if all := pick(); len(all) > 0 {
		return all, nil
	}
	return nil, fmt.Errorf("brokers of topic %s: %w", topic, ErrNoBroker)
}
