package decision

// Lines of consume.Concurrent: one batch on its way through a listener.
var (
	ConsumeQueued = define(Line{ID: "consume.queued", Group: Concurrent,
		Words: "{waiting} messages wait, listed for a thread anew", Asks: true,
		Values: []Value{{"waiting", Number}}, Java: "ConsumeMessageConcurrentlyService.submitConsumeRequest"})
	ConsumeStarted = define(Line{ID: "consume.started", Group: Concurrent,
		Words:  "thread takes {count} messages from offset {offset}, {left} left in its turn",
		Values: []Value{{"offset", Offset}, {"count", Number}, {"left", Number}}, Java: "ConsumeMessageConcurrentlyService.ConsumeRequest.run"})
	ConsumeUnreadable = define(Line{ID: "consume.unreadable", Group: Concurrent,
		Words: "body of offset {offset} can not be read, counts as failed: {why}", Text: "why",
		Values: []Value{{"offset", Offset}}, Java: ownRule})
	ConsumeDropped = define(Line{ID: "consume.dropped", Group: Concurrent,
		Words: "queue given up before the listener is called for {count} messages", Asks: true,
		Values: []Value{{"count", Number}}, Java: "ConsumeMessageConcurrentlyService.ConsumeRequest.run"})
	ConsumeCalled = define(Line{ID: "consume.called", Group: Concurrent,
		Words:  "listener gets {count} messages from offset {offset}",
		Values: []Value{{"offset", Offset}, {"count", Number}}, Java: "MessageListenerConcurrently.consumeMessage"})
	ConsumeReturned = define(Line{ID: "consume.returned", Group: Concurrent,
		Words: "listener answers {status} for offset {offset} after {took}, ackIndex {ack} of {count}, delay level {level}", Text: "status",
		Values: []Value{{"offset", Offset}, {"count", Number}, {"took", Duration}, {"ack", Number}, {"level", Number}},
		Java:   "MessageListenerConcurrently.consumeMessage"})
	ConsumeOvertime = define(Line{ID: "consume.overtime", Group: Concurrent,
		Words: "return type TIME_OUT, {took} >= {limit}", Asks: true,
		Values: []Value{{"took", Duration}, {"limit", Duration}}, Java: "ConsumeReturnType"})
	ConsumeHooked = define(Line{ID: "consume.hooked", Group: Concurrent,
		Words: "{hooks} hooks are called after the listener, type {type}", Text: "type",
		Values: []Value{{"hooks", Number}}, Java: "ConsumeMessageHook.consumeMessageAfter"})
	ConsumeDiscarded = define(Line{ID: "consume.discarded", Group: Concurrent,
		Words: "queue given up meanwhile, result of {count} messages discarded", Asks: true,
		Values: []Value{{"count", Number}}, Java: "ConsumeMessageConcurrentlyService.ConsumeRequest.run"})
	ConsumeAcked = define(Line{ID: "consume.acked", Group: Concurrent,
		Words:  "{acked} messages from offset {offset} are done, {failed} failed",
		Values: []Value{{"offset", Offset}, {"acked", Number}, {"failed", Number}}, Java: "ConsumeMessageConcurrentlyService.processConsumeResult"})
	ConsumeGivenUp = define(Line{ID: "consume.given-up", Group: Concurrent,
		Words: "broadcasting, {failed} messages from offset {offset} are given up", Asks: true,
		Values: []Value{{"offset", Offset}, {"failed", Number}}, Java: "ConsumeMessageConcurrentlyService.processConsumeResult"})
	ConsumeOurs = define(Line{ID: "consume.ours", Group: Concurrent,
		Words: "offset {offset} is still to be sent back, not swept", Asks: true,
		Values: []Value{{"offset", Offset}}, Java: "ProcessQueue.containsMessage"})
	ConsumeSentBack = define(Line{ID: "consume.sent-back", Group: Concurrent,
		Words: "offset {offset} sent back with delay level {level} after {times} retries, a broker has it", Asks: true,
		Values: []Value{{"offset", Offset}, {"level", Number}, {"times", Number}}, Java: "DefaultMQPushConsumerImpl.sendMessageBack"})
	ConsumeRetryHere = define(Line{ID: "consume.retry-here", Group: Concurrent,
		Words: "offset {offset} stays here and is consumed again in {delay}", Asks: true,
		Values: []Value{{"offset", Offset}, {"delay", Duration}}, Java: "ConsumeMessageConcurrentlyService.submitConsumeRequestLater"})
	ConsumeAgain = define(Line{ID: "consume.again", Group: Concurrent,
		Words: "delay of offset {offset} is over, it waits for a thread", Asks: true,
		Values: []Value{{"offset", Offset}}, Java: "ConsumeMessageConcurrentlyService.submitConsumeRequestLater"})
	ConsumeRemoved = define(Line{ID: "consume.removed", Group: Concurrent,
		Words:  "{count} messages removed, offset {before} before, {after} after",
		Values: []Value{{"count", Number}, {"before", Offset}, {"after", Offset}}, Java: "ProcessQueue.removeMessage"})
	ConsumeTurn = define(Line{ID: "consume.turn", Group: Concurrent,
		Words: "turn goes on, {left} messages and {time} left", Asks: true,
		Values: []Value{{"left", Number}, {"time", Duration}}, Java: ownRule})
	ConsumeOverdue = define(Line{ID: "consume.overdue", Group: Concurrent,
		Words: "call at offset {offset} runs for {age} >= {limit}", Asks: true,
		Values: []Value{{"offset", Offset}, {"age", Duration}, {"limit", Duration}}, Java: "ProcessQueue.cleanExpiredMsg"})
	ConsumeSwept = define(Line{ID: "consume.swept", Group: Concurrent,
		Words: "offset {offset} taken from a listener that does not return, sent back with level {level} or given up", Asks: true,
		Values: []Value{{"offset", Offset}, {"level", Number}}, Java: "ProcessQueue.cleanExpiredMsg"})
)
