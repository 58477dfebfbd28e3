package infer

import (
	"fmt"
	"strings"
	"time"

	"mqscope/engine/mq"
)

// Words say what a fact tells beyond its kind and subject, on one line. They may hold text from
// the network.
func Words(f Fact) string {
	if text, ok := often(f); ok {
		return text
	}
	switch f := f.(type) {
	case Opened:
		return fmt.Sprintf("%s connects with %s", f.Client, f.Server)
	case Closed:
		return fmt.Sprintf("%s and %s: %s", f.Client, f.Server, f.Why)
	case ClientKnown:
		return f.Addr + " is " + f.Client
	case Noted:
		return string(f.Note.Kind) + ": " + f.Note.Text
	case Unreadable:
		return fmt.Sprintf("%v: %s", f.Request, f.Text)
	case Failed:
		return fmt.Sprintf("%v answered %v: %s", f.Request, f.Code, f.Remark)
	case Called:
		return called(f)
	case MemberSeen, Beat, MemberLeft, MembersChanged, MembersListed, RouteSeen:
		return memberWords(f)
	case BrokerAssigned, Assigned, Released, PullDone, Popped:
		return queueWords(f)
	}
	return offsetWords(f)
}

func memberWords(f Fact) string {
	switch f := f.(type) {
	case MemberSeen:
		what := "changed"
		if f.New {
			what = "is there"
		}
		topics := make([]string, len(f.Subscriptions))
		for i, s := range f.Subscriptions {
			topics[i] = s.Topic + ":" + s.SubString
		}
		return fmt.Sprintf("%s: %v, %v, from %v, subscribes to %s", what, f.Type, f.Model, f.From, strings.Join(topics, " "))
	case Beat:
		if !f.Answered {
			return "heartbeat without an answer"
		}
		return fmt.Sprintf("heartbeat for %d consumer groups answered %v in %v", len(f.Consumers), f.Code, short(f.RoundTrip))
	case MemberLeft:
		return "left: " + f.Why
	case MembersChanged:
		return "is told that members changed"
	case MembersListed:
		return fmt.Sprintf("%d members: %s", len(f.Members), strings.Join(f.Members, " "))
	case RouteSeen:
		if f.Topic == "" {
			return fmt.Sprintf("the cluster has %d addresses of brokers", len(f.Brokers))
		}
		if !f.Known {
			return fmt.Sprintf("no route of %s: %v", f.Topic, f.Code)
		}
		return fmt.Sprintf("route of %s: %d queues, %d addresses", f.Topic, len(f.Queues), len(f.Brokers))
	}
	return ""
}

func queueWords(f Fact) string {
	switch f := f.(type) {
	case BrokerAssigned:
		return fmt.Sprintf("a broker allots %d queues", len(f.Queues))
	case Assigned:
		return "begins to pull"
	case Released:
		return fmt.Sprintf("does not pull any more: %s", f.Why)
	case PullDone:
		return pullWords(f)
	case Popped:
		return fmt.Sprintf("pop at %s answered %v: %d messages in %v", f.Broker, f.Code, f.Count, short(f.RoundTrip))
	}
	return ""
}

func pullWords(f PullDone) string {
	switch {
	case !f.Answered:
		return fmt.Sprintf("pull from %d: no answer, %s", f.Offset, f.Why)
	case f.Status == mq.PullFailed:
		return fmt.Sprintf("pull from %d failed, %v: %s", f.Offset, f.Code, f.Remark)
	}
	return ""
}

func offsetWords(f Fact) string {
	switch f := f.(type) {
	case Committed:
		return fmt.Sprintf("commit of %d refused: %v", f.Offset, f.Code)
	case NoCommit:
		return "has no committed offset"
	case Locked:
		return fmt.Sprintf("holds %d locks, %d of them new, %d refused", len(f.Held), len(f.New), len(f.Refuse))
	case Unlocked:
		return fmt.Sprintf("gives %d locks back", len(f.Queues))
	case SentBack:
		return fmt.Sprintf("message %s sent back with delay level %d: %v", f.MsgID, f.Delay, f.Code)
	case Deferred:
		return fmt.Sprintf("%d comes back in %v: %v", f.Offset, f.Invisible, f.Code)
	case ResetOrdered:
		who := "a tool orders"
		if f.ToClient {
			who = "is told"
		}
		return fmt.Sprintf("%s a reset of %d queues of %s", who, len(f.Offsets), f.Topic)
	}
	return fmt.Sprintf("%+v", f)
}

func called(f Called) string {
	who := "asked"
	if f.ToClient {
		who = "was asked"
	}
	if !f.Answered {
		return fmt.Sprintf("%s %v: no answer, %s", who, f.Request, f.Why)
	}
	return strings.TrimSpace(fmt.Sprintf("%s %v: %v in %v %s", who, f.Request, f.Code, short(f.RoundTrip), f.Result))
}

// short is a time in as many digits as people read.
func short(d time.Duration) time.Duration {
	switch {
	case d > 10*time.Second:
		return d.Round(100 * time.Millisecond)
	case d > 10*time.Millisecond:
		return d.Round(100 * time.Microsecond)
	}
	return d.Round(time.Microsecond)
}
