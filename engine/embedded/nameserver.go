package embedded

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"time"

	"mqscope/engine/protocol"
)

const (
	nsScanPeriod    = 5 * time.Second
	brokerExpiry    = 120 * time.Second
	orderTopicSpace = "ORDER_TOPIC_CONFIG"
)

// NameServer is the tables of a name server (Java: RouteInfoManager). The cluster's own
// brokers write into it directly; others may register over the wire.
type NameServer struct {
	state    *State
	topics   map[string]map[string]protocol.QueueData // topic → broker name
	brokers  map[string]*protocol.BrokerData
	clusters map[string]map[string]struct{} // cluster → broker names
	live     map[liveKey]*liveBroker
	kv       map[string]map[string]string
	scan     ticker
	handlers map[int32]func(*NameServer, *Request)
}

type liveKey struct{ cluster, addr string }

func compareLive(a, b liveKey) int {
	return cmp.Or(cmp.Compare(a.cluster, b.cluster), cmp.Compare(a.addr, b.addr))
}

// liveBroker is a broker's last sign of life. Own brokers have no peer and do not expire.
type liveBroker struct {
	peer    Peer
	seen    time.Time
	timeout time.Duration
	version protocol.DataVersion
}

func newNameServer(s *State, _ string) *NameServer {
	return &NameServer{
		state:    s,
		topics:   map[string]map[string]protocol.QueueData{},
		brokers:  map[string]*protocol.BrokerData{},
		clusters: map[string]map[string]struct{}{},
		live:     map[liveKey]*liveBroker{},
		kv:       map[string]map[string]string{},
		scan:     newTicker(s.now, nsScanPeriod),
		handlers: nameServerHandlers(),
	}
}

func (n *NameServer) serve(r *Request) {
	if h := n.handlers[r.Cmd.Code]; h != nil {
		h(n, r)
		return
	}
	r.fail(protocol.RequestCodeNotSupported, " request type "+strconv.Itoa(int(r.Cmd.Code))+" not supported")
}

// advance forgets foreign brokers that are silent, every 5 s while there are any.
func (n *NameServer) advance(now time.Time) (next time.Time) {
	if n.scan.passed(now) {
		for _, key := range slices.SortedFunc(maps.Keys(n.live), compareLive) {
			if l := n.live[key]; l != nil && l.peer != nil && l.seen.Add(l.timeout).Before(now) {
				n.lost(key)
				l.peer.Close()
			}
		}
	}
	for _, l := range n.live {
		if l.peer != nil {
			return n.scan.next
		}
	}
	return time.Time{}
}

// connectionLost forgets the brokers that registered over a connection.
func (n *NameServer) connectionLost(p Peer) {
	for key, l := range n.live {
		if l.peer == p {
			n.lost(key)
		}
	}
}

// lost unregisters whatever broker has the address.
func (n *NameServer) lost(key liveKey) {
	for _, name := range sortedKeys(n.brokers) {
		b := n.brokers[name]
		for _, id := range sortedKeys(b.Addrs) {
			if b.Addrs[id] == key.addr && b.Cluster == key.cluster {
				n.unregister(key.cluster, name, id, key.addr)
				return
			}
		}
	}
	delete(n.live, key)
}

// add makes the address of a broker known; first tells whether its name was new.
func (n *NameServer) add(cluster, name string, id int64, addr string) (b *protocol.BrokerData, first bool) {
	if n.clusters[cluster] == nil {
		n.clusters[cluster] = map[string]struct{}{}
	}
	n.clusters[cluster][name] = struct{}{}
	b = n.brokers[name]
	if first = b == nil; first {
		b = &protocol.BrokerData{BrokerName: name, Cluster: cluster, Addrs: map[int64]string{}}
		n.brokers[name] = b
	}
	maps.DeleteFunc(b.Addrs, func(other int64, a string) bool { return a == addr && other != id })
	return b, first
}

// registerOwn makes a broker of the cluster and all its topics known.
func (n *NameServer) registerOwn(b *Broker) {
	d, _ := n.add(b.cfg.ClusterName, b.Name, b.ID, b.addr)
	d.Addrs[b.ID] = b.addr
	n.live[liveKey{b.cfg.ClusterName, b.addr}] = &liveBroker{seen: n.state.now}
	for _, t := range b.topics {
		n.registerTopic(b, t)
	}
}

// registerTopic makes one topic of a broker known.
func (n *NameServer) registerTopic(b *Broker, t *topic) {
	n.putQueueData(t.TopicName, protocol.QueueData{
		BrokerName: b.Name, Perm: t.Perm & (b.perm() | ^permRW), ReadQueueNums: t.ReadQueueNums, WriteQueueNums: t.WriteQueueNums, TopicSysFlag: t.TopicSysFlag,
	})
}

func (n *NameServer) putQueueData(topic string, q protocol.QueueData) {
	if n.topics[topic] == nil {
		n.topics[topic] = map[string]protocol.QueueData{}
	}
	n.topics[topic][q.BrokerName] = q
}

// unregister forgets one address; with its last one a broker leaves its cluster and all
// topics, and topics and clusters without a broker vanish.
func (n *NameServer) unregister(cluster, name string, id int64, addr string) {
	delete(n.live, liveKey{cluster, addr})
	b := n.brokers[name]
	if b == nil {
		return
	}
	if b.Addrs[id] == addr {
		delete(b.Addrs, id)
	}
	if len(b.Addrs) > 0 {
		return
	}
	delete(n.brokers, name)
	delete(n.clusters[cluster], name)
	if len(n.clusters[cluster]) == 0 {
		delete(n.clusters, cluster)
	}
	for topic, queues := range n.topics {
		delete(queues, name)
		if len(queues) == 0 {
			delete(n.topics, topic)
		}
	}
}

// Route returns what a client is told of a topic; false when it is unknown or none of its
// brokers is there.
func (n *NameServer) Route(topic string) (protocol.TopicRouteData, bool) {
	var t protocol.TopicRouteData
	for _, name := range sortedKeys(n.topics[topic]) {
		t.QueueDatas = append(t.QueueDatas, n.topics[topic][name])
		if b := n.brokers[name]; b != nil {
			d := *b
			d.Addrs = maps.Clone(b.Addrs)
			t.BrokerDatas = append(t.BrokerDatas, d)
		}
	}
	return t, len(t.BrokerDatas) > 0
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
