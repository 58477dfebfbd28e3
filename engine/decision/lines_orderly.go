package decision

// Lines of consume.Orderly: one queue on its way through a thread.
var (
	OrderlyQueued = define(Line{ID: "orderly.queued", Group: Orderly,
		Words: "messages wait, listed for a thread, state until now {state}", Asks: true, Text: "state",
		Java: "ConsumeMessageOrderlyService.submitConsumeRequest"})
	OrderlyLane = define(Line{ID: "orderly.lane", Group: Orderly,
		Words:  "thread has the queue for itself, as assignment {epoch}",
		Values: []Value{{"epoch", Number}}, Java: "MessageQueueLock.fetchLockObject"})
	OrderlyGone = define(Line{ID: "orderly.gone", Group: Orderly,
		Words: "given up or ending, dropped {dropped}, retired {retired}, ending {ending}", Asks: true,
		Values: []Value{{"dropped", Flag}, {"retired", Flag}, {"ending", Flag}}, Java: "ConsumeMessageOrderlyService.ConsumeRequest.run"})
	OrderlyLock = define(Line{ID: "orderly.lock", Group: Orderly,
		Words: "lock held {held}, {age} old, at most {limit}, none needed {none}", Asks: true,
		Values: []Value{{"held", Flag}, {"age", Duration}, {"limit", Duration}, {"none", Flag}}, Java: "ProcessQueue.isLockExpired"})
	OrderlyTime = define(Line{ID: "orderly.time", Group: Orderly,
		Words: "thread was busy with it for {ran} > {limit}", Asks: true,
		Values: []Value{{"ran", Duration}, {"limit", Duration}}, Java: "ConsumeMessageOrderlyService.MAX_TIME_CONSUME_CONTINUOUSLY"})
	OrderlyOwed = define(Line{ID: "orderly.owed", Group: Orderly,
		Words: "a commit waited for the lock", Asks: true, Java: ownRule})
	OrderlyDry = define(Line{ID: "orderly.dry", Group: Orderly,
		Words: "nothing waits", Asks: true, Java: "ProcessQueue.takeMessages"})
	OrderlyTaken = define(Line{ID: "orderly.taken", Group: Orderly,
		Words:  "{count} messages taken, offset {first} to {last}",
		Values: []Value{{"count", Number}, {"first", Offset}, {"last", Offset}}, Java: "ProcessQueue.takeMessages"})
	OrderlyUnreadable = define(Line{ID: "orderly.unreadable", Group: Orderly,
		Words: "body of offset {offset} can not be read, counts as failed", Asks: true,
		Values: []Value{{"offset", Offset}}, Java: ownRule})
	OrderlyUnseen = define(Line{ID: "orderly.unseen", Group: Orderly,
		Words: "queue given up before the listener is called", Asks: true, Java: "ConsumeMessageOrderlyService.ConsumeRequest.run"})
	OrderlyCalled = define(Line{ID: "orderly.called", Group: Orderly,
		Words:  "listener gets {count} messages from offset {offset}, the first one failed {times} times before",
		Values: []Value{{"offset", Offset}, {"count", Number}, {"times", Number}}, Java: "MessageListenerOrderly.consumeMessage"})
	OrderlyReturned = define(Line{ID: "orderly.returned", Group: Orderly,
		Words: "listener answers {status} for offset {offset} after {took}, autoCommit {auto}", Text: "status",
		Values: []Value{{"offset", Offset}, {"took", Duration}, {"auto", Flag}}, Java: "MessageListenerOrderly.consumeMessage"})
	OrderlyDiscarded = define(Line{ID: "orderly.discarded", Group: Orderly,
		Words: "queue given up or never shown, result of {count} messages discarded", Asks: true,
		Values: []Value{{"count", Number}}, Java: "ConsumeMessageOrderlyService.processConsumeResult"})
	OrderlyMayCommit = define(Line{ID: "orderly.may-commit", Group: Orderly,
		Words: "lock still held after the listener", Asks: true, Java: ownRule})
	OrderlyCommitted = define(Line{ID: "orderly.committed", Group: Orderly,
		Words:  "{count} messages and {kept} kept before are done, offset {offset}",
		Values: []Value{{"count", Number}, {"kept", Number}, {"offset", Offset}}, Java: "ProcessQueue.commit"})
	OrderlyKept = define(Line{ID: "orderly.kept", Group: Orderly,
		Words:  "{count} messages kept for a later commit, {kept} in all",
		Values: []Value{{"count", Number}, {"kept", Number}}, Java: "ConsumeMessageOrderlyService.processConsumeResult"})
	OrderlyRolledBack = define(Line{ID: "orderly.rolled-back", Group: Orderly,
		Words:  "{count} messages and {kept} kept before come again",
		Values: []Value{{"count", Number}, {"kept", Number}}, Java: "ProcessQueue.rollback"})
	OrderlyDead = define(Line{ID: "orderly.dead", Group: Orderly,
		Words: "offset {offset} failed {times} times, {limit} are too many", Asks: true,
		Values: []Value{{"offset", Offset}, {"times", Number}, {"limit", Number}}, Java: "ConsumeMessageOrderlyService.checkReconsumeTimes"})
	OrderlyDeadLetter = define(Line{ID: "orderly.dead-letter", Group: Orderly,
		Words: "offset {offset} sent to the dead-letter topic, a broker has it", Asks: true,
		Values: []Value{{"offset", Offset}}, Java: "ConsumeMessageOrderlyService.sendMessageBack"})
	OrderlyAgain = define(Line{ID: "orderly.again", Group: Orderly,
		Words:  "{count} messages from offset {offset} are consumed again",
		Values: []Value{{"count", Number}, {"offset", Offset}}, Java: "ProcessQueue.makeMessageToConsumeAgain"})
	OrderlySuspended = define(Line{ID: "orderly.suspended", Group: Orderly,
		Words:  "queue suspended for {pause}",
		Values: []Value{{"pause", Duration}}, Java: "ConsumeMessageOrderlyService.submitConsumeRequestLater"})
	OrderlyResumed = define(Line{ID: "orderly.resumed", Group: Orderly,
		Words: "suspension is over", Java: "ConsumeMessageOrderlyService.submitConsumeRequestLater"})
	OrderlyUnlocked = define(Line{ID: "orderly.unlocked", Group: Orderly,
		Words: "waits for its lock, and it was not granted this moment", Asks: true,
		Java: "ConsumeMessageOrderlyService.tryLockLaterAndReconsume"})
	OrderlyWoken = define(Line{ID: "orderly.woken", Group: Orderly,
		Words: "lock granted, that is what the queue waits for", Asks: true, Java: ownRule})
	OrderlyEnd = define(Line{ID: "orderly.end", Group: Orderly,
		Words: "turn is over after {ran}: {why}", Text: "why",
		Values: []Value{{"ran", Duration}}, Java: "ConsumeMessageOrderlyService.ConsumeRequest.run"})
	OrderlyReplaced = define(Line{ID: "orderly.replaced", Group: Orderly,
		Words:  "assignment {epoch} takes the place of {old}",
		Values: []Value{{"epoch", Number}, {"old", Number}}, Java: ownRule})
	OrderlyForgotten = define(Line{ID: "orderly.forgotten", Group: Orderly,
		Words: "forgotten, its thread is through with it", Asks: true, Java: ownRule})
	OrderlyOverdue = define(Line{ID: "orderly.overdue", Group: Orderly,
		Words: "call at offset {offset} runs for {age} >= {limit}", Asks: true,
		Values: []Value{{"offset", Offset}, {"age", Duration}, {"limit", Duration}}, Java: ownRule})
)
