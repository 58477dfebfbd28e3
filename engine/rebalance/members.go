package rebalance

import (
	"fmt"
	"slices"
	"time"

	"mqscope/engine/event"
	"mqscope/engine/mq"
)

// membersListed decides on one topic. Queues are kept when the list is unknown, empty, or
// omits us only now: a broker that restarts answers so for a moment.
func (r *Rebalance) membersListed(now time.Time, e event.MembersListed) {
	t := r.topics[e.Topic]
	if t == nil || !t.asked {
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
	case len(e.Members) == 0:
		r.keep(now, t, event.Warn, "member list is empty")
		r.do(Announce{Topic: t.name})
		return
	}
	members := slices.Clone(e.Members)
	slices.SortFunc(members, mq.CompareJava)
	r.members, r.membersAt = members, now
	r.noteDoubled(now, t.name, members)
	members = slices.Compact(slices.Clone(members))
	if slices.Contains(members, r.cfg.ClientID) {
		t.missing = 0
	} else if t.missing++; t.missing < r.cfg.MissingConfirmations {
		r.keep(now, t, event.Warn, fmt.Sprintf("member list of %d omits this client", len(members)))
		r.do(Announce{Topic: t.name})
		return
	}
	if len(t.queues) == 0 {
		// The route lost them while the list was read.
		r.update(now, t, nil)
		return
	}
	mine, err := r.cfg.Strategy.Allocate(r.cfg.ClientID, t.queues, members)
	if err != nil {
		r.keep(now, t, event.Error, r.cfg.Strategy.Name()+" can not allot queues: "+err.Error())
		return
	}
	t.listed, t.owners = members, nil
	if t.missing > 0 {
		r.forgotten(now, t)
	} else {
		t.trouble = ""
	}
	r.update(now, t, mine)
}

// forgotten follows lists that omit us again and again: our queues belong to others now, and
// we try to come back.
func (r *Rebalance) forgotten(now time.Time, t *topic) {
	r.trouble(now, t, event.Error, "member lists go on omitting this client: queues given up, joins again")
	r.do(Announce{Topic: t.name})
}

// keep leaves the queues of t as they are and has them looked at again soon.
func (r *Rebalance) keep(now time.Time, t *topic, level event.Level, why string) {
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
