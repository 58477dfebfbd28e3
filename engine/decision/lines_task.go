package decision

const (
	scheduleService = "MQPullConsumerScheduleService"
	putTask         = scheduleService + ".putTask"
	taskRun         = scheduleService + ".PullTaskImpl.run"
	pullImpl        = "DefaultMQPullConsumerImpl"
)

// Lines of the pull-task service around its tasks: registration, start, end (E1–E4, E22, E23 of
// its stop points).
var (
	TaskRegistered = define(Line{ID: "task.registered", Group: PullTask,
		Words: "callback of {topic} registered, replaces one: {replaces}, {topics} topics have one", Text: "topic",
		Values: []Value{{"replaces", Flag}, {"topics", Number}}, Java: scheduleService + ".registerPullTaskCallback"})
	TaskUnregistered = define(Line{ID: "task.unregistered", Group: PullTask,
		Words: "callback of {topic} removed, {topics} topics have one", Text: "topic",
		Values: []Value{{"topics", Number}}, Java: scheduleService + ".setCallbackTable"})
	TaskStart = define(Line{ID: "task.start", Group: PullTask,
		Words: "start: {stage}, {threads} threads", Text: "stage",
		Values: []Value{{"threads", Number}}, Java: scheduleService + ".start"})
	TaskQueueAdded = define(Line{ID: "task.queue-added", Group: PullTask,
		Words:  "queue {queue} added, offset in memory {memory}",
		Values: []Value{{"memory", Offset}}, Java: "RebalanceImpl.updateProcessQueueTableInRebalance"})
	TaskQueueRemoved = define(Line{ID: "task.queue-removed", Group: PullTask,
		Words: "queue {queue} {why}: dropped, offset {memory} persisted, removed", Text: "why",
		Values: []Value{{"memory", Offset}}, Java: "RebalancePullImpl.removeUnnecessaryMessageQueue"})
	TaskPersist = define(Line{ID: "task.persist", Group: PullTask,
		Words:  "persist tick: {queues} queues are ours, {others} offsets of others",
		Values: []Value{{"queues", Number}, {"others", Number}}, Java: "RemoteBrokerOffsetStore.persistAll"})
	TaskForgotten = define(Line{ID: "task.forgotten", Group: PullTask,
		Words: "offset set by hand of a queue that is not ours is forgotten", Java: "RemoteBrokerOffsetStore.persistAll"})
	TaskPoolStopped = define(Line{ID: "task.pool-stopped", Group: PullTask,
		Words:  "pool stopped: {pending} tasks wait, they run once more: {again}; {busy} callbacks run",
		Values: []Value{{"pending", Number}, {"busy", Number}, {"again", Flag}}, Java: "ScheduledThreadPoolExecutor.shutdown"})
	TaskShutdown = define(Line{ID: "task.shutdown", Group: PullTask,
		Words: "shutdown: {stage}, {queues} queues", Text: "stage",
		Values: []Value{{"queues", Number}}, Java: pullImpl + ".shutdown"})
)

// Lines of schedule.Table: which queues have a task, and its turn (E5–E13, E18–E21, E24).
var (
	TaskListener = define(Line{ID: "task.listener", Group: PullTask,
		Words: "queues of {topic} changed: broadcasting {broadcasting}, {mine} of {all} are mine, {chosen} chosen", Text: "topic",
		Values: []Value{{"broadcasting", Flag}, {"all", Number}, {"mine", Number}, {"chosen", Number}},
		Java:   scheduleService + ".MessageQueueListenerImpl"})
	TaskPut = define(Line{ID: "task.put", Group: PullTask,
		Words: "putTask of {topic}: {queues} queues, {tasks} tasks in the table", Text: "topic",
		Values: []Value{{"queues", Number}, {"tasks", Number}}, Java: putTask})
	TaskCancelled = define(Line{ID: "task.cancelled", Group: PullTask,
		Words: "task {task} of {queue} cancelled while {state}, out of the table", Text: "state", Java: putTask})
	TaskCreated = define(Line{ID: "task.created", Group: PullTask,
		Words: "task {task} of {queue} made, due at once", Java: putTask})
	TaskCreateRejected = define(Line{ID: "task.create-rejected", Group: PullTask,
		Words: "task {task} of {queue} made, the stopped pool rejects it: it stays in the table", Java: putTask})
	TaskPicked = define(Line{ID: "task.picked", Group: PullTask,
		Words:  "a thread takes task {task} of {queue}, {late} behind its due time, {busy} of {threads} run",
		Values: []Value{{"late", Duration}, {"busy", Number}, {"threads", Number}}, Java: taskRun})
	TaskCheck1 = define(Line{ID: "task.check-1", Group: PullTask,
		Words: "task {task} cancelled", Asks: true, Java: taskRun})
	TaskCallback = define(Line{ID: "task.callback", Group: PullTask,
		Words: "callback of {topic} found", Asks: true, Text: "topic", Java: taskRun})
	TaskContext = define(Line{ID: "task.context", Group: PullTask,
		Words:  "context made, next delay {delay}",
		Values: []Value{{"delay", Duration}}, Java: "PullTaskContext"})
	TaskOverlap = define(Line{ID: "task.overlap", Group: PullTask,
		Words: "cancelled task #{other} of the queue still is in its callback", Asks: true,
		Values: []Value{{"other", Number}, {"inside", Number}}, Java: taskRun})
	TaskReturned = define(Line{ID: "task.returned", Group: PullTask,
		Words:  "doPullTask of {task} over after {took}, run {run}",
		Values: []Value{{"took", Duration}, {"run", Number}}, Java: taskRun})
	TaskThrew = define(Line{ID: "task.threw", Group: PullTask,
		Words: "it threw, {throws} in a row, delay {delay}", Asks: true, Text: "error",
		Values: []Value{{"throws", Number}, {"delay", Duration}}, Java: taskRun})
	TaskCheck2 = define(Line{ID: "task.check-2", Group: PullTask,
		Words: "task {task} cancelled meanwhile", Asks: true, Java: taskRun})
	TaskAgain = define(Line{ID: "task.again", Group: PullTask,
		Words: "pool takes task {task} again", Asks: true,
		Values: []Value{{"delay", Duration}}, Java: taskRun})
	TaskEnded = define(Line{ID: "task.ended", Group: PullTask,
		Words: "task {task} of {queue}: {why}, still in the table: {table}", Text: "why",
		Values: []Value{{"table", Flag}}, Java: taskRun})
)

// Lines of what a callback does (E13–E17).
var (
	TaskEntered = define(Line{ID: "task.entered", Group: PullTask,
		Words:  "doPullTask of {queue} begins, run {run}",
		Values: []Value{{"run", Number}}, Java: "PullTaskCallback.doPullTask"})
	TaskDelay = define(Line{ID: "task.delay", Group: PullTask,
		Words:  "callback set its next delay to {delay}",
		Values: []Value{{"delay", Duration}}, Java: "PullTaskContext.setPullNextDelayTimeMillis"})
	TaskFetchOffset = define(Line{ID: "task.fetch-offset", Group: PullTask,
		Words: "offset of {queue} from {source}: {offset}", Text: "source",
		Values: []Value{{"offset", Number}}, Java: pullImpl + ".fetchConsumeOffset"})
	TaskPullSent = define(Line{ID: "task.pull-sent", Group: PullTask,
		Words:  "send PULL of {queue} from {offset} max {max}, flags {flags}, to broker id {broker}, may be held {hold}, timeout {timeout}",
		Values: []Value{{"offset", Offset}, {"max", Number}, {"flags", Number}, {"broker", Number}, {"hold", Flag}, {"timeout", Duration}},
		Java:   pullImpl + ".pullSyncImpl"})
	TaskPullAnswer = define(Line{ID: "task.pull-answer", Group: PullTask,
		Words: "answer {status} of {queue} after {took}: {count} messages, next {next}, queue has [{min}, {max}), broker id {suggest} suggested", Text: "status",
		Values: []Value{{"took", Duration}, {"count", Number}, {"next", Offset}, {"min", Offset}, {"max", Offset}, {"suggest", Number}},
		Java:   pullAPIWrapper + ".processPullResult"})
	TaskUpdateOffset = define(Line{ID: "task.update-offset", Group: PullTask,
		Words:  "offset of {queue} in memory set from {old} to {new}",
		Values: []Value{{"old", Offset}, {"new", Offset}}, Java: pullImpl + ".updateConsumeOffset"})
)
