package pull

import (
	"fmt"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/mq"
)

// idleLimit is how many answers in a row may bring nothing at once, without having been held
// by the broker, before the next pull waits.
const idleLimit = 3

// answer is one PullDone and what is decided on it.
type answer struct {
	*Pull
	queue   *queue
	now     time.Time
	done    event.PullDone
	actions []Action
}

// decide does what follows by status (Java: PullCallback of pullMessage).
func (a *answer) decide() {
	a.tellAnswer()
	if a.done.Status == mq.PullFailed {
		a.failed()
		return
	}
	a.recovered()
	// Remembered whatever the status says (Java: PullAPIWrapper.processPullResult).
	a.queue.suggest = a.done.Suggest
	switch a.done.Status {
	case mq.Found:
		a.found()
	case mq.OffsetIllegal:
		a.illegal()
	default:
		a.empty()
	}
}

// found goes on behind the messages. When all of them were filtered out the offset is raised,
// else a group that wants none of the tags would show a lag for ever.
func (a *answer) found() {
	d := &a.done
	if !a.mustBe(true, decision.PullProgress, d.Next > d.Offset, [6]int64{d.Next, d.Offset + 1}) {
		a.stay(noProgress, fmt.Sprintf("answer FOUND to the pull at %d says to go on at %d: stays at %[1]d", d.Offset, d.Next))
		return
	}
	if d.Count > 0 && a.is(decision.PullAgain, d.First < d.Offset, [6]int64{d.First, d.Offset}) {
		a.queue.idle = 0
		a.tell(bringsAgain, event.Warn, fmt.Sprintf("answer to the pull at %d begins at offset %d: the broker brings messages again", d.Offset, d.First))
	} else {
		a.progress()
	}
	if a.is(decision.PullEmpty, d.Count == 0, [6]int64{int64(d.Filtered)}) {
		a.correct(d.Next)
		a.back(d.Next, 0, event.CauseNone)
		return
	}
	cause := event.CauseNone
	if a.cfg.Interval > 0 {
		cause = event.CauseInterval
	}
	a.back(d.Next, a.cfg.Interval, cause)
}

// empty follows NO_NEW_MSG and NO_MATCHED_MSG: the broker held the pull already, so the next
// one is made at once. A broker that does not hold and brings no progress is asked slowly.
func (a *answer) empty() {
	d := &a.done
	if !a.mustBe(true, decision.PullProgress, d.Next >= d.Offset, [6]int64{d.Next, d.Offset}) {
		a.stay(noProgress, fmt.Sprintf("answer %v to the pull at %d says to go back to %d: stays at %[2]d", d.Status, d.Offset, d.Next))
		return
	}
	a.correct(d.Next)
	least := a.cfg.ExceptionDelay
	if d.Next > d.Offset || a.is(decision.PullHeld, d.Took >= least, [6]int64{int64(d.Took), int64(least)}) {
		a.progress()
	} else if a.queue.idle++; a.mustBe(false, decision.PullIdle, a.queue.idle >= idleLimit, [6]int64{int64(a.queue.idle), idleLimit}) {
		a.stay(noProgress, fmt.Sprintf("%d answers %v in a row came at once: pulls only every %v until there is news", idleLimit, d.Status, a.cfg.ExceptionDelay))
		return
	}
	a.back(d.Next, 0, event.CauseNone)
}

// illegal follows OFFSET_ILLEGAL. A correction is taken only when it corrects something, and
// never backwards from a slave, which may lack the newest messages: the master is asked.
func (a *answer) illegal() {
	d := &a.done
	fromSlave := d.Slave || a.queue.sentTo != mq.MasterID || d.Suggest != mq.MasterID
	backwards := d.Next < d.Offset || (d.Max >= 0 && d.Max < d.Offset)
	corrects := d.Next >= 0 && d.Next != d.Offset
	switch {
	case !a.mustBe(true, decision.PullIllegalCorrects, corrects, [6]int64{d.Next, d.Offset}):
		a.queue.suggest = mq.MasterID
		a.stay(badCorrection, fmt.Sprintf("offset %d is illegal, %s, but the broker's correction is %d: asked again", d.Offset, a.bounds(), d.Next))
	case a.mustBe(false, decision.PullIllegalSlave, fromSlave && backwards,
		[6]int64{flag(d.Slave), a.queue.sentTo, d.Suggest, d.Offset, d.Next}):
		a.queue.suggest = mq.MasterID
		a.stay(slaveIsBehind, fmt.Sprintf("a slave says offset %d is illegal, %s: not trusted, the master is asked", d.Offset, a.bounds()))
	default:
		a.progress()
		a.record(decision.PullIllegal, false, [6]int64{d.Offset, d.Next, d.Min, d.Max}, "", decision.Then{Do: decision.Die})
		a.actions = append(a.actions, RepairOffset{
			Queue: d.Queue, Epoch: d.Epoch, Asked: d.Offset, Next: d.Next, Min: d.Min, Max: d.Max, Task: a.queue.task,
		})
	}
}

// progress ends whatever went wrong before.
func (a *answer) progress() { a.queue.idle, a.queue.trouble = 0, noTrouble }

// stay pulls from the same offset again, slowly, because of t.
func (a *answer) stay(t trouble, words string) {
	a.tell(t, event.Warn, words)
	then := a.staying()
	a.back(a.done.Offset, then.Delay, then.Why)
}

// staying is what stay does.
func (a *answer) staying() decision.Then { return putBack(a.cfg.ExceptionDelay, event.CauseException) }

// bounds says what the answer tells about the queue's offsets.
func (a *answer) bounds() string {
	if a.done.Min < 0 || a.done.Max < 0 {
		return "its bounds were not told"
	}
	return fmt.Sprintf("the queue has [%d, %d)", a.done.Min, a.done.Max)
}

func (a *answer) correct(to int64) {
	a.actions = append(a.actions, CorrectOffset{Queue: a.done.Queue, Epoch: a.done.Epoch, Offset: to, Task: a.queue.task})
}

func (a *answer) back(next int64, delay time.Duration, cause event.Cause) {
	a.actions = append(a.actions, Back{
		Queue: a.done.Queue, Epoch: a.done.Epoch, Next: next, Delay: delay, Cause: cause,
	})
}

func (a *answer) tell(t trouble, level event.Level, words string) {
	if entry, ok := a.queue.tell(t, a.now, level, a.done.Queue, words); ok {
		a.actions = append(a.actions, entry)
	}
}
