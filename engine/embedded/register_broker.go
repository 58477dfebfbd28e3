package embedded

import (
	"hash/crc32"
	"math"
	"slices"
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

// Contract: REGISTER_BROKER (103), of a broker that is not part of this cluster. Header
// RegisterBrokerRequest, body RegisterBrokerBody; effects in the order of broker.md 1.2: a
// wrong bodyCrc32 1; an older stateVersion of another address is ignored with 0; a first
// registration with exactly one topic 1; topics of a master are written when new or when the
// data version differs, and never removed. The answer carries the order-topic table. The
// connection's end unregisters. Left out: compressed bodies (1), acting masters, and with
// them topics of slaves.
func (n *NameServer) registerBroker(r *Request) {
	var h protocol.RegisterBrokerRequest
	if !r.decode(&h) {
		return
	}
	if h.BodyCRC32 != 0 && uint32(h.BodyCRC32) != crc32.ChecksumIEEE(r.Cmd.Body)&math.MaxInt32 {
		r.fail(protocol.SystemError, "crc32 not match")
		return
	}
	if h.Compressed {
		r.fail(protocol.SystemError, "compressed registrations are not read here: register with compressed=false")
		return
	}
	var body protocol.RegisterBrokerBody
	if len(r.Cmd.Body) > 0 {
		var err error
		if body, err = protocol.DecodeRegisterBrokerBody(r.Cmd.Body); err != nil {
			r.fail(protocol.SystemError, err.Error())
			return
		}
	}
	topics, version := body.TopicConfig.Topics, body.TopicConfig.DataVersion
	b, first := n.add(h.ClusterName, h.BrokerName, h.BrokerID, h.BrokerAddr)
	b.EnableActingMaster = h.EnableActingMaster.Or(false)
	b.ZoneName, _ = r.Cmd.Fields.Get("__ZONE_NAME")
	old, known := b.Addrs[h.BrokerID]
	if known && old != h.BrokerAddr {
		if l := n.live[liveKey{h.ClusterName, old}]; l != nil && l.version.StateVersion > version.StateVersion {
			r.ok(nil, nil)
			return
		}
		delete(n.live, liveKey{h.ClusterName, old})
	}
	if !known && len(topics) == 1 {
		if first {
			n.unregister(h.ClusterName, h.BrokerName, h.BrokerID, "")
		}
		r.fail(protocol.SystemError, "register broker failed")
		return
	}
	b.Addrs[h.BrokerID] = h.BrokerAddr
	key := liveKey{h.ClusterName, h.BrokerAddr}
	previous := n.live[key]
	if h.BrokerID == mq.MasterID {
		n.writeTopics(h.BrokerName, topics, !known || previous == nil || previous.version != version)
	}
	n.live[key] = &liveBroker{
		peer: r.peer, seen: n.state.now, version: version,
		timeout: time.Duration(h.HeartbeatTimeoutMillis.Or(brokerExpiry.Milliseconds())) * time.Millisecond,
	}
	var answer protocol.RegisterBrokerResponse
	if master := b.Addrs[mq.MasterID]; h.BrokerID != mq.MasterID && master != "" {
		answer.MasterAddr = master
	}
	r.ok(&answer, n.orderTopics())
}

func (n *NameServer) writeTopics(broker string, topics map[string]protocol.TopicConfig, changed bool) {
	for _, name := range sortedKeys(topics) {
		t := topics[name]
		if _, there := n.topics[name][broker]; changed || !there {
			n.putQueueData(name, protocol.QueueData{
				BrokerName: broker, Perm: t.Perm, ReadQueueNums: t.ReadQueueNums, WriteQueueNums: t.WriteQueueNums,
				TopicSysFlag: t.TopicSysFlag,
			})
		}
	}
}

// Contract: UNREGISTER_BROKER (104). Header brokerName, brokerAddr, clusterName, brokerId:
// always 0, carried out at once (a real name server takes some ms).
func (n *NameServer) unregisterBroker(r *Request) {
	var h protocol.UnregisterBrokerRequest
	if r.decode(&h) {
		n.unregister(h.ClusterName, h.BrokerName, h.BrokerID, h.BrokerAddr)
		r.ok(nil, nil)
	}
}

// Contract: QUERY_DATA_VERSION (322). Header as 104, body DataVersion: 0, changed = nothing
// is known of the broker or its version differs; the version that is known as body. It is a
// sign of life.
func (n *NameServer) queryDataVersion(r *Request) {
	var h protocol.QueryDataVersionRequest
	if !r.decode(&h) {
		return
	}
	version, err := protocol.DecodeDataVersion(r.Cmd.Body)
	l := n.live[liveKey{h.ClusterName, h.BrokerAddr}]
	if l == nil {
		r.ok(&protocol.QueryDataVersionResponse{Changed: true}, nil)
		return
	}
	l.seen = n.state.now
	r.ok(&protocol.QueryDataVersionResponse{Changed: err != nil || l.version != version}, l.version.Encode())
}

// Contract: BROKER_HEARTBEAT (904). Header clusterName, brokerAddr, brokerName: always 0; a
// sign of life.
func (n *NameServer) brokerHeartbeat(r *Request) {
	var h protocol.BrokerHeartbeatRequest
	if !r.decode(&h) {
		return
	}
	if l := n.live[liveKey{h.ClusterName, h.BrokerAddr}]; l != nil {
		l.seen = n.state.now
	}
	r.ok(nil, nil)
}

// Contract: GET_BROKER_MEMBER_GROUP (901). Header clusterName, brokerName: 0 and the
// addresses by broker id, none for an unknown broker.
func (n *NameServer) memberGroup(r *Request) {
	var h protocol.GetBrokerMemberGroupRequest
	if !r.decode(&h) {
		return
	}
	g := protocol.BrokerMemberGroup{Cluster: h.ClusterName, BrokerName: h.BrokerName, Addrs: map[int64]string{}}
	if b := n.brokers[h.BrokerName]; b != nil && b.Cluster == h.ClusterName {
		g.Addrs = b.Addrs
	}
	r.ok(nil, g.Encode())
}

// Contract: WIPE_WRITE_PERM_OF_BROKER (205) and ADD_WRITE_PERM_OF_BROKER (327). Header
// brokerName: always 0 and how many topics the broker has. 205 clears the write bit of each;
// 327 sets the permission to 6. Both last until the broker registers the topic again.
func (n *NameServer) wipeWritePerm(r *Request) {
	var h protocol.WipeWritePermRequest
	if r.decode(&h) {
		count := n.changePerm(h.BrokerName, func(perm int32) int32 { return perm &^ protocol.PermWrite })
		r.ok(&protocol.WipeWritePermResponse{WipeTopicCount: count}, nil)
	}
}

func (n *NameServer) addWritePerm(r *Request) {
	var h protocol.AddWritePermRequest
	if r.decode(&h) {
		count := n.changePerm(h.BrokerName, func(int32) int32 { return permRW })
		r.ok(&protocol.AddWritePermResponse{AddTopicCount: count}, nil)
	}
}

func (n *NameServer) changePerm(broker string, change func(int32) int32) (topics int32) {
	for _, queues := range n.topics {
		if q, ok := queues[broker]; ok {
			q.Perm = change(q.Perm)
			queues[broker] = q
			topics++
		}
	}
	return topics
}

// brokersOf lists the brokers of a cluster in order.
func (n *NameServer) brokersOf(cluster string) []string {
	return slices.Sorted(func(yield func(string) bool) {
		for name := range n.clusters[cluster] {
			if !yield(name) {
				return
			}
		}
	})
}
