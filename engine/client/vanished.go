package client

import (
	"maps"
	"slices"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/protocol"
)

// vanishAfter is how long a broker must be missing from a topic's route until its queues are
// given up. A name server forgets a broker at once when their connection ends, so that a
// route read while it restarts lacks it; its queues nobody else can have meanwhile.
// (Java gives them up, and finds them again with the next refresh but one.)
const vanishAfter = 30 * time.Second

// keepVanished returns data with the brokers that the route before had, as long as they are
// not missing for vanishAfter. A broker that says itself that the topic does not exist takes
// them with it. vanished are those that are missing and kept, since when; missing are all of
// them. i.mu is held.
func (i *Instance) keepVanished(topic string, data *protocol.TopicRouteData) (kept *protocol.TopicRouteData, vanished map[string]time.Time, all []missing) {
	s := i.topic(topic)
	if s.route == nil || s.denied || len(data.BrokerDatas) == 0 {
		return data, nil, nil
	}
	now := i.clock.Now()
	for _, b := range s.route.BrokerDatas {
		named := func(o protocol.BrokerData) bool { return o.BrokerName == b.BrokerName }
		if slices.ContainsFunc(data.BrokerDatas, named) {
			continue
		}
		since, known := s.vanished[b.BrokerName]
		if !known {
			since = now
		}
		m := missing{broker: b.BrokerName, time: now.Sub(since)}
		if all = append(all, m); m.gone() {
			continue
		}
		if vanished == nil {
			vanished = map[string]time.Time{}
			merged := *data
			merged.BrokerDatas, merged.QueueDatas = slices.Clone(data.BrokerDatas), slices.Clone(data.QueueDatas)
			data = &merged
		}
		vanished[b.BrokerName] = since
		data.BrokerDatas = append(data.BrokerDatas, b)
		for _, q := range s.route.QueueDatas {
			if q.BrokerName == b.BrokerName {
				data.QueueDatas = append(data.QueueDatas, q)
			}
		}
	}
	return data, vanished, all
}

// missing is a broker that a route does not name any more.
type missing struct {
	broker string
	time   time.Duration // since when
}

func (m missing) gone() bool { return m.time >= vanishAfter }

// tellMissing records which brokers are given up.
func (i *Instance) tellMissing(list []missing) {
	for _, m := range list {
		i.decisions.Told(decision.InstanceVanished, nowhere, m.gone(), m.broker, [6]int64{int64(m.time), int64(vanishAfter)})
	}
}

// noteVanished remembers the route that was taken, and tells groups which brokers it keeps
// only for now. i.mu is held.
func (i *Instance) noteVanished(topic string, data *protocol.TopicRouteData, vanished map[string]time.Time, groups []*group) {
	s := i.topic(topic)
	for _, name := range slices.Sorted(maps.Keys(vanished)) {
		if _, told := s.vanished[name]; told {
			continue
		}
		for _, g := range groups {
			i.tell(g, i.entry(event.Warn, name, "no longer in the route of "+topic+": its queues are kept for "+vanishAfter.String()+", it may be restarting"))
		}
	}
	s.route, s.vanished = data, vanished
}

// wantVanished has the routes that miss a broker read again, now that it is back: the next
// look at a route may come when it is down once more. i.mu is held.
func (i *Instance) wantVanished(broker string) {
	for _, s := range i.topics {
		if _, missing := s.vanished[broker]; missing {
			s.wanted = true
			signal(i.wakeRoutes)
		}
	}
}
