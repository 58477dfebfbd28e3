package embedded

import (
	"strings"

	"mqscope/engine/protocol"
)

const maxGroupLength = 255

// group is the configuration of a consumer group on one broker.
type group = protocol.SubscriptionGroupConfig

func newGroup(name string) *group {
	return &group{
		GroupName: name, ConsumeEnable: true, ConsumeFromMinEnable: true, ConsumeBroadcastEnable: true,
		RetryQueueNums: 1, RetryMaxTimes: 16, WhichBrokerWhenConsumeSlowly: 1, ConsumeTimeoutMinute: 15,
		NotifyConsumerIDsChangedEnable: true, Attributes: map[string]string{},
		GroupRetryPolicy: &protocol.GroupRetryPolicy{Type: "CUSTOMIZED"},
	}
}

func (b *Broker) addSystemGroups() {
	for _, name := range []string{
		"TOOLS_CONSUMER", "FILTERSRV_CONSUMER", "SELF_TEST_C_GROUP", "CID_ONS-HTTP-PROXY", "CID_ONSAPI_PULL",
		"CID_ONSAPI_PERMISSION", "CID_ONSAPI_OWNER", "CID_RMQ_SYS_TRANS",
	} {
		b.groups[name] = newGroup(name)
	}
	b.gversion.changed(b.state.now)
}

// findGroup looks a group up as heartbeats, pulls and send-backs do: a missing one is made
// if its name allows. Nil: there is no such group.
func (b *Broker) findGroup(name string) *group {
	if g := b.groups[name]; g != nil {
		return g
	}
	if b.cfg.NoAutoCreateGroup && !strings.HasPrefix(name, "CID_RMQ_SYS_") {
		return nil
	}
	if !legalName(name) || len(name) > maxGroupLength {
		return nil
	}
	g := newGroup(name)
	b.putGroup(g)
	return g
}

func (b *Broker) putGroup(g *group) {
	b.groups[g.GroupName] = g
	b.gversion.changed(b.state.now)
}
