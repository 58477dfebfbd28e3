package rebalance

import (
	"fmt"
	"slices"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/mq"
)

// Whether a broker can allot the queues of a topic is tried once, up to three times with a
// longer timeout each; afterwards a question has assignmentTimeout (Java before 5.3.2:
// RebalanceImpl.tryQueryAssignment, QUERY_ASSIGNMENT_TIMEOUT, TIMEOUT_CHECK_TIMES). A broker
// that can not be reached decides nothing here; in Java it makes members allot.
const (
	assignmentTimeout = 3 * time.Second
	assignmentTries   = 3
)

// brokerSide is what is known of who allots the queues of a topic. It stays decided until the
// topic is unsubscribed, so that a member does not go back and forth.
type brokerSide struct {
	side  allotment
	tries int    // without any answer
	why   string // members allot, though the broker was to
	whole int    // answers in a row that gave us all queues beside other members
}

type allotment uint8

const (
	membersAllot allotment = iota
	brokerTried            // asked for the first time: members or broker
	brokerAllots
)

// asked tells whether a pass asks the broker.
func (s *brokerSide) asked() bool { return s.side != membersAllot }

// patience is how long the broker has for its answer.
func (s *brokerSide) patience() time.Duration {
	if s.side == brokerTried {
		return assignmentTimeout / assignmentTries * time.Duration(s.tries+1)
	}
	return assignmentTimeout
}

// asksBrokers tells whether brokers are to allot queues.
func (c Config) asksBrokers() bool { return c.BrokerSide && c.whyNotBrokers() == "" }

// whyNotBrokers says why brokers do not allot although they were to.
func (c Config) whyNotBrokers() string {
	switch {
	case c.BrokerSide && c.Model == mq.Broadcasting:
		return "every member of a broadcasting group has all queues"
	case c.BrokerSide && c.Orderly:
		return "queues consumed in order are always allotted by members"
	}
	return ""
}

// brokersKnow tells whether brokers can allot by a strategy (Java: QueryAssignmentProcessor).
func brokersKnow(strategy string) bool {
	return strategy == Averagely{}.Name() || strategy == AveragelyByCircle{}.Name()
}

func (r *Rebalance) newTopic(name string) *topic {
	t := &topic{name: name}
	if r.cfg.asksBrokers() {
		t.broker.side = brokerTried
	}
	return t
}

// brokersAllot tells whether the broker allots the queues of some topic.
func (r *Rebalance) brokersAllot() bool {
	return slices.ContainsFunc(r.cfg.Topics, func(name string) bool { return r.topics[name].broker.side == brokerAllots })
}

// assignmentRead takes over what the broker gives us of a topic (Java:
// RebalanceImpl.getRebalanceResultFromBroker). A failure takes no queue away.
func (r *Rebalance) assignmentRead(now time.Time, e event.AssignmentRead) {
	t := r.topics[e.Topic]
	if t == nil || !t.asked || !t.broker.asked() {
		return
	}
	r.answered(t)
	switch {
	case e.Err == nil:
		if t.broker.side == brokerTried {
			t.broker.side = brokerAllots
		}
		if len(e.Members) > 0 { // they decide nothing here
			t.listed, t.shares, t.owners = r.seen(now, t, e.Members), nil, nil
		}
		r.takeAssignment(now, t, e)
	case t.broker.side == brokerTried && e.Failure != event.AssignmentUnreached:
		r.notAllotted(now, t, e)
	default:
		r.keep(now, t, event.Warn, "assignment unknown: "+e.Err.Error())
	}
	r.endIfDone(now)
}

// notAllotted follows a broker that did not allot when it was tried: after an error, or too
// many timeouts, members allot the queues, from this pass on.
func (r *Rebalance) notAllotted(now time.Time, t *topic, e event.AssignmentRead) {
	b := &t.broker
	b.tries++
	switch {
	case e.Failure == event.AssignmentRefused:
		b.why = "the broker does not allot: " + e.Err.Error()
	case b.tries == assignmentTries:
		b.why = fmt.Sprintf("the broker did not answer %d questions for an assignment: %v", b.tries, e.Err)
	}
	if !r.Decisions.Told(decision.RebalanceBroker, nowhere, b.why == "", t.name, [6]int64{int64(b.tries)}) {
		b.side = membersAllot
		r.tell(now, event.Warn, t.name, b.why+"; members do, by "+r.cfg.Strategy.Name()+", until the topic is unsubscribed")
	}
	r.join(t)
}

// takeAssignment is decide of what a broker allots.
func (r *Rebalance) takeAssignment(now time.Time, t *topic, e event.AssignmentRead) {
	foreign := func(q mq.MessageQueue) bool { return q.QueueID < 0 || q.Topic != t.name }
	switch {
	case e.Pop:
		r.meantToBePopped(now, t)
		return
	case !e.Known:
		r.keep(now, t, event.Warn, "the broker has no assignment: it knows no member of the group, or not the topic's route")
		r.do(Announce{Topic: t.name})
		return
	case slices.ContainsFunc(e.Queues, foreign):
		r.keep(now, t, event.Error, "the broker assigned queues that the topic can not have")
		return
	}
	t.trouble, t.owners = "", nil
	r.allocated(t, "broker", len(t.listed), len(e.Queues))
	r.noteWhole(now, t, len(e.Queues))
	if !mq.IsRetryTopic(t.name) {
		r.do(DrainPopRetry{Topic: t.name})
	}
	r.update(now, t, e.Queues)
}

// noteWhole tells, once, of a broker that gives us all queues although there are others. One
// such answer may be older than the newest member.
func (r *Rebalance) noteWhole(now time.Time, t *topic, given int) {
	if len(t.listed) < 2 || len(t.queues) < 2 || given < len(t.queues) {
		t.broker.whole = 0
		return
	}
	if t.broker.whole++; t.broker.whole == 2 {
		r.tell(now, event.Warn, t.name, fmt.Sprintf("the broker gives this member all %d queues although there are %d members: "+
			"where its serverLoadBalancerEnable is false each of them gets all, and consumes every message", given, len(t.listed)))
	}
}

// meantToBePopped tells of a topic that this group is to pop, which nobody here does. Nothing
// is given up: that another member pops is not known, and pulling goes on as before.
func (r *Rebalance) meantToBePopped(now time.Time, t *topic) {
	what := fmt.Sprintf("the broker means this topic to be popped by group %s, which this consumer can not do: keeps %s. "+
		"Set it back (mqadmin setConsumeMode -c CLUSTER -t %[3]s -g %[1]s -m PULL), or let members allot",
		r.cfg.Group, count(len(t.held), "queue"), t.name)
	r.Decisions.Fact(decision.RebalanceKeep, nowhere, t.name+": it is to be popped", [6]int64{int64(len(t.held))})
	if r.pass.note == "" {
		r.pass.note = what
	}
	if t.trouble != what {
		t.trouble = what
		r.tell(now, event.Error, t.name, what)
	}
}
