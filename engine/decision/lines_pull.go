package decision

const (
	pullMessage    = "DefaultMQPushConsumerImpl.pullMessage"
	pullCallback   = "DefaultMQPushConsumerImpl.pullMessage, PullCallback.onSuccess"
	pullException  = "DefaultMQPushConsumerImpl.pullMessage, PullCallback.onException"
	pullService    = "PullMessageService"
	pullAPIWrapper = "PullAPIWrapper"
)

// Lines of schedule.Schedule: when the pull request of a queue has its turn.
var (
	PullEnqueued = define(Line{ID: "pull.enqueued", Group: Pull,
		Words:  "request {task} waits, pulls next from {next}",
		Values: []Value{{"next", Offset}}, Java: pullService + ".executePullRequestLater"})
	PullTaken = define(Line{ID: "pull.taken", Group: Pull,
		Words:  "take {task} from ready, pulls from {next}, {late} behind its due time",
		Values: []Value{{"next", Offset}, {"late", Duration}}, Java: pullService + ".run"})
	PullWoken = define(Line{ID: "pull.woken", Group: Pull,
		Words: "request {task} is due now, {early} early: {by}", Text: "by",
		Values: []Value{{"early", Duration}}, Java: ownRule})
	PullParked = define(Line{ID: "pull.parked", Group: Pull,
		Words:  "request {task} is out for {out}: its broker holds it",
		Values: []Value{{"out", Duration}}, Java: ownRule})
	PullLost = define(Line{ID: "pull.lost", Group: Pull,
		Words:  "no answer for {out} to the pull from {next}: taken for lost, pulled again",
		Values: []Value{{"next", Offset}, {"out", Duration}}, Java: "ProcessQueue.isPullExpired"})
	PullSecond = define(Line{ID: "pull.second", Group: Pull,
		Words:  "request {task} is here already: a second one, to pull from {next}, is not let in",
		Values: []Value{{"next", Offset}}, Java: ownRule})
	PullDied = define(Line{ID: "pull.died", Group: Pull,
		Words: "request {task} is over: {why}", Text: "why",
		Values: []Value{{"next", Offset}}, Java: pullService})
)

// Lines of pull.Pull: the checks of one turn, in their order, and the request.
var (
	PullTouched = define(Line{ID: "pull.touched", Group: Pull,
		Words:  "last pull is now, {now}",
		Values: []Value{{"now", Moment}}, Java: "ProcessQueue.setLastPullTimestamp"})
	PullDropped = define(Line{ID: "pull.dropped", Group: Pull,
		Words: "queue dropped", Asks: true, Java: pullMessage})
	PullRunning = define(Line{ID: "pull.running", Group: Pull,
		Words: "consumer runs", Asks: true, Java: "DefaultMQPushConsumerImpl.makeSureStateOK"})
	PullPaused = define(Line{ID: "pull.paused", Group: Pull,
		Words: "paused", Asks: true, Java: "DefaultMQPushConsumerImpl.isPause"})
	FlowCount = define(Line{ID: "flow.count", Group: Pull,
		Words: "count {count} > {limit}", Asks: true,
		Values: []Value{{"count", Number}, {"limit", Number}}, Java: "DefaultMQPushConsumer.pullThresholdForQueue"})
	FlowSize = define(Line{ID: "flow.size", Group: Pull,
		Words: "bytes {size} > {limit}", Asks: true,
		Values: []Value{{"size", MiB}, {"limit", MiB}, {"bytes", Bytes}}, Java: "DefaultMQPushConsumer.pullThresholdSizeForQueue"})
	FlowSpan = define(Line{ID: "flow.span", Group: Pull,
		Words: "span {span} > {limit}", Asks: true,
		Values: []Value{{"span", Number}, {"limit", Number}}, Java: "DefaultMQPushConsumer.consumeConcurrentlyMaxSpan"})
	PullLocked = define(Line{ID: "pull.locked", Group: Pull,
		Words: "lock held (granted {granted}), age {age} <= {trust}", Asks: true,
		Values: []Value{{"granted", Flag}, {"age", Duration}, {"trust", Duration}}, Java: "ProcessQueue.isLocked"})
	PullFirstLock = define(Line{ID: "pull.first-lock", Group: Pull,
		Words: "first pull with the lock, start offset {next} is read again", Asks: true,
		Values: []Value{{"next", Offset}}, Java: "PullRequest.isPreviouslyLocked"})
	PullStartRead = define(Line{ID: "pull.start-read", Group: Pull,
		Words: "committed offset read again, {committed} instead of {next}", Asks: true, Text: "error",
		Values: []Value{{"committed", Offset}, {"next", Offset}}, Java: "RebalanceImpl.computePullFromWhereWithException"})
	PullSubscribed = define(Line{ID: "pull.subscribed", Group: Pull,
		Words: "topic subscribed", Asks: true, Java: pullMessage})
	PullNegative = define(Line{ID: "pull.negative", Group: Pull,
		Words: "offset {offset} < 0", Asks: true,
		Values: []Value{{"offset", Number}}, Java: ownRule})
	PullSend = define(Line{ID: "pull.send", Group: Pull,
		Words:  "send PULL from {offset} max {max}, flags {flags}, commit {commit}, to broker id {broker}, hold {hold}",
		Values: []Value{{"offset", Offset}, {"max", Number}, {"flags", Number}, {"commit", Offset}, {"broker", Number}, {"hold", Duration}},
		Java:   pullAPIWrapper + ".pullKernelImpl"})
)
