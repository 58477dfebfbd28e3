package infer

import "mqscope/engine/mq"

// UnknownKind is that of what is no fact.
const UnknownKind = "unknown"

// Kind is the name of a fact's type in lower case, as in "pull-done".
func Kind(f Fact) string {
	switch f.(type) {
	case Opened:
		return "opened"
	case Closed:
		return "closed"
	case ClientKnown:
		return "client-known"
	case MemberSeen:
		return "member-seen"
	case Beat:
		return "beat"
	case MemberLeft:
		return "member-left"
	case MembersChanged:
		return "members-changed"
	case MembersListed:
		return "members-listed"
	case RouteSeen:
		return "route-seen"
	case BrokerAssigned:
		return "broker-assigned"
	case Assigned:
		return "assigned"
	case Released:
		return "released"
	case PullSent:
		return "pull-sent"
	case PullDone:
		return "pull-done"
	case Committed:
		return "committed"
	case NoCommit:
		return "no-commit"
	case OffsetsSeen:
		return "offsets-seen"
	case Stored:
		return "stored"
	case Locked:
		return "locked"
	case Unlocked:
		return "unlocked"
	case SentBack:
		return "sent-back"
	case Popped:
		return "popped"
	case Acked:
		return "acked"
	case Deferred:
		return "deferred"
	case ResetOrdered:
		return "reset-ordered"
	case Called:
		return "called"
	case Failed:
		return "failed"
	case Unreadable:
		return "unreadable"
	case Noted:
		return "noted"
	}
	return UnknownKind
}

// Facts has one of each, empty, in the order of the file that has them.
func Facts() []Fact {
	return []Fact{
		Opened{}, Closed{}, ClientKnown{}, MemberSeen{}, Beat{}, MemberLeft{}, MembersChanged{}, MembersListed{},
		RouteSeen{}, BrokerAssigned{}, Assigned{}, Released{}, PullSent{}, PullDone{}, Committed{}, NoCommit{},
		OffsetsSeen{}, Stored{}, Locked{}, Unlocked{}, SentBack{}, Popped{}, Acked{}, Deferred{}, ResetOrdered{},
		Called{}, Failed{}, Unreadable{}, Noted{},
	}
}

// Kinds are those of all facts.
func Kinds() []string {
	all := Facts()
	kinds := make([]string, len(all))
	for i, f := range all {
		kinds[i] = Kind(f)
	}
	return kinds
}

// Subject is what a fact is about, as far as it is about one of each.
type Subject struct {
	Client, Group, Topic string
	Queue                mq.MessageQueue // zero when it is about no single queue
}

// About returns the subject of a fact, from its fields of these names.
func About(f Fact) Subject {
	switch f := f.(type) {
	case Opened:
		return Subject{Client: f.Client}
	case Closed:
		return Subject{Client: f.Client}
	case ClientKnown:
		return Subject{Client: f.Client}
	case MemberSeen:
		return Subject{Client: f.Client, Group: f.Group}
	case Beat:
		return Subject{Client: f.Client}
	case MemberLeft:
		return Subject{Client: f.Client, Group: f.Group}
	case MembersChanged:
		return Subject{Client: f.Client, Group: f.Group}
	case MembersListed:
		return Subject{Client: f.Client, Group: f.Group}
	case RouteSeen:
		return Subject{Topic: f.Topic}
	case BrokerAssigned:
		return Subject{Client: f.Client, Group: f.Group, Topic: f.Topic}
	case Assigned:
		return Subject{Client: f.Client, Group: f.Group, Queue: f.Queue, Topic: f.Queue.Topic}
	case Released:
		return Subject{Client: f.Client, Group: f.Group, Queue: f.Queue, Topic: f.Queue.Topic}
	case PullSent:
		return Subject{Client: f.Client, Group: f.Group, Queue: f.Queue, Topic: f.Queue.Topic}
	case PullDone:
		return Subject{Client: f.Client, Group: f.Group, Queue: f.Queue, Topic: f.Queue.Topic}
	case Committed:
		return Subject{Client: f.Client, Group: f.Group, Queue: f.Queue, Topic: f.Queue.Topic}
	case NoCommit:
		return Subject{Client: f.Client, Group: f.Group, Queue: f.Queue, Topic: f.Queue.Topic}
	case OffsetsSeen:
		return Subject{Queue: f.Queue, Topic: f.Queue.Topic}
	case Stored:
		return Subject{Client: f.Client, Queue: f.Queue, Topic: f.Queue.Topic}
	case Locked:
		return Subject{Client: f.Client, Group: f.Group}
	case Unlocked:
		return Subject{Client: f.Client, Group: f.Group}
	case SentBack:
		return Subject{Client: f.Client, Group: f.Group, Topic: f.Topic}
	case Popped:
		return Subject{Client: f.Client, Group: f.Group, Topic: f.Topic}
	case Acked:
		return Subject{Client: f.Client, Group: f.Group, Queue: f.Queue, Topic: f.Queue.Topic}
	case Deferred:
		return Subject{Client: f.Client, Group: f.Group, Queue: f.Queue, Topic: f.Queue.Topic}
	case ResetOrdered:
		return Subject{Client: f.Client, Group: f.Group, Topic: f.Topic}
	case Called:
		return Subject{Client: f.Client, Group: f.Group}
	case Failed:
		return Subject{Client: f.Client}
	case Unreadable:
		return Subject{Client: f.Client}
	}
	return Subject{}
}
