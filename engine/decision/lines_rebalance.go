package decision

// Lines of package rebalance: passes, allocation, start offsets. Text names a topic, or a topic
// and what is said of it.
var (
	RebalanceWanted = define(Line{ID: "rebalance.wanted", Group: Rebalance,
		Words: "pass wanted, in {wait} at the earliest: {why}", Text: "why",
		Values: []Value{{"wait", Duration}}, Java: "RebalanceService.wakeup"})
	RebalanceBegin = define(Line{ID: "rebalance.begin", Group: Rebalance,
		Words: "pass begins over {topics} topics: {why}", Text: "why",
		Values: []Value{{"topics", Number}}, Java: "RebalanceImpl.doRebalance"})
	RebalanceKnown = define(Line{ID: "rebalance.known", Group: Rebalance,
		Words: "route of {topic} known, {queues} queues", Asks: true, Text: "topic",
		Values: []Value{{"queues", Number}}, Java: "RebalanceImpl.rebalanceByTopic"})
	RebalanceAsk = define(Line{ID: "rebalance.ask", Group: Rebalance,
		Words: "asked about {topic}, answer awaited for {patience}: {asked} out", Text: "topic",
		Values: []Value{{"patience", Duration}, {"asked", Number}}, Java: "MQClientInstance.findConsumerIdList"})
	RebalanceMembers = define(Line{ID: "rebalance.members", Group: Rebalance,
		Words: "{topic}: members {members}, queues {queues}", Text: "topic",
		Values: []Value{{"members", Number}, {"queues", Number}}, Java: "RebalanceImpl.rebalanceByTopic"})
	RebalanceListed = define(Line{ID: "rebalance.listed", Group: Rebalance,
		Words: "this client is one of {members} members", Asks: true,
		Values: []Value{{"members", Number}}, Java: "AbstractAllocateMessageQueueStrategy.check"})
	RebalanceForgotten = define(Line{ID: "rebalance.forgotten", Group: Rebalance,
		Words: "{missing} lists in a row omit this client, {limit} are believed", Asks: true,
		Values: []Value{{"missing", Number}, {"limit", Number}}, Java: ownRule})
	RebalanceKeep = define(Line{ID: "rebalance.keep", Group: Rebalance,
		Words: "keeps {queues} queues, {why}", Text: "why",
		Values: []Value{{"queues", Number}}, Java: "RebalanceImpl.rebalanceByTopic"})
	RebalanceBroker = define(Line{ID: "rebalance.broker", Group: Rebalance,
		Words: "after {tries} vain questions the broker goes on being asked for {topic}", Asks: true, Text: "topic",
		Values: []Value{{"tries", Number}}, Java: "RebalanceImpl.tryQueryAssignment"})
	RebalanceAllocated = define(Line{ID: "rebalance.allocated", Group: Rebalance,
		Words: "{split}: members {members}, queues {queues}, mine {mine}", Text: "split",
		Values: []Value{{"members", Number}, {"queues", Number}, {"mine", Number}}, Java: "AllocateMessageQueueStrategy.allocate"})
	RebalanceOwnerChange = define(Line{ID: "rebalance.owner-change", Group: Rebalance,
		Words: "belongs to this member now", Asks: true, Java: "RebalanceImpl.updateProcessQueueTableInRebalance"})
	RebalanceExpired = define(Line{ID: "rebalance.expired", Group: Rebalance,
		Words: "no pull for {idle} > {limit}", Asks: true,
		Values: []Value{{"idle", Duration}, {"limit", Duration}}, Java: "ProcessQueue.isPullExpired"})
	RebalanceDrop = define(Line{ID: "rebalance.drop", Group: Rebalance,
		Words: "dropped: {why}", Text: "why", Java: "ProcessQueue.setDropped"})
	RebalanceRemove = define(Line{ID: "rebalance.remove", Group: Rebalance,
		Words: "may be removed at once, no lock to give back first", Asks: true,
		Java: "RebalancePushImpl.removeUnnecessaryMessageQueue"})
	RebalanceReleased = define(Line{ID: "rebalance.released", Group: Rebalance,
		Words:  "nobody here works on it, {since} after it was given up",
		Values: []Value{{"since", Duration}}, Java: "RebalancePushImpl.removeUnnecessaryMessageQueue"})
	RebalanceReturned = define(Line{ID: "rebalance.returned", Group: Rebalance,
		Words: "is ours again already, the lock is kept", Asks: true, Java: ownRule})
	RebalanceOffsetAsked = define(Line{ID: "rebalance.offset-asked", Group: Rebalance,
		Words: "start offset asked for, {source}, assignment {epoch}", Text: "source",
		Values: []Value{{"epoch", Number}}, Java: "RebalancePushImpl.computePullFromWhereWithException"})
	RebalanceOffsetKnown = define(Line{ID: "rebalance.offset-known", Group: Rebalance,
		Words: "the broker told an offset", Asks: true, Java: "RebalancePushImpl.computePullFromWhereWithException"})
	RebalanceCommitted = define(Line{ID: "rebalance.committed", Group: Rebalance,
		Words: "the group has a committed offset", Asks: true, Java: "RebalancePushImpl.computePullFromWhereWithException"})
	RebalancePolicy = define(Line{ID: "rebalance.policy", Group: Rebalance,
		Words: "starts by policy {policy}, retry topic {retry}", Text: "policy",
		Values: []Value{{"retry", Flag}}, Java: "RebalancePushImpl.computePullFromWhereWithException"})
	RebalanceUnresolved = define(Line{ID: "rebalance.unresolved", Group: Rebalance,
		Words: "no start offset, not pulled before it is known: {why}", Text: "why",
		Java: "RebalancePushImpl.computePullFromWhere"})
	RebalanceStartOffset = define(Line{ID: "rebalance.start-offset", Group: Rebalance,
		Words: "start offset {offset}, {source}", Text: "source",
		Values: []Value{{"offset", Offset}}, Java: "RebalancePushImpl.computePullFromWhere"})
	RebalanceAdded = define(Line{ID: "rebalance.added", Group: Rebalance,
		Words:  "added at {offset} as assignment {epoch}, first pull in {delay}",
		Values: []Value{{"offset", Offset}, {"epoch", Number}, {"delay", Duration}}, Java: "RebalanceImpl.updateProcessQueueTableInRebalance"})
	RebalanceAnnounce = define(Line{ID: "rebalance.announce", Group: Rebalance,
		Words: "{topic}: {added} queues added, {given} given up: new subVersion, heartbeat to all brokers", Text: "topic",
		Values: []Value{{"added", Number}, {"given", Number}}, Java: "RebalancePushImpl.messageQueueChanged"})
	RebalanceAgain = define(Line{ID: "rebalance.again", Group: Rebalance,
		Words: "offset repaired, and before that {since} ago < {limit}: waits for a pass", Asks: true,
		Values: []Value{{"since", Duration}, {"limit", Duration}}, Java: ownRule})
	RebalanceSubscribed = define(Line{ID: "rebalance.subscribed", Group: Rebalance,
		Words: "{topic} subscribed to", Text: "topic", Java: "RebalanceImpl.subscriptionInner"})
	RebalanceUnsubscribed = define(Line{ID: "rebalance.unsubscribed", Group: Rebalance,
		Words: "{topic} unsubscribed, its {queues} queues are given up", Text: "topic",
		Values: []Value{{"queues", Number}}, Java: "RebalanceImpl.truncateMessageQueueNotMyTopic"})
	RebalanceThresholds = define(Line{ID: "rebalance.thresholds", Group: Rebalance,
		Words:  "limits of one queue among {queues}: count {count}, {size}",
		Values: []Value{{"queues", Number}, {"count", Number}, {"size", MiB}}, Java: "RebalancePushImpl.messageQueueChanged"})
	RebalanceBalanced = define(Line{ID: "rebalance.balanced", Group: Rebalance,
		Words: "balanced, {added} queues added, {given} given up", Asks: true,
		Values: []Value{{"added", Number}, {"given", Number}}, Java: "RebalanceImpl.doRebalance"})
	RebalanceEnd = define(Line{ID: "rebalance.end", Group: Rebalance,
		Words:  "pass ends after {took}, the next one in {wait}",
		Values: []Value{{"took", Duration}, {"wait", Duration}}, Java: "RebalanceService.run"})
	RebalanceSooner = define(Line{ID: "rebalance.sooner", Group: Rebalance,
		Words:  "something is left to do: next pass in {wait}",
		Values: []Value{{"wait", Duration}}, Java: "RebalanceService.run"})
)

// ownRule stands for a Java class where the rule is one of this engine only.
const ownRule = "none"
