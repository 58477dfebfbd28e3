package consumer

import (
	"slices"
	"sync"

	"mqscope/engine/event"
	"mqscope/engine/recording/policy"
)

// inbox brings events from any goroutine to the loop, in the order they came. Posting never
// blocks. Its length is bounded by what can be outstanding: one pull and a few calls a queue.
type inbox struct {
	wake chan struct{} // size one: many posts, one pass

	mu     sync.Mutex
	events []event.Event
	deaf   bool // of a remake: what its loop tells itself is recorded, as all events are
}

func newInbox() *inbox { return &inbox{wake: make(chan struct{}, 1)} }

// post adds e and wakes the loop.
func (b *inbox) post(e event.Event) {
	if b.deaf {
		return
	}
	if told, ok := e.(event.Entry); ok { // text of listeners, and of whoever they call
		told.What, _ = policy.Scrub(told.What)
		e = told
	}
	b.mu.Lock()
	b.events = append(b.events, e)
	b.mu.Unlock()
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// takeTold takes what is to be added to the event stream, and leaves the rest.
func (b *inbox) takeTold() (told []event.Entry) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.events = slices.DeleteFunc(b.events, func(e event.Event) bool {
		one, is := e.(event.Entry)
		if is {
			told = append(told, one)
		}
		return is
	})
	return told
}

// take empties the inbox into the caller's hands; spare becomes the next backing array.
func (b *inbox) take(spare []event.Event) []event.Event {
	clear(spare[:cap(spare)])
	b.mu.Lock()
	defer b.mu.Unlock()
	out := b.events
	b.events = spare[:0]
	return out
}
