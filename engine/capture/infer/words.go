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
		if f.Request == unseen {
			return fmt.Sprintf("a request that was not seen was answered %v: %s", f.Code, f.Remark)
		}
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
		return fmt.Sprintf("heartbeat for %s answered %v in %v", count(len(f.Consumers), "consumer group"), f.Code, short(f.RoundTrip))
	case MemberLeft:
		return "left: " + f.Why
	case MembersChanged:
		return "is told that members changed"
	case MembersListed:
		return fmt.Sprintf("%s: %s", count(len(f.Members), "member"), strings.Join(f.Members, " "))
	case RouteSeen:
		if f.Topic == "" {
			return fmt.Sprintf("%s of brokers in the cluster", countOf(len(f.Brokers), "address", "addresses"))
		}
		if !f.Known {
			return fmt.Sprintf("no route of %s: %v", f.Topic, f.Code)
		}
		return fmt.Sprintf("route of %s: %s, %s", f.Topic, count(len(f.Queues), "queue"), countOf(len(f.Brokers), "address", "addresses"))
	}
	return ""
}

func queueWords(f Fact) string {
	switch f := f.(type) {
	case BrokerAssigned:
		return "a broker allots " + count(len(f.Queues), "queue")
	case Assigned:
		return "begins to pull"
	case Released:
		return fmt.Sprintf("does not pull any more: %s", f.Why)
	case PullDone:
		return pullWords(f)
	case Popped:
		return fmt.Sprintf("pop at %s answered %v: %s in %v", f.Broker, f.Code, count(f.Count, "message"), short(f.RoundTrip))
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
		return fmt.Sprintf("holds %s, %d of them new, %d refused", count(len(f.Held), "lock"), len(f.New), len(f.Refuse))
	case Unlocked:
		return fmt.Sprintf("gives %s back", count(len(f.Queues), "lock"))
	case SentBack:
		return fmt.Sprintf("message %s sent back with delay level %d: %v", f.MsgID, f.Delay, f.Code)
	case Deferred:
		return fmt.Sprintf("%d comes back in %v: %v", f.Offset, f.Invisible, f.Code)
	case ResetOrdered:
		who := "a tool orders"
		if f.ToClient {
			who = "is told"
		}
		return fmt.Sprintf("%s a reset of %s of %s", who, count(len(f.Offsets), "queue"), f.Topic)
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
	if f.Request == unseen {
		return fmt.Sprintf("%s something that was not seen: %v", who, f.Code)
	}
	return strings.TrimSpace(fmt.Sprintf("%s %v: %v in %v %s", who, f.Request, f.Code, short(f.RoundTrip), f.Result))
}

// count is n of a noun that takes an s when there are more.
func count(n int, noun string) string { return countOf(n, noun, noun+"s") }

func countOf(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
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
