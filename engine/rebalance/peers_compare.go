package rebalance

import (
	"fmt"
	"slices"
	"strings"

	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/snapshot"
)

// byTopic leaves retry topics out: which of them a member has follows from how it consumes.
func byTopic(list []protocol.SubscriptionData) map[string]protocol.SubscriptionData {
	out := make(map[string]protocol.SubscriptionData, len(list))
	for _, s := range list {
		if !mq.IsRetryTopic(s.Topic) {
			out[s.Topic] = s
		}
	}
	return out
}

// Differences says of which topics two members, or a member and what brokers keep of its group,
// want different messages, sorted by topic. Retry topics do not count.
func Differences(ours, theirs []protocol.SubscriptionData) []snapshot.Difference {
	return differences(byTopic(ours), byTopic(theirs))
}

// differences says of which topics two members want different messages, sorted by topic.
func differences(ours, theirs map[string]protocol.SubscriptionData) (list []snapshot.Difference) {
	for topic, o := range ours {
		t, both := theirs[topic]
		d := snapshot.Difference{Topic: topic, Ours: expression(o)}
		if both {
			d.Theirs, d.TheirsIsNewer = expression(t), t.SubVersion > o.SubVersion
		}
		if d.Ours != d.Theirs {
			list = append(list, d)
		}
	}
	for topic, t := range theirs {
		if _, both := ours[topic]; !both {
			list = append(list, snapshot.Difference{Topic: topic, Theirs: expression(t)})
		}
	}
	slices.SortFunc(list, func(a, b snapshot.Difference) int { return mq.CompareJava(a.Topic, b.Topic) })
	return list
}

// sameDifference leaves out whose version is newer: that changes with each rebalance.
func sameDifference(a, b snapshot.Difference) bool {
	a.TheirsIsNewer, b.TheirsIsNewer = false, false
	return a == b
}

// expression is an expression in a form in which equal ones are the same text, never empty: the
// order of tags, blanks and repeats mean nothing.
func expression(s protocol.SubscriptionData) string {
	if s.ExpressionType != protocol.ExpressionTAG && s.ExpressionType != "" {
		return s.ExpressionType + ": " + s.SubString
	}
	parsed, err := protocol.ParseSubscription(s.Topic, s.SubString, 0)
	if err != nil || s.ClassFilterMode {
		return "? " + s.SubString
	}
	if len(parsed.TagsSet) == 0 {
		return protocol.SubscribeAll
	}
	slices.Sort(parsed.TagsSet)
	return strings.Join(parsed.TagsSet, " || ")
}

// differencesTold is how many are named in one line.
const differencesTold = 5

// differText says what differs, what follows and what helps, in a line.
func differText(list []snapshot.Difference) string {
	var what []string
	unread, filtered := false, false
	for i, d := range list {
		if i == differencesTold {
			what = append(what, fmt.Sprintf("and %d more", len(list)-i))
			break
		}
		switch {
		case d.Theirs == "":
			what, unread = append(what, d.Topic+" only here"), true
		case d.Ours == "":
			what, unread = append(what, d.Topic+" only there"), true
		default:
			what, filtered = append(what, d.Topic+" with "+d.Ours+" here and "+d.Theirs+" there"), true
		}
	}
	text := "subscribes to " + strings.Join(what, ", ")
	if unread {
		text += "; queues that are allotted to a member without their topic are read by nobody"
	}
	if filtered {
		text += "; brokers filter for all members by what was subscribed to last, the rest is skipped"
	}
	return text + ". Make all members of the group subscribe alike, or give them groups of their own"
}
