package decision

// Lines of the offset stores, and of what the consumer does with their offsets.
var (
	OffsetUpdated = define(Line{ID: "offset.updated", Group: OffsetStore,
		Words: "update {stored} → {offset} accepted, increase-only {increase}, frozen {frozen}", Asks: true,
		Values: []Value{{"stored", Offset}, {"offset", Offset}, {"increase", Flag}, {"frozen", Flag}}, Java: "ControllableOffset.update"})
	OffsetFrozen = define(Line{ID: "offset.frozen", Group: OffsetStore,
		Words:  "frozen at {offset}, it was {stored}",
		Values: []Value{{"stored", Offset}, {"offset", Offset}}, Java: "ControllableOffset.updateAndFreeze"})
	OffsetRead = define(Line{ID: "offset.read", Group: OffsetStore,
		Words: "read from store {offset} over {stored} in memory, found {found}, late {late}, frozen {frozen}", Asks: true,
		Values: []Value{{"stored", Offset}, {"offset", Offset}, {"found", Flag}, {"late", Flag}, {"frozen", Flag}},
		Java:   "RemoteBrokerOffsetStore.readOffset"})
	OffsetRemoved = define(Line{ID: "offset.removed", Group: OffsetStore,
		Words:  "removed, it was {stored}",
		Values: []Value{{"stored", Offset}}, Java: "OffsetStore.removeOffset"})
	OffsetPersist = define(Line{ID: "offset.persist", Group: OffsetStore,
		Words:  "persist of {owned} queues, {known} have an offset",
		Values: []Value{{"owned", Number}, {"known", Number}}, Java: "RemoteBrokerOffsetStore.persistAll"})
	OffsetUnused = define(Line{ID: "offset.unused", Group: OffsetStore,
		Words:  "queue not owned, its offset {stored} is forgotten",
		Values: []Value{{"stored", Offset}}, Java: "RemoteBrokerOffsetStore.persistAll"})
	OffsetWithheld = define(Line{ID: "offset.withheld", Group: OffsetStore,
		Words: "{offset} kept back, known to the broker {known}, beyond the end {beyond}, lock missing {lockless}", Asks: true,
		Values: []Value{{"offset", Offset}, {"known", Flag}, {"beyond", Flag}, {"lockless", Flag}}, Java: ownRule})
	OffsetSent = define(Line{ID: "offset.sent", Group: OffsetStore,
		Words: "{offset} sent to its broker one-way", Asks: true,
		Values: []Value{{"offset", Offset}}, Java: "RemoteBrokerOffsetStore.updateConsumeOffsetToBroker"})
	OffsetCommitted = define(Line{ID: "offset.committed", Group: OffsetStore,
		Words: "{offset} stored, says its broker", Asks: true,
		Values: []Value{{"offset", Offset}}, Java: ownRule})
	OffsetLoaded = define(Line{ID: "offset.loaded", Group: OffsetStore,
		Words: "offset file read, {positions} queues", Asks: true,
		Values: []Value{{"positions", Number}}, Java: "LocalFileOffsetStore.load"})
	OffsetWrite = define(Line{ID: "offset.write", Group: OffsetStore,
		Words:  "offset file is written with {positions} queues, {unsaved} of them new, write {seq}",
		Values: []Value{{"positions", Number}, {"unsaved", Number}, {"seq", Number}}, Java: "LocalFileOffsetStore.persistAll"})
	OffsetSaved = define(Line{ID: "offset.saved", Group: OffsetStore,
		Words: "write {seq} is on the disk", Asks: true,
		Values: []Value{{"seq", Number}}, Java: "LocalFileOffsetStore.persistAll"})
	OffsetReset = define(Line{ID: "offset.reset", Group: OffsetStore,
		Words:  "reset {from} → {to} wanted, committed in {wait}",
		Values: []Value{{"from", Offset}, {"to", Offset}, {"wait", Duration}}, Java: "MQClientInstance.resetOffset"})
	OffsetResetDone = define(Line{ID: "offset.reset-done", Group: OffsetStore,
		Words: "reset to {to} committed", Asks: true,
		Values: []Value{{"to", Offset}}, Java: "MQClientInstance.resetOffset"})
	OffsetResetHanded = define(Line{ID: "offset.reset-handed", Group: OffsetStore,
		Words:  "given up while it is reset, the next owner begins at {to}",
		Values: []Value{{"to", Offset}}, Java: ownRule})
)
