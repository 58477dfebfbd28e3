package embedded

import (
	"slices"

	"mqscope/engine/protocol"
)

// Contract: GET_TOPICS_BY_CLUSTER (224). Header cluster: 0 and the topics of its brokers,
// none for an unknown cluster.
func (n *NameServer) topicsByCluster(r *Request) {
	var h protocol.GetTopicsByClusterRequest
	if !r.decode(&h) {
		return
	}
	list := protocol.TopicList{Topics: []string{}}
	for _, topic := range sortedKeys(n.topics) {
		if n.inCluster(topic, h.Cluster) {
			list.Topics = append(list.Topics, topic)
		}
	}
	r.ok(nil, list.Encode())
}

func (n *NameServer) inCluster(topic, cluster string) bool {
	for broker := range n.topics[topic] {
		if _, ok := n.clusters[cluster][broker]; ok {
			return true
		}
	}
	return false
}

// Contract: GET_SYSTEM_TOPIC_LIST_FROM_NS (304). No header: 0, names of clusters and brokers
// as topics, and the address of one broker to ask further.
func (n *NameServer) systemTopics(r *Request) {
	var list protocol.TopicList
	for _, cluster := range sortedKeys(n.clusters) {
		list.Topics = append(list.Topics, cluster)
		list.Topics = append(list.Topics, n.brokersOf(cluster)...)
	}
	for _, name := range sortedKeys(n.brokers) {
		if addrs := n.brokers[name].Addrs; len(addrs) > 0 {
			list.BrokerAddr = addrs[slices.Min(sortedKeys(addrs))]
			break
		}
	}
	r.ok(nil, list.Encode())
}

// Contract: DELETE_TOPIC_IN_NAMESRV (216). Header topic, clusterName: always 0; the route
// goes, with clusterName only that of the cluster's brokers.
func (n *NameServer) deleteTopic(r *Request) {
	var h protocol.DeleteTopicFromNamesrvRequest
	if !r.decode(&h) {
		return
	}
	if h.ClusterName == "" {
		delete(n.topics, h.Topic)
	} else {
		for broker := range n.clusters[h.ClusterName] {
			delete(n.topics[h.Topic], broker)
		}
		if len(n.topics[h.Topic]) == 0 {
			delete(n.topics, h.Topic)
		}
	}
	r.ok(nil, nil)
}

// Contract: REGISTER_TOPIC_IN_NAMESRV (217). Header topic, body TopicRouteData: always 0;
// ignored when a queueData names a broker that is not known.
func (n *NameServer) registerForeignTopic(r *Request) {
	var h protocol.RegisterTopicRequest
	if !r.decode(&h) {
		return
	}
	route, err := protocol.DecodeTopicRouteData(r.Cmd.Body)
	known := err == nil
	for _, q := range route.QueueDatas {
		known = known && n.brokers[q.BrokerName] != nil
	}
	if known {
		for _, q := range route.QueueDatas {
			n.putQueueData(h.Topic, q)
		}
	}
	r.ok(nil, nil)
}

// Contract: PUT_KV_CONFIG (100), GET_KV_CONFIG (101), DELETE_KV_CONFIG (102) and
// GET_KVLIST_BY_NAMESPACE (219). 100 without namespace or key 1; 101 and 219 with nothing
// there 22; else 0. Kept in memory only.
func (n *NameServer) putKV(r *Request) {
	var h protocol.PutKVConfigRequest
	if !r.decode(&h) {
		return
	}
	if h.Namespace == "" || h.Key == "" {
		r.fail(protocol.SystemError, "namespace or key is null")
		return
	}
	if n.kv[h.Namespace] == nil {
		n.kv[h.Namespace] = map[string]string{}
	}
	n.kv[h.Namespace][h.Key] = h.Value
	r.ok(nil, nil)
}

func (n *NameServer) getKV(r *Request) {
	var h protocol.GetKVConfigRequest
	if !r.decode(&h) {
		return
	}
	value, ok := n.kv[h.Namespace][h.Key]
	if !ok {
		r.failf(protocol.QueryNotFound, "No config item, Namespace: %s Key: %s", h.Namespace, h.Key)
		return
	}
	r.ok(&protocol.GetKVConfigResponse{Value: value}, nil)
}

func (n *NameServer) deleteKV(r *Request) {
	var h protocol.DeleteKVConfigRequest
	if r.decode(&h) {
		delete(n.kv[h.Namespace], h.Key)
		r.ok(nil, nil)
	}
}

func (n *NameServer) listKV(r *Request) {
	var h protocol.GetKVListByNamespaceRequest
	if !r.decode(&h) {
		return
	}
	if n.kv[h.Namespace] == nil {
		r.failf(protocol.QueryNotFound, "No config item, Namespace: %s", h.Namespace)
		return
	}
	r.ok(nil, protocol.KVTable{Table: n.kv[h.Namespace]}.Encode())
}

// orderTopics is the table that registering brokers get, nil when there is none.
func (n *NameServer) orderTopics() []byte {
	if n.kv[orderTopicSpace] == nil {
		return nil
	}
	return protocol.KVTable{Table: n.kv[orderTopicSpace]}.Encode()
}
