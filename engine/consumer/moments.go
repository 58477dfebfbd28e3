package consumer

import (
	"fmt"
	"time"

	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/offset"
	"mqscope/engine/rebalance"
	"mqscope/engine/snapshot"
)

// momentOf says what an event was; it has no kind where only time has passed.
func momentOf(e event.Event) snapshot.Moment {
	switch e := e.(type) {
	case event.PullDone:
		return pullMoment(e)
	case event.RebalanceWanted:
		return about("rebalance.wanted", e.Why)
	case event.RouteChanged:
		return failing(at("route", e.Topic, counted(len(e.Queues), "readable queue")), e.Err)
	case event.MembersListed:
		return failing(at("members", e.Topic, counted(len(e.Members), "member")+" listed"), e.Err)
	case event.AssignmentRead:
		return failing(at("assignment", e.Topic, counted(len(e.Queues), "queue")+" allotted by the broker"), e.Err)
	case event.OffsetRead:
		what := fmt.Sprintf("%s offset is %d", e.Source, e.Offset)
		if !e.Found {
			what = fmt.Sprintf("the broker has no %s offset", e.Source)
		}
		return failing(on("offset.read", e.Queue, what), e.Err)
	case offset.Saved:
		return failing(about("offset.saved", counted(len(e.Write.Positions), "offset")+" written to the file"), e.Err)
	case event.RoomFreed:
		return on("flow.room", e.Queue, "there is room in its ProcessQueue again")
	case event.BrokerReachable:
		return at("broker.up", e.BrokerName, "connected to "+e.Addr)
	case event.BrokerLost:
		m := at("broker.lost", e.BrokerName, lostText(e))
		m.Level, m.Interest = event.Warn, snapshot.InterestError
		return m
	case event.Entry:
		return snapshot.Moment{Kind: "told." + e.Source, Queue: e.Queue, Where: e.Where, Level: e.Level, Words: e.What, Interest: interestOf(e)}
	case nil:
		return snapshot.Moment{}
	}
	if m, ok := memberMoment(e); ok {
		return m
	}
	if m, ok := leaveMoment(e); ok {
		return m
	}
	return handMoment(e)
}

func aheadText(e rebalance.ClockAhead) string {
	by := ""
	if e.By > 0 {
		by = " by " + e.By.Round(time.Millisecond).String()
	}
	text := "the clock on the wall went ahead" + by + ": it was set, or the computer slept"
	if e.Behind > 0 {
		text += fmt.Sprintf("; times of this recording are %v behind it from here on", e.Behind.Round(time.Millisecond))
	}
	return text
}

// memberMoment is about locks and other members, or about queues that are given up.
func memberMoment(e event.Event) (snapshot.Moment, bool) {
	switch e := e.(type) {
	case rebalance.LocksAnswered:
		m := at("lock.answer", e.Broker, fmt.Sprintf("%d of %s granted", len(e.Granted), counted(len(e.Queues), "lock")))
		if len(e.Granted) < len(e.Queues) {
			m.Level, m.Interest = event.Warn, snapshot.InterestLock
		}
		return failing(m, e.Err), true
	case rebalance.LocksFreed:
		return failing(at("lock.freed", e.Broker, counted(len(e.Queues), "lock")+" given back"), e.Err), true
	case rebalance.ClockAhead:
		return about("clock.ahead", aheadText(e)), true
	case rebalance.GroupTold:
		return failing(about("group.told", "the broker knows "+counted(len(e.Theirs), "subscription")+" of the group"), e.Err), true
	case rebalance.PeerTold:
		return failing(at("member.told", e.ClientID, "told what it does"), e.Err), true
	case rebalance.LocksWatched:
		return about("hand.watch", "locks are looked at: "+yesNo(e.On)), true
	case listenerIdle:
		return on("revoke.idle", e.queue, "its listener has returned"), true
	case settled:
		return failing(on("revoke.settled", e.queue, fmt.Sprintf("last offset %d", e.offset)), e.err), true
	case repaired:
		return failing(on("offset.repaired", e.action.Queue, fmt.Sprintf("corrected offset %d", e.action.Next)), e.err), true
	case rechecked:
		return on("offset.rechecked", e.queue, "asked again where it begins"), true
	case resetSent:
		return failing(on("offset.reset", e.queue, fmt.Sprintf("reset to %d sent", e.to)), e.err), true
	case popRetryFound:
		return at("pop.retry", e.topic, "what came back of popped messages is in "+e.retry), true
	}
	return snapshot.Moment{}, false
}

// handMoment is what a person or a tool wanted.
func handMoment(e event.Event) snapshot.Moment {
	switch e := e.(type) {
	case event.ConsumptionPaused:
		return about("hand.pause", "consumption paused")
	case event.ConsumptionResumed:
		return about("hand.resume", "consumption resumed")
	case event.Postponed:
		return on("hand.postpone", e.Queue, "its pull was delayed by "+e.By.String())
	case driven:
		return about("hand.drive", "pulls are held: "+yesNo(e.on))
	case released:
		return on("hand.release", e.queue, "a pull was let go")
	case carriedOn:
		return about("hand.carry-on", "an open turn was carried on")
	case watchQueues:
		return about("hand.watch", "looked at: "+counted(len(e.queues), "queue"))
	case setThreads:
		return about("hand.threads", counted(e.n, "consume thread"))
	case setLimits:
		return about("hand.limits", limitsText(e.limits))
	case subscribe:
		return at("hand.subscribe", e.data.Topic, "with "+e.data.SubString)
	case unsubscribe:
		return at("hand.unsubscribe", e.topic, "subscription given up")
	case releaseLock:
		return on("hand.release-lock", e.queue, "its lock is to be given back")
	case sourceStatus:
		return failing(about("source."+e.state.String(), "the consumer is "+e.state.String()), e.err)
	case *errand:
		return askedMoment(e.question)
	}
	return about("event", fmt.Sprintf("%T", e))
}

func askedMoment(question any) snapshot.Moment {
	switch q := question.(type) {
	case askedInfo:
		return about("asked.info", "a tool asked what the consumer does")
	case askedOffsets:
		return at("asked.offsets", q.topic, "a tool asked for offsets in memory")
	case askedReset:
		m := at("asked.reset", q.wanted.Topic, "a tool resets offsets of "+counted(len(q.wanted.Targets), "queue"))
		m.Level, m.Interest = event.Warn, snapshot.InterestOffset
		return m
	}
	return about("asked", "a tool asked for something")
}

func pullMoment(e event.PullDone) snapshot.Moment {
	kinds := [...]string{"pull.failed", "pull.found", "pull.no-new", "pull.no-match", "pull.illegal"}
	m := on(kinds[min(int(e.Status), len(kinds)-1)], e.Queue, "")
	took := e.Took.Round(10 * time.Microsecond)
	switch e.Status {
	case mq.Found:
		m.Words = fmt.Sprintf("%s from %d, %d bytes, next %d, took %v", messages(e.Count), e.Offset, e.Bytes, e.Next, took)
	case mq.OffsetIllegal:
		m.Words = fmt.Sprintf("offset %d is illegal, the broker says %d, took %v", e.Offset, e.Next, took)
		m.Level, m.Interest = event.Warn, snapshot.InterestOffset
	default:
		m.Words = fmt.Sprintf("at %d, next %d, took %v", e.Offset, e.Next, took)
	}
	return failing(m, e.Err)
}

// counted is n of a noun that takes an s when there are more.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func about(kind, words string) snapshot.Moment { return snapshot.Moment{Kind: kind, Words: words} }

func at(kind, where, words string) snapshot.Moment {
	return snapshot.Moment{Kind: kind, Where: where, Words: words}
}

func on(kind string, q mq.MessageQueue, words string) snapshot.Moment {
	return snapshot.Moment{Kind: kind, Queue: q, Words: words}
}

// failing adds why something went wrong, if it did.
func failing(m snapshot.Moment, err error) snapshot.Moment {
	if err != nil {
		m.Words, m.Level = err.Error(), event.Warn
		if m.Interest == snapshot.NoInterest {
			m.Interest = snapshot.InterestError
		}
	}
	return m
}

func yesNo(v bool) string {
	if v {
		return "yes"
	}
	return "no"
}

func messages(n int) string { return counted(n, "message") }
