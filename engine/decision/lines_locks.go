package decision

// Lines of package rebalance about the locks that brokers keep of queues consumed in order.
var (
	LockDue = define(Line{ID: "lock.due", Group: Rebalance,
		Words:  "locks are due: all {all}, those in trouble {trouble}; all again in {every}",
		Values: []Value{{"all", Flag}, {"trouble", Flag}, {"every", Duration}}, Java: "ConsumeMessageOrderlyService.lockMQPeriodically"})
	LockAsked = define(Line{ID: "lock.asked", Group: Rebalance,
		Words:  "lock asked for, held by us until now {held}",
		Values: []Value{{"held", Flag}}, Java: "RebalanceImpl.lock"})
	LockBlocked = define(Line{ID: "lock.blocked", Group: Rebalance,
		Words: "the last assignment here still has the lock", Asks: true, Java: ownRule})
	LockGranted = define(Line{ID: "lock.granted", Group: Rebalance,
		Words: "lock granted", Asks: true, Java: "RebalanceImpl.lockAll"})
	LockUnanswered = define(Line{ID: "lock.unanswered", Group: Rebalance,
		Words: "lock not answered for, nothing changes: {why}", Text: "why", Java: "RebalanceImpl.lockAll"})
	LockTrusted = define(Line{ID: "lock.trusted", Group: Rebalance,
		Words: "lock is {age} old, at most {limit}", Asks: true,
		Values: []Value{{"age", Duration}, {"limit", Duration}}, Java: "ProcessQueue.isLockExpired"})
	LockBroken = define(Line{ID: "lock.broken", Group: Rebalance,
		Words: "another member may have had the lock, refused {refused} or {age} > {lifetime}", Asks: true,
		Values: []Value{{"refused", Flag}, {"age", Duration}, {"lifetime", Duration}}, Java: ownRule})
	LockRenewed = define(Line{ID: "lock.renewed", Group: Rebalance,
		Words:  "lock renewed, trusted for {trust} from now",
		Values: []Value{{"trust", Duration}}, Java: "ProcessQueue.setLastLockTimestamp"})
	LockWaits = define(Line{ID: "lock.waits", Group: Rebalance,
		Words:  "waits for its lock, asked again with a pass in {wait}",
		Values: []Value{{"wait", Duration}}, Java: "RebalanceImpl.updateProcessQueueTableInRebalance"})
	LockLost = define(Line{ID: "lock.lost", Group: Rebalance,
		Words:  "lock lost, nothing is pulled or handed over; asked again in {wait}",
		Values: []Value{{"wait", Duration}}, Java: "RebalanceImpl.lockAll"})
	LockForced = define(Line{ID: "lock.forced", Group: Rebalance,
		Words: "listener holds it up for {since} >= {limit}, the lock is given back all the same", Asks: true,
		Values: []Value{{"since", Duration}, {"limit", Duration}}, Java: "RebalancePushImpl.removeUnnecessaryMessageQueue"})
	LockFreed = define(Line{ID: "lock.freed", Group: Rebalance,
		Words: "lock given back", Java: "RebalanceImpl.unlock"})
	LockGone = define(Line{ID: "lock.gone", Group: Rebalance,
		Words: "the broker has the lock back", Asks: true, Java: "RebalanceImpl.unlock"})
	LockDoubt = define(Line{ID: "lock.doubt", Group: Rebalance,
		Words: "unlock without an answer for {since} >= {limit}, it is lost", Asks: true,
		Values: []Value{{"since", Duration}, {"limit", Duration}}, Java: ownRule})
	LockByHand = define(Line{ID: "lock.by-hand", Group: Rebalance,
		Words: "lock may be released by hand, held here {held}", Asks: true,
		Values: []Value{{"held", Flag}}, Java: ownRule})
	LockParted = define(Line{ID: "lock.parted", Group: Rebalance,
		Words:  "released by hand, asked for again in {wait}",
		Values: []Value{{"wait", Duration}}, Java: ownRule})
)
