package consumer

import (
	"hash/maphash"
	"time"

	"mqscope/engine/client"
	"mqscope/engine/consume"
	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

// look is something larger that the loop saw outside, under a name. It is recorded when it is
// not what was seen under that name before.
type look struct {
	Key   string
	Value any
}

var lookSeed = maphash.MakeSeed()

// seen passes something that read sees to the tape, or takes what the tape has in its place.
func seen[T any](in *inputs, key string, read func() T) T {
	if in.remakes() {
		in.seeAgain(key)
		v, _ := in.looks[key].Value.(T)
		return v
	}
	v := read()
	switch {
	case in.records():
		in.see(key, v)
	case in != nil && in.priming:
		l := look{key, v}
		in.looks[key], in.hashes[key] = l, maphash.Bytes(lookSeed, codec().Append(nil, &l))
	}
	return v
}

// prime has what read sees be in the first checkpoint: what is not looked at again before somebody
// looks at the recording would be missing there.
func (in *inputs) prime(read func()) {
	defer in.guard()
	in.priming = true
	defer func() { in.priming = false }()
	read()
}

// see records that v was seen.
func (in *inputs) see(key string, v any) {
	defer in.guard()
	l := look{key, v}
	in.scratch = codec().Append(in.scratch[:0], &l)
	hash := maphash.Bytes(lookSeed, in.scratch)
	if was, ok := in.hashes[key]; ok && was == hash {
		in.flag(false)
		return
	}
	in.flag(true)
	in.hashes[key], in.looks[key] = hash, l
	in.append(kindLook, in.at, in.scratch, false)
}

// seeAgain takes what was seen anew under key, if it was.
func (in *inputs) seeAgain(key string) {
	if in.looking || !in.flag(false) {
		return
	}
	if len(in.fresh) == 0 || in.fresh[0].Key != key {
		in.failed = errReads
		return
	}
	in.looks[key] = in.fresh[0]
	in.fresh = in.fresh[1:]
}

// forget lets go what was seen under key.
func (in *inputs) forget(key string) {
	if in != nil {
		delete(in.looks, key)
		delete(in.hashes, key)
	}
}

// What is seen of the client instance and of the consume threads.
type (
	routeSeen struct {
		Queues []mq.MessageQueue
		Known  bool
	}
	instanceSeen struct {
		NameServers []snapshot.Endpoint
		Brokers     []client.BrokerState
		Unknown     int64
		Late        int64
	}
	// failure is an error, or none.
	failure    struct{ Err error }
	suspension struct {
		Until time.Time
		On    bool
	}
)

// routeQueues are the readable queues of a topic, if its route is known.
func (m *membership) routeQueues(topic string) ([]mq.MessageQueue, bool) {
	r := seen(m.in, "route "+topic, func() (r routeSeen) {
		r.Queues, r.Known = m.client.Queues(topic)
		return r
	})
	return r.Queues, r.Known
}

// instance is what a picture shows of the client instance.
func (m *membership) instance() instanceSeen {
	return seen(m.in, "instance", func() instanceSeen {
		net := m.client.Stats()
		i := instanceSeen{
			NameServers: m.client.NameServers(), Brokers: m.client.Brokers(),
			Unknown: int64(net.UnknownAnswers), Late: int64(net.LateAnswers),
		}
		for j := range i.Brokers {
			i.Brokers[j].InFlight, i.Brokers[j].Oldest = 0, 0 // always another, and not shown
		}
		return i
	})
}

// threadStats are what the consume threads did and do.
func (l *loop) threadStats() consume.Stats { return seen(l.in, "threads", l.pool.Stats) }

// suspended is until when a queue that is consumed in order pauses, if it does.
func (l *loop) suspended(q mq.MessageQueue) (time.Time, bool) {
	s := seen(l.in, "suspended "+q.Path(), func() (s suspension) {
		s.Until, s.On = l.orderly.SuspendedUntil(q)
		return s
	})
	return s.Until, s.On
}
