package infer

import (
	"reflect"
	"strings"
	"unicode"

	"mqscope/engine/mq"
)

// Kind is the name of a fact's type in lower case, as in "pull-done".
func Kind(f Fact) string {
	var b strings.Builder
	for i, r := range reflect.TypeOf(f).Name() {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// Kinds are those of all facts, in the order of the file that has them.
func Kinds() []string {
	all := []Fact{
		Opened{}, Closed{}, ClientKnown{}, MemberSeen{}, Beat{}, MemberLeft{}, MembersChanged{}, MembersListed{},
		RouteSeen{}, BrokerAssigned{}, Assigned{}, Released{}, PullSent{}, PullDone{}, Committed{}, NoCommit{},
		OffsetsSeen{}, Stored{}, Locked{}, Unlocked{}, SentBack{}, Popped{}, Acked{}, Deferred{}, ResetOrdered{},
		Called{}, Failed{}, Unreadable{}, Noted{},
	}
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
	v := reflect.ValueOf(f)
	text := func(name string) string {
		if field := v.FieldByName(name); field.IsValid() && field.Kind() == reflect.String {
			return field.String()
		}
		return ""
	}
	s := Subject{Client: text("Client"), Group: text("Group"), Topic: text("Topic")}
	if field := v.FieldByName("Queue"); field.IsValid() {
		if q, ok := field.Interface().(mq.MessageQueue); ok {
			s.Queue = q
		}
	}
	if s.Topic == "" {
		s.Topic = s.Queue.Topic
	}
	return s
}
