package decision

// Lines of client.Instance, and of how a consumer starts on it. Text names a topic, a broker, or
// says why.
var (
	InstanceState = define(Line{ID: "instance.state", Group: Instance,
		Words: "client instance is {state}", Text: "state", Java: "MQClientInstance.start"})
	InstanceRefresh = define(Line{ID: "instance.refresh", Group: Instance,
		Words:  "routes of {topics} topics are read, all in use {all}",
		Values: []Value{{"topics", Number}, {"all", Flag}}, Java: "MQClientInstance.updateTopicRouteInfoFromNameServer"})
	InstanceRoute = define(Line{ID: "instance.route", Group: Instance,
		Words: "route of {topic}, {queues} queues at {brokers} brokers, changed", Asks: true, Text: "topic",
		Values: []Value{{"queues", Number}, {"brokers", Number}}, Java: "MQClientInstance.topicRouteDataIsChange"})
	InstanceRouteFailed = define(Line{ID: "instance.route-failed", Group: Instance,
		Words: "route not read, what was known stays: {why}", Text: "why", Java: "MQClientInstance.updateTopicRouteInfoFromNameServer"})
	InstanceTopicGone = define(Line{ID: "instance.topic-gone", Group: Instance,
		Words: "no name server knows {topic}, nor does a broker", Asks: true, Text: "topic", Java: ownRule})
	InstanceVanished = define(Line{ID: "instance.vanished", Group: Instance,
		Words: "{broker} is missing from a route for {missing} >= {limit}", Asks: true, Text: "broker",
		Values: []Value{{"missing", Duration}, {"limit", Duration}}, Java: ownRule})
	InstanceBrokerRemoved = define(Line{ID: "instance.broker-removed", Group: Instance,
		Words: "no route names {broker} any more, its connection is closed", Text: "broker", Java: "MQClientInstance.cleanOfflineBroker"})
	InstanceConnected = define(Line{ID: "instance.connected", Group: Instance,
		Words: "connected with {broker}, a heartbeat goes there first", Text: "broker", Java: "MQClientInstance.channelActive"})
	InstanceLost = define(Line{ID: "instance.lost", Group: Instance,
		Words: "no connection with {broker}", Text: "broker", Java: ownRule})
	InstanceBeat = define(Line{ID: "instance.beat", Group: Instance,
		Words:  "heartbeat of {groups} groups goes to {brokers} brokers",
		Values: []Value{{"groups", Number}, {"brokers", Number}}, Java: "MQClientInstance.sendHeartbeatToAllBroker"})
	InstanceHeartbeat = define(Line{ID: "instance.heartbeat", Group: Instance,
		Words: "{broker} took the heartbeat, version {version}", Asks: true, Text: "broker",
		Values: []Value{{"version", Number}}, Java: "MQClientInstance.sendHeartbeatToBroker"})
	InstanceNotified = define(Line{ID: "instance.notified", Group: Instance,
		Words: "{broker} says that members changed, of a group here", Asks: true, Text: "broker", Java: "ClientRemotingProcessor.notifyConsumerIdsChanged"})
	InstanceFallback = define(Line{ID: "instance.fallback", Group: Instance,
		Words: "send-back of offset {offset} refused, sent to the retry topic as a message: {why}", Text: "why",
		Values: []Value{{"offset", Offset}}, Java: "DefaultMQPushConsumerImpl.sendMessageBackAsNormalMessage"})

	StartRoutes = define(Line{ID: "start.routes", Group: Instance,
		Words: "routes of {topics} subscribed topics read", Asks: true,
		Values: []Value{{"topics", Number}}, Java: "DefaultMQPushConsumerImpl.updateTopicSubscribeInfoWhenSubscriptionChanged"})
	StartChecked = define(Line{ID: "start.checked", Group: Instance,
		Words: "a broker accepts the expressions", Asks: true, Java: "MQClientInstance.checkClientInBroker"})
	StartHeartbeat = define(Line{ID: "start.heartbeat", Group: Instance,
		Words: "a broker took the first heartbeat", Asks: true, Java: "MQClientInstance.sendHeartbeatToAllBrokerWithLock"})
	StartAgain = define(Line{ID: "start.again", Group: Instance,
		Words: "start tried again in {pause}: {why}", Text: "why",
		Values: []Value{{"pause", Duration}}, Java: ownRule})
	StartDone = define(Line{ID: "start.done", Group: Instance,
		Words: "consumer is RUNNING, first pass wanted", Java: "DefaultMQPushConsumerImpl.start"})
)
