package proxy

import "mqscope/engine/protocol"

// each stands in a path for any key of an object and any entry of a list.
const each = "*"

// place is where addresses of brokers stand in the body of an answer.
type place struct {
	path []string
	key  bool // the address is the last key of the path, not what stands behind it
}

// shape says where the body of an answer has addresses of brokers.
type shape uint8

const (
	plain       shape = iota // nowhere
	route                    // TopicRouteData
	cluster                  // ClusterInfo
	memberGroup              // of brokers
	listing                  // TopicList and what has its brokerAddr too
)

// shapeOf is that of the answer to a request.
func shapeOf(code int32) shape {
	switch protocol.RequestCode(code) {
	case protocol.GetRouteInfoByTopic:
		return route
	case protocol.GetBrokerClusterInfo:
		return cluster
	case protocol.GetBrokerMemberGroup:
		return memberGroup
	case protocol.GetSystemTopicListFromNS, protocol.GetAllTopicListFromNameserver, protocol.GetTopicsByCluster,
		protocol.GetSystemTopicListFromBroker, protocol.GetUnitTopicList, protocol.GetHasUnitSubTopicList,
		protocol.GetHasUnitSubUnunitTopicList, protocol.QueryTopicsByConsumer, protocol.GetBrokerConsumeStats:
		return listing
	}
	return plain
}

// places are the paths of the addresses.
func (s shape) places() []place {
	switch s {
	case route:
		return []place{
			{path: []string{"brokerDatas", each, "brokerAddrs", each}},
			{path: []string{"filterServerTable", each}, key: true},
			{path: []string{"filterServerTable", each, each}},
		}
	case cluster:
		return []place{{path: []string{"brokerAddrTable", each, "brokerAddrs", each}}}
	case memberGroup:
		return []place{{path: []string{"brokerMemberGroup", "brokerAddrs", each}}}
	case listing:
		return []place{{path: []string{"brokerAddr"}}}
	}
	return nil
}
