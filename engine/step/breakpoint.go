package step

import (
	"fmt"
	"slices"
	"strconv"

	"mqscope/engine/decision"
	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

// Breakpoint is a place at which a run stops.
type Breakpoint struct {
	Name  string // given by whoever made it, may be empty
	After uint64 // hits that are let pass first
	Off   bool
	*Place

	// hits are the steps at which it was reached while it was on, in order; passed is how many
	// there were before these.
	hits   []uint64
	passed uint64
}

// ParseBreakpoint reads a place, and after it how many hits are let pass first, as in
// "flow.span if span > 1500 after 2".
func ParseBreakpoint(text string) (*Breakpoint, error) {
	b := &Breakpoint{}
	words := Words(text)
	if n := len(words); n > 1 && words[n-2].Text == "after" {
		var err error
		if b.After, err = strconv.ParseUint(words[n-1].Text, 10, 32); err != nil {
			return nil, mistake(words[n-1].Column, fmt.Sprintf("%q is no number of hits", words[n-1].Text), "write it as after 2")
		}
		text = text[:words[n-2].from]
	} else if n > 1 && words[n-1].Text == "after" {
		return nil, mistake(after(words), "the number of hits is missing", "write it as after 2")
	}
	var err error
	b.Place, err = ParsePlace(trimRight(text))
	return b, err
}

func trimRight(text string) string {
	if words := Words(text); len(words) > 0 {
		last := words[len(words)-1]
		return text[:last.from+len(last.Text)]
	}
	return ""
}

// String is what ParseBreakpoint reads.
func (b *Breakpoint) String() string {
	if b.After == 0 {
		return b.Place.String()
	}
	return b.Place.String() + " after " + strconv.FormatUint(b.After, 10)
}

// breakpoints are those of one Stepper, with an index by line.
type breakpoints struct {
	list   []*Breakpoint
	byLine map[*decision.Line][]*Breakpoint
}

func (bs *breakpoints) changed() { bs.byLine = nil }

// on are the breakpoints that a decision of a line can reach.
func (bs *breakpoints) on(line *decision.Line) []*Breakpoint {
	list, known := bs.byLine[line]
	if known {
		return list
	}
	for _, b := range bs.list {
		if !b.Off && b.Possible(line) {
			list = append(list, b)
		}
	}
	if bs.byLine == nil {
		bs.byLine = map[*decision.Line][]*Breakpoint{}
	}
	bs.byLine[line] = list
	return list
}

// decided counts hits and returns the first breakpoint that stops the run, nil when none does.
// Hits ahead of a world that went back are kept: they come again.
func (bs *breakpoints) decided(m *Moment, step uint64) (hit *Breakpoint) {
	for _, b := range bs.on(m.Line) {
		if !b.reached(m) {
			continue
		}
		i := len(b.hits)
		if i > 0 && b.hits[i-1] >= step {
			i, _ = slices.BinarySearch(b.hits, step)
		}
		if i == len(b.hits) || b.hits[i] != step {
			b.hits = slices.Insert(b.hits, i, step)
		}
		if hit == nil && b.passed+uint64(i) >= b.After {
			hit = b
		}
	}
	return hit
}

// upTo is how many of its hits there were up to a step.
func (b *Breakpoint) upTo(step uint64) int {
	i, _ := slices.BinarySearch(b.hits, step+1)
	return i
}

// mostHits is how many steps of hits are kept where nobody goes back.
const mostHits = 64

// forget leaves the number of hits that will not be gone back to, without their steps.
func (bs *breakpoints) forget() {
	for _, b := range bs.list {
		if n := len(b.hits); n > mostHits {
			b.hits, b.passed = b.hits[:0], b.passed+uint64(n)
		}
	}
}

// cut forgets the hits behind a step, which will not come again.
func (bs *breakpoints) cut(step uint64) {
	for _, b := range bs.list {
		b.hits = b.hits[:b.upTo(step)]
	}
}

// onLine tells whether a breakpoint stands on a line, whatever its condition.
func (bs *breakpoints) onLine(line *decision.Line) bool {
	return slices.ContainsFunc(bs.list, func(b *Breakpoint) bool { return !b.Off && b.kind == atLine && b.line == line })
}

// onQueue tells whether a breakpoint concerns a queue.
func (bs *breakpoints) onQueue(q mq.MessageQueue) bool {
	return slices.ContainsFunc(bs.list, func(b *Breakpoint) bool { return !b.Off && b.aboutQueue() && Fits(b.queue, q) })
}

func (p *Place) aboutQueue() bool { return p.kind == atQueue || p.kind == atOwner }

// picture shows them as they are at a step; s tells which queues there are.
func (bs *breakpoints) picture(s *snapshot.Snapshot, step uint64) []snapshot.Breakpoint {
	list := make([]snapshot.Breakpoint, len(bs.list))
	for i, b := range bs.list {
		list[i] = snapshot.Breakpoint{
			Name: b.Name, Words: b.Where(), Hits: b.passed + uint64(b.upTo(step)), After: b.After, Off: b.Off,
			Condition: b.Condition(), Note: b.note(s),
		}
		if b.kind == atQueue {
			list[i].Queue = b.queue
		}
	}
	return list
}

// note says when a breakpoint can not be reached as things are.
func (b *Breakpoint) note(s *snapshot.Snapshot) string {
	if !b.aboutQueue() || s == nil {
		return ""
	}
	there := false
	for i := range s.Queues {
		if Fits(b.queue, s.Queues[i].ID) {
			if s.Queues[i].Mine {
				return ""
			}
			there = true
		}
	}
	switch {
	case !there:
		return "no topic has this queue now"
	case b.kind == atQueue:
		return "this queue is not ours now"
	}
	return ""
}
