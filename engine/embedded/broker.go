package embedded

import (
	"net/netip"
	"strconv"
	"time"

	"mqscope/engine/embedded/store"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

// What a broker of this kind says it is, and periods of its own (broker.md 0.4).
const (
	brokerVersion = 479 // V5_3_3
	regionID      = "DefaultRegion"

	clientScanPeriod = 10 * time.Second
	clientExpiry     = 120 * time.Second
	lockExpiry       = 60 * time.Second
	maxHoldShort     = time.Second // of a pull when long polling is off
	shortHoldTick    = time.Second
)

// Broker is one broker of the cluster.
type Broker struct {
	Name    string
	ID      int64 // always mq.MasterID
	Running bool
	Store   *store.Store

	state      *State
	cfg        Config
	addr       string
	host       netip.AddrPort // of stored messages
	bootTime   time.Time
	permission int32
	topics     map[string]*topic
	groups     map[string]*group
	version    dataVersion // of the topics
	gversion   dataVersion // of the groups
	modes      map[groupAndTopic]protocol.SetMessageRequestModeRequest

	// What a stop forgets.
	consumers map[string]*consumerGroup
	producers map[string]*producerGroup
	forbidden map[groupAndTopic]bool // reading switched off by code 353
	locks     map[string]map[mq.MessageQueue]queueLock
	held      map[heldKey][]*heldPull
	heldCount int
	pulled    store.Offsets // where the last pull of a queue got to
	resets    store.Offsets // pending resets
	supplied  map[groupAndTopic]suppliedSubscription
	scan      ticker
	hold      ticker
	arrivals  []arrival
	stats     brokerStats
	handlers  map[int32]func(*Broker, *Request)
}

// brokerStats counts what runtime info tells.
type brokerStats struct {
	put, putBytes, got, gotBytes, pulls int64
}

type groupAndTopic struct{ group, topic string }

func newBroker(s *State, cfg Config, levels []time.Duration, name, addr string) *Broker {
	b := &Broker{
		Name: name, ID: mq.MasterID, state: s, cfg: cfg, addr: addr, permission: permRW,
		topics: map[string]*topic{}, groups: map[string]*group{}, handlers: brokerHandlers(),
		modes: map[groupAndTopic]protocol.SetMessageRequestModeRequest{},
	}
	b.Store = store.New(store.Config{
		MaxBytes: cfg.MaxBytes / int64(len(cfg.Brokers)),
		Delays:   levels,
		OnDrop:   b.dropped,
	})
	b.addSystemTopics()
	b.addSystemGroups()
	return b
}

// dropped tells of messages that the store gave up.
func (b *Broker) dropped(list []store.Dropped) {
	for _, d := range list {
		b.state.notice(Notice{
			Kind: MessagesDropped, At: b.state.now, Broker: b.Name,
			Queue: mq.MessageQueue{Topic: d.Topic, BrokerName: b.Name, QueueID: d.QueueID},
			From:  d.From, To: d.To,
		})
	}
}

// perm is the permission of the whole broker (Java: BrokerConfig.brokerPermission).
func (b *Broker) perm() int32 { return b.permission }

// Addr is where clients reach the broker.
func (b *Broker) Addr() string { return b.addr }

func (b *Broker) start(addr string) {
	now := b.state.now
	b.addr, b.host, b.bootTime = addr, hostOf(addr), now
	b.consumers, b.producers = map[string]*consumerGroup{}, map[string]*producerGroup{}
	b.locks = map[string]map[mq.MessageQueue]queueLock{}
	b.held, b.heldCount = map[heldKey][]*heldPull{}, 0
	b.supplied = map[groupAndTopic]suppliedSubscription{}
	if b.forbidden == nil {
		b.forbidden = map[groupAndTopic]bool{}
	}
	b.pulled, b.resets, b.arrivals = store.Offsets{}, store.Offsets{}, nil
	b.scan = newTicker(now, clientScanPeriod)
	b.hold = newTicker(now, b.holdTick())
	b.Running = true
	b.state.NameServer.registerOwn(b)
}

func (b *Broker) stop() {
	b.Running = false
	b.state.NameServer.unregister(b.cfg.ClusterName, b.Name, b.ID, b.addr)
	b.consumers, b.producers, b.locks, b.held, b.heldCount = nil, nil, nil, nil, 0
	b.supplied, b.arrivals = nil, nil
}

func (b *Broker) holdTick() time.Duration {
	if b.cfg.NoLongPolling {
		return shortHoldTick
	}
	return b.cfg.PullHoldTick
}

// serve carries out one request.
func (b *Broker) serve(r *Request) {
	if h := b.handlers[r.Cmd.Code]; h != nil {
		h(b, r)
		return
	}
	r.fail(protocol.RequestCodeNotSupported, " request type "+strconv.Itoa(int(r.Cmd.Code))+" not supported")
}

// advance does what is due and returns when something next is.
func (b *Broker) advance(now time.Time) (next time.Time) {
	b.deliverDelayed(now)
	b.wakeArrivals()
	if b.hold.passed(now) {
		b.checkHeld(now)
	}
	if b.scan.passed(now) {
		b.expireClients(now)
	}
	if ms, ok := b.Store.Delays.Next(); ok {
		next = time.UnixMilli(ms)
	}
	if b.heldCount > 0 {
		next = earlier(next, b.hold.next)
	}
	if len(b.consumers)+len(b.producers) > 0 {
		next = earlier(next, b.scan.next)
	}
	return next
}

// clientGone handles a closed connection.
func (b *Broker) clientGone(p Peer) {
	if b.Running {
		b.removeConnection(p, true)
	}
}

// hostOf is the address that stored messages carry: that of the broker, with 127.0.0.1 for
// a name.
func hostOf(addr string) netip.AddrPort {
	if h, err := netip.ParseAddrPort(addr); err == nil {
		return h
	}
	port := 0
	for i := len(addr) - 1; i >= 0; i-- {
		if addr[i] == ':' {
			port, _ = strconv.Atoi(addr[i+1:])
			break
		}
	}
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), uint16(port))
}

// dataVersion counts changes of a configuration (Java: DataVersion).
type dataVersion struct {
	at      time.Time
	counter int64
}

func (v *dataVersion) changed(now time.Time) {
	v.at = now
	v.counter++
}
