package consume

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"mqscope/engine/lifecycle"
)

// SetThreads makes n the number of threads from now on, at least one
// (Java: updateCorePoolSize). New ones take work at once. Where there are too many, those
// without work go at once and others when their turn is over: what they have is settled
// first, and what waits is left to the rest. A thread whose listener hangs is there beyond n
// until it returns.
func (c *Concurrent) SetThreads(n int) {
	n = max(n, 1)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed.Load() {
		return
	}
	c.threads = n
	staying := slices.DeleteFunc(slices.Clone(c.workers), func(w *worker) bool { return w.dismissed })
	if len(staying) > n {
		slices.SortStableFunc(staying, func(a, b *worker) int { // the busy ones stay
			return cmp.Compare(min(1, b.started.Load()), min(1, a.started.Load()))
		})
		for _, w := range staying[n:] {
			w.dismissed = true
			close(w.goes)
		}
	}
	workers := slices.Clone(c.workers)
	for range n - len(staying) {
		w := newWorker(c)
		workers = append(workers, w)
		c.launch(w)
	}
	c.workers = workers
}

// begin gives every worker its goroutine, those to come too.
func (c *Concurrent) begin(g *lifecycle.Group) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.group = g
	for _, w := range c.workers {
		c.launch(w)
	}
}

// launch gives w a goroutine, if there is a Run to wait for it. The mutex is held.
func (c *Concurrent) launch(w *worker) {
	g := c.group
	if g == nil {
		return
	}
	c.names++
	name := fmt.Sprintf("consume thread %d", c.names)
	g.Go(name, func(ctx context.Context) error { return w.run(ctx, g, name) })
}

// forget takes w, which was dismissed and has nothing in its hands, out. The mutex is held.
func (c *Concurrent) forget(w *worker) {
	w.gone = true
	c.totals.add(&w.totals)
	c.workers = slices.DeleteFunc(slices.Clone(c.workers), func(o *worker) bool { return o == w })
}

// present are the workers that there are now, dismissed ones that are still busy among them.
func (c *Concurrent) present() []*worker {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.workers
}
