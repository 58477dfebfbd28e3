package rebalance

import (
	"slices"
	"strings"
	"time"

	"mqscope/engine/snapshot"
	"mqscope/views"
)

// Params is the topic and the question: undo goes back through these.
type Params struct {
	Topic    string // empty for the first one
	Strategy string // empty for that of the group
	Delta    int    // members more or, below zero, fewer
	Out      string // client ids taken out, sorted, with a zero byte after each
}

// State is the screen's own value.
type State struct {
	Params
	Sel  string // client id under the cursor
	Pos  int    // row of Sel when it was last seen
	Top  int
	Pass time.Time // when the rebalance on show was, zero for now
	past views.Past[Params]
}

func (st State) change(p Params) State {
	st.past, st.Params = st.past.Change(st.Params, p), p
	return st
}

// asks tells whether there is a question at all.
func (p Params) asks(s *snapshot.Snapshot) bool {
	return p.Strategy != "" && p.Strategy != s.Group.Strategy || p.Delta != 0 || p.Out != ""
}

func (p Params) out() []string {
	return strings.Split(strings.TrimSuffix(p.Out, "\x00"), "\x00")
}

func (p Params) isOut(id string) bool { return p.Out != "" && slices.Contains(p.out(), id) }

// toggle takes a client id out, or back in.
func (p Params) toggle(id string) Params {
	var ids []string
	if p.Out != "" {
		ids = p.out()
	}
	if i := slices.Index(ids, id); i >= 0 {
		ids = slices.Delete(ids, i, i+1)
	} else {
		ids = append(ids, id)
		slices.Sort(ids)
	}
	p.Out = ""
	for _, id := range ids {
		p.Out += id + "\x00"
	}
	return p
}

// mostNew is how many members can be added to a question.
const mostNew = 64

// request is the question that p means: the strategy, the members that stay, and new ones.
func (p Params) request(s *snapshot.Snapshot, topic string, members []string) snapshot.PlanRequest {
	req := snapshot.PlanRequest{Topic: topic, Strategy: p.Strategy}
	if req.Strategy == "" {
		req.Strategy = s.Group.Strategy
	}
	for _, id := range members {
		if !p.isOut(id) {
			req.Members = append(req.Members, id)
		}
	}
	if p.Delta < 0 {
		req.Members = req.Members[:max(len(req.Members)+p.Delta, 0)]
	}
	for i := 1; i <= min(p.Delta, mostNew); i++ {
		req.Members = append(req.Members, newID(i))
	}
	slices.Sort(req.Members)
	return req
}

// newID is the made-up client id of the i-th new member. It sorts behind addresses, as a
// client that comes last may or may not.
func newID(i int) string {
	return "new-" + string([]byte{byte('0' + i/10), byte('0' + i%10)})
}

func isNew(id string, members []string) bool {
	return strings.HasPrefix(id, "new-") && !slices.Contains(members, id)
}
