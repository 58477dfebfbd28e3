package rebalance

import (
	"fmt"
	"slices"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/internal/plant"
	"mqscope/engine/mq"
)

// membersListed decides on one topic. Queues are kept when the list is unknown, empty, or
// omits us only now: a broker that restarts answers so for a moment.
func (r *Rebalance) membersListed(now time.Time, e event.MembersListed) {
	t := r.topics[e.Topic]
	if t == nil || !t.asked || t.broker.asked() {
		return
	}
	r.answered(t)
	r.decide(now, t, e)
	r.endIfDone(now)
}

func (r *Rebalance) decide(now time.Time, t *topic, e event.MembersListed) {
	switch {
	case e.Err != nil:
		r.keep(now, t, event.Warn, "member list unknown: "+e.Err.Error())
		return
	case len(e.Members) == 0 && plant.DropOnEmptyList:
		r.update(now, t, nil)
		return
	case len(e.Members) == 0:
		r.keep(now, t, event.Warn, "member list is empty")
		r.do(Announce{Topic: t.name})
		return
	}
	members := r.seen(now, t, e.Members)
	r.Decisions.Fact(decision.RebalanceMembers, nowhere, t.name, [6]int64{int64(len(members)), int64(len(t.queues))})
	if r.Decisions.Is(decision.RebalanceListed, nowhere, slices.Contains(members, r.cfg.ClientID), [6]int64{int64(len(members))}) {
		t.missing = 0
	} else if t.missing++; !r.Decisions.Is(decision.RebalanceForgotten, nowhere, t.missing >= r.cfg.MissingConfirmations,
		[6]int64{int64(t.missing), int64(r.cfg.MissingConfirmations)}) {
		r.keep(now, t, event.Warn, fmt.Sprintf("member list of %d omits this client", len(members)))
		r.do(Announce{Topic: t.name})
		return
	}
	if len(t.queues) == 0 {
		// The route lost them while the list was read.
		r.update(now, t, nil)
		return
	}
	mine, err := r.share(t, members)
	if err != nil {
		r.keep(now, t, event.Error, r.cfg.Strategy.Name()+" can not allot queues: "+err.Error())
		return
	}
	r.allocated(t, r.cfg.Strategy.Name(), len(members), len(mine))
	if t.missing > 0 {
		r.forgotten(now, t)
	} else {
		t.trouble = ""
	}
	r.update(now, t, mine)
}

// allocated records who divided the queues of t, and what became ours.
func (r *Rebalance) allocated(t *topic, by string, members, mine int) {
	if r.Decisions.On() {
		r.Decisions.Fact(decision.RebalanceAllocated, nowhere, t.name+" by "+by,
			[6]int64{int64(members), int64(len(t.queues)), int64(mine)})
	}
}

// seen takes a member list in and returns it sorted, each id once.
func (r *Rebalance) seen(now time.Time, t *topic, list []string) []string {
	list = slices.Clone(list)
	slices.SortFunc(list, mq.CompareJava)
	r.members, r.membersAt = list, now
	r.noteDoubled(now, t.name, list)
	return slices.Compact(slices.Clone(list))
}

// share allots the queues of t among members, once for the pass and for pictures of it, and
// returns our part.
func (r *Rebalance) share(t *topic, members []string) ([]mq.MessageQueue, error) {
	theirs, err := shares(r.cfg.Strategy, t.queues, members)
	if err == nil {
		t.listed, t.shares, t.owners = members, theirs, nil
		return theirs[r.cfg.ClientID], nil
	}
	// It may be another member that the strategy can not serve.
	mine, err := r.cfg.Strategy.Allocate(r.cfg.ClientID, t.queues, members)
	if err == nil {
		t.listed, t.shares, t.owners = members, nil, nil
	}
	return mine, err
}

// forgotten follows lists that omit us again and again: our queues belong to others now, and
// we try to come back.
func (r *Rebalance) forgotten(now time.Time, t *topic) {
	r.trouble(now, t, event.Error, "member lists go on omitting this client: queues given up, joins again")
	r.do(Announce{Topic: t.name})
}

// keep leaves the queues of t as they are and has them looked at again soon.
func (r *Rebalance) keep(now time.Time, t *topic, level event.Level, why string) {
	if r.Decisions.On() {
		r.Decisions.Fact(decision.RebalanceKeep, nowhere, t.name+": "+why, [6]int64{int64(len(t.held))})
	}
	r.trouble(now, t, level, fmt.Sprintf("%s: keeps %s", why, count(len(t.held), "queue")))
}

// trouble marks the pass as unbalanced and tells why, unless that was the last thing told.
func (r *Rebalance) trouble(now time.Time, t *topic, level event.Level, what string) {
	r.retry(now)
	if r.pass.note == "" {
		r.pass.note = what
	}
	if t.trouble != what {
		t.trouble = what
		r.tell(now, level, t.name, what)
	}
}
