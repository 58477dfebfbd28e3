package embedded

import "mqscope/engine/protocol"

// Contract: GET_ROUTEINFO_BY_TOPIC (105). Header topic, acceptStandardJsonOnly. 0 and the
// route in the order of broker names, standard JSON for requests of version 401 on; 17 for
// an unknown topic. orderTopicConf stays empty, as with orderMessageEnable=false. Left out:
// needWaitForService, acting masters, zones.
func (n *NameServer) getRoute(r *Request) {
	var h protocol.GetRouteInfoRequest
	if !r.decode(&h) {
		return
	}
	route, ok := n.Route(h.Topic)
	switch {
	case !ok:
		r.fail(protocol.TopicNotExist, "No topic route info in name server for the topic: "+h.Topic)
	case r.Cmd.Version >= protocol.VersionStandardJSON || h.AcceptStandardJSONOnly.Or(false):
		r.ok(nil, route.EncodeStandard())
	default:
		r.ok(nil, route.Encode())
	}
}

// Contract: GET_BROKER_CLUSTER_INFO (106). No header: 0 and all brokers and clusters.
func (n *NameServer) getClusterInfo(r *Request) {
	info := protocol.ClusterInfo{
		BrokerAddrTable:  map[string]protocol.BrokerData{},
		ClusterAddrTable: map[string][]string{},
	}
	for name, b := range n.brokers {
		info.BrokerAddrTable[name] = *b
	}
	for cluster, names := range n.clusters {
		info.ClusterAddrTable[cluster] = sortedKeys(names)
	}
	r.ok(nil, info.Encode())
}

// Contract: GET_ALL_TOPIC_LIST_FROM_NAMESERVER (206). No header: 0 and the names of all
// topics, system, retry and dead-letter topics too.
func (n *NameServer) getAllTopics(r *Request) {
	r.ok(nil, protocol.TopicList{Topics: sortedKeys(n.topics)}.Encode())
}
