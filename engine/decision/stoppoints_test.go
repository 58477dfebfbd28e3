package decision_test

import (
	"strings"
	"testing"

	"mqscope/engine/decision"
)

// stopPoints are those that a step-through of a client should have, each with the lines of ours
// that are it. Left out is what this client does not have: version 2 heartbeats, pops, a timer
// that adjusts pools, messages whose topic is written over before they are consumed.
const stopPoints = `
instance: start: state: instance.state
instance: start: routes: start.routes
instance: start: subscriptions checked by a broker: start.checked
instance: start: first heartbeat: start.heartbeat
instance: start: tried again: start.again
instance: start: done: start.done
instance: timer: route refresh: instance.refresh
instance: timer: heartbeat: instance.beat
instance: timer: persist: offset.persist task.persist
instance: route changed or unchanged: instance.route instance.route-failed instance.topic-gone instance.vanished
instance: broker removed: instance.broker-removed
instance: connection: instance.connected instance.lost
instance: heartbeat sent or failed, per address: instance.heartbeat
instance: wake requested, by whom: rebalance.wanted instance.notified
rebalance: pass begins: rebalance.begin
rebalance: pass ends, wait chosen: rebalance.balanced rebalance.end rebalance.sooner
rebalance: topic: queues known: rebalance.known
rebalance: topic: member list: rebalance.ask rebalance.members rebalance.listed
rebalance: topic: allocation: rebalance.allocated rebalance.broker rebalance.keep
rebalance: topic: drop: rebalance.drop rebalance.owner-change
rebalance: topic: remove done or refused: rebalance.remove rebalance.released
rebalance: topic: pull expired: rebalance.expired
rebalance: topic: lock granted or refused: lock.asked lock.granted lock.waits
rebalance: topic: start offset, source and value: rebalance.offset-asked rebalance.committed rebalance.policy rebalance.start-offset
rebalance: topic: added: rebalance.added
rebalance: topic: dispatched: pull.enqueued
rebalance: topic: thresholds rewritten: rebalance.thresholds
rebalance: topic: subscription announced: rebalance.announce
pull: enqueued, now or delayed, why: pull.enqueued pull.woken
pull: taken: pull.taken
pull: check 1, dropped: pull.dropped
pull: last pull time: pull.touched
pull: check 2, running: pull.running
pull: check 3, paused: pull.paused
pull: check 4, count: flow.count
pull: check 5, size: flow.size
pull: check 6, span: flow.span
pull: check 6 orderly, lock: pull.locked
pull: check 6' orderly, first time with the lock: pull.first-lock pull.start-read
pull: check 7, subscription: pull.subscribed
pull: broker chosen, flags, sent: pull.send
pull: response: pull.answer pull.stale
pull: filtered: pull.filtered pull.empty
pull: put: pull.put
pull: offset corrected: pull.corrected
pull: offset illegal, stages: pull.illegal pull.illegal-dropped pull.illegal-frozen pull.illegal-persisted pull.illegal-removed
pull: exception class and delay: pull.failed
pull: died: pull.died
concurrent: queued: consume.queued
concurrent: started: consume.started
concurrent: hooks: consume.hooked
concurrent: listener in and out: consume.called consume.returned
concurrent: return type: consume.overtime
concurrent: each message: ok: consume.acked
concurrent: each message: sent back: consume.sent-back
concurrent: each message: retried here: consume.retry-here consume.again
concurrent: each message: skipped: consume.ours
concurrent: removed, offset before and after: consume.removed
concurrent: result discarded: consume.discarded
concurrent: swept: consume.overdue consume.swept
orderly: monitor waited for or got: orderly.queued orderly.lane
orderly: loop checks: orderly.gone orderly.lock orderly.time orderly.dry
orderly: taken, offsets: orderly.taken
orderly: listener in and out: orderly.called orderly.returned
orderly: commit, rollback, again, dead letter: orderly.committed orderly.rolled-back orderly.again orderly.dead orderly.dead-letter
orderly: suspended: orderly.suspended orderly.resumed
orderly: lock renewed: lock.due lock.renewed lock.lost
orderly: force unlock: lock.forced
offset: update accepted, refused by increase-only, refused by freeze: offset.updated
offset: frozen: offset.frozen
offset: persist sent: offset.persist offset.sent offset.withheld
offset: unused removed: offset.unused offset.removed
offset: read source: offset.read offset.loaded
shutdown: listeners awaited, outcome: shutdown.begin shutdown.drained shutdown.threads
shutdown: offsets: shutdown.committed shutdown.persisted
shutdown: queues and locks: shutdown.given-up shutdown.unlocked
shutdown: group left: shutdown.unregistered
shutdown: state: shutdown.done
E1 callback registered or replaced: task.registered task.unregistered
E2 start: task.start
E3 rebalance pass: rebalance.begin rebalance.allocated rebalance.end
E4 queue added, dropped, removed, persisted: task.queue-added task.queue-removed
E5 listener invoked: task.listener
E6 putTask entered: task.put
E7 task cancelled: task.cancelled
E8 task created: task.created task.create-rejected
E9 worker picked task: task.picked
E10 check 1: task.check-1
E11 callback found: task.callback
E12 context created: task.context
E13 doPullTask entered: task.entered
E14 fetchConsumeOffset: task.fetch-offset
E15 pull sent, response: task.pull-sent task.pull-answer
E16 updateConsumeOffset: task.update-offset
E17 delay set: task.delay
E18 returned or threw: task.returned task.threw
E19 check 2: task.check-2
E20 rescheduled or rejected: task.again
E21 task ended: task.ended
E22 persist tick: task.persist offset.sent offset.unused
E23 shutdown: task.pool-stopped task.shutdown
E24 duplicate-run window: task.overlap
`

func TestEveryStopPointHasItsLines(t *testing.T) {
	points := 0
	for row := range strings.Lines(strings.TrimSpace(stopPoints)) {
		row = strings.TrimSpace(row)
		i := strings.LastIndex(row, ": ")
		if i < 0 {
			t.Errorf("%q names no line", row)
			continue
		}
		points++
		for _, id := range strings.Fields(row[i+2:]) {
			if decision.Find(id) == nil {
				t.Errorf("%s: there is no line %s", row[:i], id)
			}
		}
	}
	if points < 100 {
		t.Errorf("only %d stop points were read", points)
	}
}

func TestLinesAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, l := range decision.Lines() {
		switch {
		case l.ID == "" || l.Words == "" || l.Java == "":
			t.Errorf("line %q: id, words or the Java class is missing", l.ID)
		case seen[l.ID]:
			t.Errorf("two lines are called %s", l.ID)
		case len(l.Values) > 6:
			t.Errorf("line %s has %d values, 6 are recorded", l.ID, len(l.Values))
		}
		seen[l.ID] = true
	}
}
