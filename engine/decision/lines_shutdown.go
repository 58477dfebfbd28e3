package decision

// Lines of the end of a push consumer, in the order of its steps.
var (
	ShutdownBegin = define(Line{ID: "shutdown.begin", Group: Shutdown,
		Words:  "shutdown of {queues} queues: scheduling stopped, listeners have {await}",
		Values: []Value{{"queues", Number}, {"await", Duration}}, Java: "DefaultMQPushConsumerImpl.shutdown"})
	ShutdownDrained = define(Line{ID: "shutdown.drained", Group: Shutdown,
		Words: "listeners returned within {await}", Asks: true,
		Values: []Value{{"await", Duration}}, Java: "ThreadUtils.shutdownGracefully"})
	ShutdownThreads = define(Line{ID: "shutdown.threads", Group: Shutdown,
		Words: "consume threads ended within {await} after that", Asks: true,
		Values: []Value{{"await", Duration}}, Java: "ThreadUtils.shutdownGracefully"})
	ShutdownTaken = define(Line{ID: "shutdown.taken", Group: Shutdown,
		Words:  "{taken} late events taken in, {left} left out",
		Values: []Value{{"taken", Number}, {"left", Number}}, Java: ownRule})
	ShutdownHung = define(Line{ID: "shutdown.hung", Group: Shutdown,
		Words: "a listener still has messages, its lock is left to expire", Asks: true, Java: ownRule})
	ShutdownCommitted = define(Line{ID: "shutdown.committed", Group: Shutdown,
		Words: "last offset {offset} committed before the lock goes back", Asks: true,
		Values: []Value{{"offset", Offset}}, Java: ownRule})
	ShutdownPersisted = define(Line{ID: "shutdown.persisted", Group: Shutdown,
		Words:  "offsets of {queues} queues persisted",
		Values: []Value{{"queues", Number}}, Java: "DefaultMQPushConsumerImpl.persistConsumerOffset"})
	ShutdownGivenUp = define(Line{ID: "shutdown.given-up", Group: Shutdown,
		Words:  "{queues} queues given up",
		Values: []Value{{"queues", Number}}, Java: "RebalanceImpl.destroy"})
	ShutdownUnlocked = define(Line{ID: "shutdown.unlocked", Group: Shutdown,
		Words: "{broker} has {queues} locks back", Asks: true, Text: "broker",
		Values: []Value{{"queues", Number}}, Java: "RebalanceImpl.unlockAll"})
	ShutdownFlushed = define(Line{ID: "shutdown.flushed", Group: Shutdown,
		Words: "offset file written and closed", Java: "LocalFileOffsetStore.persistAll"})
	ShutdownUnregistered = define(Line{ID: "shutdown.unregistered", Group: Shutdown,
		Words: "all brokers took the goodbye within {await}", Asks: true,
		Values: []Value{{"await", Duration}}, Java: "MQClientInstance.unregisterConsumer"})
	ShutdownDone = define(Line{ID: "shutdown.done", Group: Shutdown,
		Words: "consumer is SHUTDOWN_ALREADY", Java: "DefaultMQPushConsumerImpl.shutdown"})
)
