package client

import (
	"maps"
	"slices"
	"time"

	"mqscope/engine/protocol"
)

const (
	// routeKeep is how long a topic that nobody subscribes to is refreshed after it was
	// last asked for.
	routeKeep = 10 * time.Minute
	// routePause is the least time between two refreshes of one topic that failing calls
	// ask for.
	routePause = time.Second
)

// topicState is what is remembered of a topic besides its route.
type topicState struct {
	asked   time.Time // last time that a caller named it
	tried   time.Time // last time that a name server was asked for it
	wanted  bool      // the next wake-up refreshes it
	denied  bool      // a broker said that the topic does not exist, after its last route
	sendSeq int       // turns of choosing a queue to send to

	route    *protocol.TopicRouteData // that was taken last
	vanished map[string]time.Time     // brokers in it that the name server does not name any more
}

// topic returns the state of a topic, making it. i.mu is held.
func (i *Instance) topic(name string) *topicState {
	s := i.topics[name]
	if s == nil {
		s = &topicState{}
		i.topics[name] = s
	}
	return s
}

func (i *Instance) noteAsked(topics []string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, t := range topics {
		i.topic(t).asked = i.clock.Now()
	}
}

// wanted returns the topics that are refreshed: those subscribed to and those asked for in
// the last routeKeep, sorted.
func (i *Instance) wanted() []string {
	want := map[string]struct{}{}
	for t := range i.subscribers() {
		want[t] = struct{}{}
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	for t, s := range i.topics {
		if !s.asked.IsZero() && i.clock.Now().Sub(s.asked) < routeKeep {
			want[t] = struct{}{}
		}
	}
	return slices.Sorted(maps.Keys(want))
}

// forgetUnwanted drops routes that nobody uses any more.
func (i *Instance) forgetUnwanted() {
	want := i.wanted()
	i.mu.Lock()
	defer i.mu.Unlock()
	for t, s := range i.topics {
		if !s.wanted && !slices.Contains(want, t) && i.flights[t] == nil {
			delete(i.topics, t)
			i.table.Forget(t)
		}
	}
}

// wantRoutes has the route loop refresh topics now, each at most once a routePause.
func (i *Instance) wantRoutes(topics ...string) {
	i.mu.Lock()
	wake := false
	for _, t := range topics {
		s := i.topic(t)
		s.asked = i.clock.Now()
		if s.tried.IsZero() || i.clock.Now().Sub(s.tried) >= routePause {
			s.wanted, wake = true, true
		}
	}
	i.mu.Unlock()
	if wake {
		signal(i.wakeRoutes)
	}
}

// askRoutesNow is wantRoutes for topics that somebody new waits for.
func (i *Instance) askRoutesNow(topics []string) {
	if len(topics) == 0 {
		return
	}
	i.mu.Lock()
	for _, t := range topics {
		i.topic(t).wanted = true
	}
	i.mu.Unlock()
	signal(i.wakeRoutes)
}

func (i *Instance) takeWanted() []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	var out []string
	for t, s := range i.topics {
		if s.wanted {
			s.wanted = false
			out = append(out, t)
		}
	}
	slices.Sort(out)
	return out
}
