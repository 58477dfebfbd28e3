package step

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/mq"
)

// placeKind is what a Place looks at.
type placeKind uint8

const (
	anywhere placeKind = iota
	atLine
	atQueue
	atCause
	atStatus
	atOffset
	atTime
	atOwner
)

// Place is where a run stops: decisions of one kind, or any that a condition holds for.
type Place struct {
	kind   placeKind
	line   *decision.Line
	queue  mq.MessageQueue // with parts left out
	word   string          // cause, status, or how an offset compares
	number int64
	at     time.Duration // from the beginning
	cond   *Condition    // nil without one
}

// Where is the place without its condition, as ParsePlace reads it.
func (p *Place) Where() string {
	switch p.kind {
	case atLine:
		return p.line.ID
	case atQueue:
		return "queue " + QueueText(p.queue)
	case atOwner:
		return "owner " + QueueText(p.queue)
	case atCause:
		return "cause " + strings.ReplaceAll(p.word, " ", "_")
	case atStatus:
		return "status " + p.word
	case atOffset:
		return "offset " + p.word + " " + strconv.FormatInt(p.number, 10)
	case atTime:
		return "time " + MomentText(p.at)
	}
	return "any"
}

// Condition is the text of its condition, empty when it has none.
func (p *Place) Condition() string {
	if p.cond == nil {
		return ""
	}
	return p.cond.text
}

// String is what ParsePlace reads.
func (p *Place) String() string {
	if p.cond == nil {
		return p.Where()
	}
	return p.Where() + " if " + p.cond.text
}

// Possible tells whether any decision of a line can be at the place. It is asked once a line.
func (p *Place) Possible(line *decision.Line) bool {
	switch p.kind {
	case atLine:
		if line != p.line {
			return false
		}
	case atStatus:
		if line.Text != "status" {
			return false
		}
	case atOffset:
		if !slices.ContainsFunc(line.Values, func(v decision.Value) bool { return v.Kind == decision.Offset }) {
			return false
		}
	case atOwner:
		if !changesOwner(line) {
			return false
		}
	}
	return p.cond == nil || p.cond.Possible(line)
}

// changesOwner tells whether a line is about another owner of a queue or of its lock.
func changesOwner(l *decision.Line) bool {
	switch l {
	case decision.RebalanceAdded, decision.RebalanceDrop, decision.RebalanceReleased, decision.TaskQueueAdded, decision.TaskQueueRemoved,
		decision.LockGranted, decision.LockLost, decision.LockFreed, decision.LockParted:
		return true
	}
	return false
}

// Reached tells whether a decision is at the place.
func (p *Place) Reached(m *Moment) bool {
	return p.Possible(m.Line) && p.reached(m)
}

// reached is Reached for a line that is Possible.
func (p *Place) reached(m *Moment) bool {
	ok := true
	switch p.kind {
	case atQueue, atOwner:
		ok = Fits(p.queue, m.Queue)
	case atCause:
		ok = string(m.Then.Why) == p.word
	case atStatus:
		ok = m.Text == p.word
	case atOffset:
		ok = p.anOffset(m)
	case atTime:
		at := m.Start.Add(p.at)
		ok = !m.At.Before(at) && (m.Before == nil || m.Before.At.Before(at))
	}
	return ok && (p.cond == nil || p.cond.Holds(m))
}

func (p *Place) anOffset(m *Moment) bool {
	for i, v := range m.Line.Values {
		if v.Kind == decision.Offset && m.N[i] >= 0 && Compare(m.N[i], p.word, p.number) {
			return true
		}
	}
	return false
}

// Compare compares as > >= < <= == and != do.
func Compare(a int64, how string, b int64) bool {
	switch how {
	case ">":
		return a > b
	case ">=":
		return a >= b
	case "<":
		return a < b
	case "<=":
		return a <= b
	case "==":
		return a == b
	}
	return a != b
}
