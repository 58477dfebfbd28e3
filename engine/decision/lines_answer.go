package decision

// Lines of what follows from the answer to a pull.
var (
	PullStale = define(Line{ID: "pull.stale", Group: Pull,
		Words: "answer {status} to the pull from {offset} belongs to no pull that is out", Text: "status",
		Values: []Value{{"offset", Offset}}, Java: ownRule})
	PullAnswer = define(Line{ID: "pull.answer", Group: Pull,
		Words: "answer {status} after {took}: {count} messages, next {next}, queue has [{min}, {max}), broker id {suggest} suggested", Text: "status",
		Values: []Value{{"took", Duration}, {"count", Number}, {"next", Offset}, {"min", Offset}, {"max", Offset}, {"suggest", Number}},
		Java:   pullAPIWrapper + ".processPullResult"})
	PullLate = define(Line{ID: "pull.late", Group: Pull,
		Words: "queue dropped while the pull from {offset} was out", Asks: true,
		Values: []Value{{"offset", Offset}}, Java: ownRule})
	PullCut = define(Line{ID: "pull.cut", Group: Pull,
		Words: "answer broken, {kept} messages before that are kept, pulls again from {next}: {why}", Text: "why",
		Values: []Value{{"kept", Number}, {"next", Offset}}, Java: ownRule})
	PullFiltered = define(Line{ID: "pull.filtered", Group: Pull,
		Words: "{filtered} of {count} messages not wanted by {filter}", Text: "filter",
		Values: []Value{{"filtered", Number}, {"count", Number}}, Java: pullAPIWrapper + ".processPullResult"})
	PullPut = define(Line{ID: "pull.put", Group: Pull,
		Words:  "put {count} messages, {bytes}, from offset {first}: {cached} cached, {duplicates} were already",
		Values: []Value{{"count", Number}, {"bytes", Bytes}, {"first", Offset}, {"cached", Number}, {"duplicates", Number}},
		Java:   "ProcessQueue.putMessage"})
	PullRecovered = define(Line{ID: "pull.recovered", Group: Pull,
		Words:  "pulls work again after {failures} failures",
		Values: []Value{{"failures", Number}}, Java: ownRule})
	PullProgress = define(Line{ID: "pull.progress", Group: Pull,
		Words: "next {next} >= {least}", Asks: true,
		Values: []Value{{"next", Offset}, {"least", Offset}}, Java: ownRule})
	PullAgain = define(Line{ID: "pull.again", Group: Pull,
		Words: "messages brought again, first {first} < {offset}", Asks: true,
		Values: []Value{{"first", Offset}, {"offset", Offset}}, Java: pullCallback})
	PullEmpty = define(Line{ID: "pull.empty", Group: Pull,
		Words: "no message left of the answer, {filtered} filtered out", Asks: true,
		Values: []Value{{"filtered", Number}}, Java: pullCallback})
	PullHeld = define(Line{ID: "pull.held", Group: Pull,
		Words: "broker held the pull, {took} >= {least}", Asks: true,
		Values: []Value{{"took", Duration}, {"least", Duration}}, Java: ownRule})
	PullIdle = define(Line{ID: "pull.idle", Group: Pull,
		Words: "{idle} answers in a row at once without news >= {limit}", Asks: true,
		Values: []Value{{"idle", Number}, {"limit", Number}}, Java: ownRule})
	PullCorrected = define(Line{ID: "pull.corrected", Group: Pull,
		Words: "{cached} cached, stored offset raised to {offset}", Asks: true,
		Values: []Value{{"cached", Number}, {"offset", Offset}}, Java: "DefaultMQPushConsumerImpl.correctTagsOffset"})
	PullFailed = define(Line{ID: "pull.failed", Group: Pull,
		Words: "pull from {offset} failed, code {code}, {failures} in a row: {why}", Text: "why",
		Values: []Value{{"offset", Offset}, {"code", Number}, {"failures", Number}}, Java: pullException})
	PullUnreadable = define(Line{ID: "pull.unreadable", Group: Pull,
		Words: "{count} answers in a row to the pull from {offset} can not be read >= {limit}", Asks: true,
		Values: []Value{{"count", Number}, {"limit", Number}, {"offset", Offset}}, Java: ownRule})
)

// Lines of what follows from OFFSET_ILLEGAL.
var (
	PullIllegalCorrects = define(Line{ID: "pull.illegal-corrects", Group: Pull,
		Words: "correction {next} of offset {offset} corrects something", Asks: true,
		Values: []Value{{"next", Number}, {"offset", Offset}}, Java: ownRule})
	PullIllegalSlave = define(Line{ID: "pull.illegal-slave", Group: Pull,
		Words: "a slave (answer {slave}, asked id {asked}, suggests {suggest}) corrects backwards, from {offset} to {next}", Asks: true,
		Values: []Value{{"slave", Flag}, {"asked", Number}, {"suggest", Number}, {"offset", Offset}, {"next", Offset}}, Java: ownRule})
	PullIllegal = define(Line{ID: "pull.illegal", Group: Pull,
		Words:  "offset {offset} is illegal, queue has [{min}, {max}): goes on at {next}",
		Values: []Value{{"offset", Offset}, {"next", Offset}, {"min", Offset}, {"max", Offset}}, Java: pullCallback})
	PullIllegalDropped = define(Line{ID: "pull.illegal-dropped", Group: Pull,
		Words:  "queue dropped, {cached} cached messages with it",
		Values: []Value{{"cached", Number}}, Java: "ProcessQueue.setDropped"})
	PullIllegalFrozen = define(Line{ID: "pull.illegal-frozen", Group: Pull,
		Words:  "offset frozen at {next}, no listener moves it",
		Values: []Value{{"next", Offset}}, Java: "OffsetStore.updateAndFreezeOffset"})
	PullIllegalPersisted = define(Line{ID: "pull.illegal-persisted", Group: Pull,
		Words: "offset {next} persisted", Asks: true, Text: "error",
		Values: []Value{{"next", Offset}}, Java: "OffsetStore.persist"})
	PullIllegalRemoved = define(Line{ID: "pull.illegal-removed", Group: Pull,
		Words: "queue removed, rebalance wanted", Java: "RebalanceImpl.removeProcessQueue"})
)
