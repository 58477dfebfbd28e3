package viewtest

import "mqscope/engine/snapshot"

// Differing is a group of which one member does not subscribe to the topic and another one
// with other tags.
func Differing() *snapshot.Snapshot {
	s := Shared("order-created", 8)
	first := true
	for i := range s.Members {
		m := &s.Members[i]
		switch {
		case m.Me:
		case first:
			first = false
			m.Differs = []snapshot.Difference{{Topic: "order-created", Ours: "*"}, {Topic: "stock-moved", Theirs: "*"}}
			for j := range s.Queues {
				if q := &s.Queues[j]; q.Owner.V == m.ID {
					q.Mark, q.Note, q.Unread = snapshot.MarkBad, "read by nobody: its owner does not subscribe to the topic", true
				}
			}
		case len(m.Differs) == 0 && i == len(s.Members)-1:
			m.Differs = []snapshot.Difference{{Topic: "order-created", Ours: "*", Theirs: "PAID || REFUND", TheirsIsNewer: true}}
		}
	}
	return s
}

// OtherTags is a group of which one member filters otherwise; every queue is read.
func OtherTags() *snapshot.Snapshot {
	s := Normal()
	for i := range s.Members {
		if m := &s.Members[i]; !m.Me {
			m.Differs = []snapshot.Difference{{Topic: "order-created", Ours: "*", Theirs: "PAID", TheirsIsNewer: true}}
			break
		}
	}
	return s
}

// DifferCases are the situations of a group whose members do not subscribe alike.
func DifferCases() []ScreenCase {
	return Screens(Case{Name: "topics-differ", Snap: Differing()}, Case{Name: "tags-differ", Snap: OtherTags()})
}

// differences are those of one member, mostly none.
func (r *dice) differences() (list []snapshot.Difference) {
	for range max(r.n(6)-3, 0) {
		list = append(list, snapshot.Difference{Topic: r.text(), Ours: r.text(), Theirs: r.text(), TheirsIsNewer: r.yes()})
	}
	return list
}
