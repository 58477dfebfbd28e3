package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"mqscope/engine/capture"
	"mqscope/engine/capture/infer"
)

// captureEvents prints the events of a packet capture.
type captureEvents struct {
	*eventPrinter
	inferer *infer.Inferer
	last    time.Time
}

func (f *eventFlags) capture(name string, in io.Reader, p *eventPrinter) error {
	r, err := capture.Read(in, capture.Options{})
	if err != nil {
		return fmt.Errorf("%s: %w", name, instead(err, ", or a recording (.mqrec)"))
	}
	c := captureEvents{eventPrinter: p, inferer: infer.New()}
	if err := c.all(r); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if f.queues {
		c.table()
	}
	return nil
}

// all reads r to its end, or to where nothing is wanted any more.
func (c *captureEvents) all(r *capture.Reader) error {
	for {
		it, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if c.start.IsZero() {
			c.start = it.At
		}
		if c.flags.to.set() && c.flags.to.event == 0 && c.flags.to.behind(0, it.At, c.start) {
			return nil
		}
		c.last = it.At
		for _, e := range c.inferer.Step(it) {
			if c.flags.to.event > 0 && e.Seq > c.flags.to.event {
				return nil
			}
			if c.flags.queues {
				continue
			}
			if err := c.print(&e); err != nil {
				return err
			}
		}
	}
}

func queueHeads() []string {
	return []string{"GROUP", "QUEUE", "OWNER", "NEXT", "COMMITTED", "UNCOMMITTED", "LAG", "DELIVERED", "LOCK"}
}

// table prints the queues of all groups.
func (c *captureEvents) table() {
	state := c.inferer.State()
	rows := [][]string{queueHeads()}
	for _, g := range state.SortedGroups() {
		for _, q := range g.SortedQueues() {
			if c.flags.group != "" && g.Name != c.flags.group || c.flags.topic != "" && q.Queue.Topic != c.flags.topic ||
				len(c.flags.onlyQueues) > 0 && !slices.Contains(c.flags.onlyQueues, q.Queue) {
				continue
			}
			owner := "-"
			if o, ok := q.Owner(); ok {
				owner = o.Client
			}
			rows = append(rows, []string{
				clean(g.Name), clean(q.Queue.Path()), clean(owner), number(q.Next), number(q.Committed), number(q.Window),
				number(state.Lag(g.Name, q.Queue)), fmt.Sprint(q.Delivered), clean(dash(q.Lock.Client)),
			})
		}
	}
	fmt.Fprintf(c.out, "queues %.3fs after the first packet, inferred from the traffic\n", c.last.Sub(c.start).Seconds())
	columns(c.out, rows, 3, 8)
	if state.Gaps > 0 {
		fmt.Fprintf(c.out, "%s in the capture: counts may be too small\n", count(state.Gaps, "gap"))
	}
}
