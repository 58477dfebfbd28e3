package embedded

import (
	"log/slog"
	"math/rand/v2"
	"net/netip"
	"time"

	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

// State is the whole cluster as a machine: told the time and one event after the other, it
// answers through Peers. It has no goroutine, lock or clock; whoever steps it owns it. In a
// Cluster that is the loop, and Inspect lets others look.
type State struct {
	NameServer *NameServer

	now     time.Time
	brokers []*Broker
	byName  map[string]*Broker
	timers  timers
	hooks   hooks
	rand    *rand.Rand
	log     *slog.Logger
	notice  func(Notice)
	onStore []func(broker string, m *protocol.StoredMessage)
	ids     *protocol.UniqueIDs // for messages that come without a unique key
	ask     AskFunc             // nil: clients can not be asked

	// Scratch for the answer that is being made.
	resp     remoting.Command
	pullResp protocol.PullMessageResponse
	fields   []remoting.Field
	body     []byte
}

// NewState returns a cluster whose brokers are all stopped. The addresses of cfg are those
// that the cluster's clients will see. The error joins all faults of cfg.
func NewState(cfg Config) (*State, error) {
	cfg, levels, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &State{
		byName: map[string]*Broker{},
		rand:   cfg.Rand,
		log:    cfg.Log,
		notice: cfg.OnNotice,
		now:    cfg.Clock.Now(),
		ids:    protocol.NewUniqueIDs(netip.AddrFrom4([4]byte{127, 0, 0, 1}), 0, cfg.Rand.Uint32()),
	}
	if s.notice == nil {
		s.notice = func(Notice) {}
	}
	s.NameServer = newNameServer(s, cfg.ClusterName)
	for i, name := range cfg.Brokers {
		b := newBroker(s, cfg, levels, name, cfg.BrokerAddrs[i])
		s.brokers = append(s.brokers, b)
		s.byName[name] = b
	}
	return s, nil
}

// Now is the time of the step that is being made.
func (s *State) Now() time.Time { return s.now }

// Brokers returns all brokers, running or not, in the order of the configuration.
func (s *State) Brokers() []*Broker { return s.brokers }

// Broker returns a broker by name, nil if there is none.
func (s *State) Broker(name string) *Broker { return s.byName[name] }

// Intercept is Cluster.Intercept for whoever steps the State without a Cluster.
func (s *State) Intercept(code int32, fn InterceptFunc) (remove func()) { return s.hooks.add(code, fn) }

// OnStore has fn told of each message that a broker stores from now on; of a delayed one twice,
// when it comes into the queue of its level and when it comes out. m says where it was stored
// and is valid until fn returns. fn must not block and must not call the Cluster. Use it from
// Inspect.
func (s *State) OnStore(fn func(broker string, m *protocol.StoredMessage)) {
	s.onStore = append(s.onStore, fn)
}

// Handle carries out a request that came to a broker, or to the name server when broker is
// empty. The command must stay as it is until it is answered.
func (s *State) Handle(now time.Time, broker string, p Peer, cmd *remoting.Command) {
	s.handle(now, s.byName[broker], p, cmd)
}

// handle is Handle with the broker at hand, nil for the name server.
func (s *State) handle(now time.Time, b *Broker, p Peer, cmd *remoting.Command) {
	s.now = now
	r := &Request{Cmd: cmd, From: p.Addr(), At: now, state: s, peer: p}
	if b != nil {
		r.Broker = b.Name
	}
	switch v := s.hooks.ask(r).(type) {
	case plainVerdict:
		switch v {
		case Drop:
			return
		case CloseConn:
			p.Close()
			return
		case DropReply:
			r.silent = true
		case CloseAfter:
			r.closes = true
		}
	case answerVerdict:
		c := *v.cmd
		r.send(&c)
		return
	case delayVerdict:
		if !v.reply {
			s.timers.add(now.Add(v.by), func() { s.serve(b, r) })
			return
		}
		r.wait = v.by
	case editVerdict:
		r.edit = v.fn
	}
	s.serve(b, r)
}

// serve carries out a request that nobody held up.
func (s *State) serve(b *Broker, r *Request) {
	if b == nil {
		s.NameServer.serve(r)
	} else if b.Running {
		b.serve(r)
		b.wakeArrivals()
	}
	if r.closes {
		r.peer.Close() // also a request that is not answered now
	}
}

// tell sends a one-way request to a client, as far as an interceptor lets it.
func (s *State) tell(b *Broker, p Peer, code protocol.RequestCode, h protocol.Header, body []byte) {
	cmd := &remoting.Command{Code: int32(code), Body: body, Fields: protocol.Encode(h)}
	r := &Request{Cmd: cmd, Broker: b.Name, From: p.Addr(), At: s.now, Outgoing: true, state: s, peer: p}
	send := func() {
		if err := p.Send(cmd); err != nil {
			s.log.Debug("client not told", "broker", b.Name, "client", p.Addr(), "code", cmd.Code, "err", err)
		}
	}
	switch v := s.hooks.ask(r).(type) {
	case plainVerdict:
		switch v {
		case Drop, DropReply:
		case CloseConn, CloseAfter:
			p.Close()
		default:
			send()
		}
	case delayVerdict:
		s.timers.add(s.now.Add(v.by), send)
	default:
		send()
	}
}

// Closed says that a connection to a broker, or to the name server when broker is empty, has
// ended.
func (s *State) Closed(now time.Time, broker string, p Peer) {
	s.now = now
	if b := s.byName[broker]; b != nil {
		b.clientGone(p)
	} else {
		s.NameServer.connectionLost(p)
	}
}

// Advance does what is due and returns when to be called again, zero if only a request can
// bring something to do.
func (s *State) Advance(now time.Time) (next time.Time) {
	s.now = now
	for do := s.timers.due(now); do != nil; do = s.timers.due(now) {
		do()
	}
	next = s.NameServer.advance(now)
	for _, b := range s.brokers {
		if b.Running {
			next = earlier(next, b.advance(now))
		}
	}
	return earlier(next, s.timers.next())
}

// StartBroker makes a stopped broker serve at addr and be found by the name server.
func (s *State) StartBroker(now time.Time, name, addr string) {
	s.now = now
	s.byName[name].start(addr)
	s.notice(Notice{Kind: BrokerStarted, At: now, Broker: name})
}

// StopBroker makes a broker vanish: no held pull is answered, the name server forgets it,
// and clients, locks, pull positions and pending resets are gone.
func (s *State) StopBroker(now time.Time, name string) {
	s.now = now
	s.byName[name].stop()
	s.notice(Notice{Kind: BrokerStopped, At: now, Broker: name})
}
