package decision

import "slices"

// Line is a place where code decides. Lines are compared by their address.
type Line struct {
	// ID names the line in breakpoints, scripts and traces, as in "flow.span".
	ID    string
	Group Group
	// Words say what is asked or done. {name} stands for a value of that name, as in
	// "span {span} > {limit}"; a line that Asks gets its answer, yes or no, after them.
	Words string
	Asks  bool
	// Values are the names and kinds of the numbers, in the order of Decision.N; at most six.
	Values []Value
	// Text is the name of Decision.Text, empty when the line has none.
	Text string
	// Java is the class, and where it helps the method, whose rule it is.
	Java string
}

// Value is the name of a number and how it is shown.
type Value struct {
	Name string
	Kind Kind
}

// Kind is what a number counts.
type Kind uint8

const (
	Number   Kind = iota // messages, queues, members, ids
	Offset               // of a queue, -1 and below mean none
	Bytes                // of bodies
	MiB                  // whole ones
	Duration             // nanoseconds
	Moment               // nanoseconds since 1970, 0 is never
	Flag                 // 0 or 1
)

// Group says which part of the engine a line belongs to.
type Group uint8

const (
	Instance Group = iota // routes, heartbeats, connections
	Rebalance
	Pull       // one pull request, from its turn to what its answer leads to
	Concurrent // one call of a listener without order
	Orderly
	OffsetStore
	PullTask // of the pull-task service
	Shutdown
	World // what a person did to a simulation, and what stopped it
)

// String is the word in traces.
func (g Group) String() string {
	return [...]string{"instance", "rebalance", "pull", "consume", "orderly", "offset", "pull task", "shutdown", "world"}[g]
}

var all []*Line

// define makes a line known. It is called while the package is initialised only.
func define(l Line) *Line {
	all = append(all, &l)
	return &l
}

// Lines returns all lines, sorted by ID.
func Lines() []*Line {
	return slices.SortedFunc(slices.Values(all), func(a, b *Line) int {
		switch {
		case a.ID < b.ID:
			return -1
		case a.ID > b.ID:
			return 1
		}
		return 0
	})
}

// Find returns the line with an ID, nil when there is none.
func Find(id string) *Line {
	for _, l := range all {
		if l.ID == id {
			return l
		}
	}
	return nil
}
