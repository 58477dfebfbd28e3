package invariant

import (
	"strings"
	"testing"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/mq"
)

var (
	begin  = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	queue0 = mq.MessageQueue{Topic: "orders", BrokerName: "a"}
)

// made is a decision of task 1 about queue0.
func made(line *decision.Line, after time.Duration, n ...int64) *decision.Decision {
	d := &decision.Decision{Line: line, At: begin.Add(after), Queue: queue0, Task: 1}
	copy(d.N[:], n)
	return d
}

func yes(d *decision.Decision) *decision.Decision { d.Yes = true; return d }

func waiting(d *decision.Decision, delay time.Duration) *decision.Decision {
	d.Then = decision.Then{Do: decision.PutBack, Delay: delay}
	return d
}

func TestWhatIsBrokenIsFound(t *testing.T) {
	const s = time.Second
	for name, test := range map[string]struct {
		story []*decision.Decision
		want  string // what the last one breaks, empty for nothing
	}{
		"a turn before its time":     {[]*decision.Decision{waiting(made(decision.PullEnqueued, 0), s), made(decision.PullTaken, s/2)}, "I26"},
		"a turn in time":             {[]*decision.Decision{waiting(made(decision.PullEnqueued, 0), s), made(decision.PullTaken, s)}, ""},
		"a turn after a wake-up":     {[]*decision.Decision{waiting(made(decision.PullEnqueued, 0), s), made(decision.PullWoken, s/4), made(decision.PullTaken, s/4)}, ""},
		"over the limit let pass":    {[]*decision.Decision{made(decision.FlowCount, 0, 1001, 1000)}, "I14"},
		"at the limit let pass":      {[]*decision.Decision{made(decision.FlowCount, 0, 1000, 1000)}, ""},
		"sent though over":           {[]*decision.Decision{yes(made(decision.FlowSpan, 0, 2001, 2000)), made(decision.PullSend, 0)}, "I14"},
		"sent in the next turn":      {[]*decision.Decision{yes(made(decision.FlowSpan, 0, 2001, 2000)), made(decision.PullTaken, s), made(decision.PullSend, s)}, ""},
		"sent though dropped":        {[]*decision.Decision{made(decision.RebalanceDrop, 0), made(decision.PullSend, 0)}, "I13"},
		"sent when it is ours again": {[]*decision.Decision{made(decision.RebalanceDrop, 0), made(decision.RebalanceAdded, 0), made(decision.PullSend, 0)}, ""},
		"consumed though dropped":    {[]*decision.Decision{made(decision.RebalanceDrop, 0), made(decision.ConsumeCalled, 0, 7)}, "I11"},
		"two calls in order":         {[]*decision.Decision{yes(made(decision.OrderlyLock, 0)), made(decision.OrderlyCalled, 0), made(decision.OrderlyCalled, 0)}, "I6"},
		"one call after the other":   {[]*decision.Decision{yes(made(decision.OrderlyLock, 0)), made(decision.OrderlyCalled, 0), made(decision.OrderlyReturned, 0), made(decision.OrderlyCalled, 0)}, ""},
		"called without the lock":    {[]*decision.Decision{made(decision.OrderlyLock, 0), made(decision.OrderlyCalled, 0)}, "I7"},
		"a frozen offset moves":      {[]*decision.Decision{made(decision.OffsetFrozen, 0, 1, 5), yes(made(decision.OffsetUpdated, 0, 5, 6))}, "I21"},
		"a frozen offset refuses":    {[]*decision.Decision{made(decision.OffsetFrozen, 0, 1, 5), made(decision.OffsetUpdated, 0, 5, 6)}, ""},
		"raised over cached ones":    {[]*decision.Decision{yes(made(decision.PullCorrected, 0, 3, 9))}, "I24"},
		"a pull task too soon":       {[]*decision.Decision{yes(waiting(made(decision.TaskAgain, 0), s)), made(decision.TaskPicked, s/2)}, "I29"},
		"a pull task in time":        {[]*decision.Decision{yes(waiting(made(decision.TaskAgain, 0), s)), made(decision.TaskPicked, s)}, ""},
		"left before persisting":     {[]*decision.Decision{yes(made(decision.ShutdownUnregistered, 0))}, "I33"},
		"left after persisting":      {[]*decision.Decision{made(decision.ShutdownPersisted, 0), yes(made(decision.ShutdownUnregistered, 0))}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := New()
			for i, d := range test.story {
				found := c.Decided(d)
				if i < len(test.story)-1 {
					if len(found) > 0 {
						t.Fatalf("%s breaks %v already", d.Line.ID, found)
					}
					continue
				}
				var ids []string
				for _, b := range found {
					ids = append(ids, b.ID)
				}
				if got := strings.Join(ids, " "); got != test.want {
					t.Errorf("broken: %q, want %q", got, test.want)
				}
			}
			if c.Decided(made(decision.InstanceRoute, 0)); len(c.Broken()) > 0 {
				t.Error("still broken after the next decision")
			}
		})
	}
}
