package rebalance

import (
	"fmt"
	"time"

	"mqscope/engine/event"
)

// noteDoubled tells of client ids that stand in a list more than once, once until a pass sees
// no such id. Queues are allotted as if each stood there once: a strategy would take the
// second one for a member that does not exist, whose queues nobody reads, for as long as a
// broker takes to notice a half-open connection. (Java allots with the list as it is;
// apache/rocketmq#1589 and #1547 are what follows.)
func (r *Rebalance) noteDoubled(now time.Time, topic string, members []string) {
	for i := 1; i < len(members); i++ {
		id := members[i]
		if id != members[i-1] || i > 1 && id == members[i-2] {
			continue
		}
		times := 2
		for i+times-1 < len(members) && members[i+times-1] == id {
			times++
		}
		r.doubled.seen = true
		what := fmt.Sprintf("client id %q is %d times in the member list: two processes use it and read the same queues, "+
			"or an old connection of it has not expired yet. Give each process an id of its own", id, times)
		level := event.Warn
		if id == r.cfg.ClientID {
			level = event.Error
		}
		if r.pass.note == "" {
			r.pass.note = what
		}
		if r.doubled.told == nil {
			r.doubled.told = map[string]struct{}{}
		}
		if _, told := r.doubled.told[id]; !told {
			r.doubled.told[id] = struct{}{}
			r.tell(now, level, topic, what)
		}
	}
}

// doubled is what was told of client ids that stand in member lists twice.
type doubled struct {
	seen bool // in the pass that runs
	told map[string]struct{}
}

// nextPass forgets what was told once a whole pass saw nothing of the kind.
func (d *doubled) nextPass() {
	if !d.seen {
		d.told = nil
	}
	d.seen = false
}
