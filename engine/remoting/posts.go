package remoting

import (
	"context"
	"sync"
	"time"
)

// posts tells callers of the end of calls that never got onto a connection, so that their
// done functions do not run inside Client.Go.
type posts struct {
	wake chan struct{}

	mu   sync.Mutex
	list []post
	over bool // run and finish have ended
}

type post struct {
	done   func(Answer)
	answer Answer
}

func (p *posts) add(done func(Answer), a Answer) {
	p.mu.Lock()
	over := p.over
	if !over {
		p.list = append(p.list, post{done, a})
	}
	p.mu.Unlock()
	if over {
		// Nothing of the client runs any more: borrow the runtime's timer goroutine.
		time.AfterFunc(0, func() { done(a) })
		return
	}
	wake(p.wake)
}

// run tells until ctx ends.
func (p *posts) run(ctx context.Context) error {
	for {
		p.tell()
		select {
		case <-p.wake:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (p *posts) tell() {
	for {
		p.mu.Lock()
		list := p.list
		p.list = nil
		p.mu.Unlock()
		if len(list) == 0 {
			return
		}
		for _, t := range list {
			t.done(t.answer)
		}
	}
}

// finish tells what is left and ends the list.
func (p *posts) finish() {
	for {
		p.tell()
		p.mu.Lock()
		p.over = len(p.list) == 0
		over := p.over
		p.mu.Unlock()
		if over {
			return
		}
	}
}
