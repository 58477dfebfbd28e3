package consumer_test

import (
	"slices"
	"sync"
	"time"

	"mqscope/engine/embedded"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

// request is what a server got from a client, as far as tests look at it.
type request struct {
	At     time.Time
	Code   protocol.RequestCode
	Broker string
	Queue  mq.MessageQueue
	Offset int64 // asked for by a pull, -1 in others
	Commit int64 // brought, -1 for none
}

// requests remembers what servers got.
type requests struct {
	mu   sync.Mutex
	list []request
}

// record remembers requests of these codes from now on; of heartbeats those that name a
// consumer group.
func (w *world) record(codes ...protocol.RequestCode) *requests {
	rec := &requests{}
	for _, code := range codes {
		w.cluster.Intercept(int32(code), func(r *embedded.Request) embedded.Verdict {
			rec.add(r)
			return embedded.Pass
		})
	}
	return rec
}

func (rec *requests) add(r *embedded.Request) {
	if r.Outgoing {
		return
	}
	if r.Cmd.Code == int32(protocol.HeartBeat) {
		if h, err := protocol.DecodeHeartbeatData(r.Cmd.Body); err == nil && len(h.ConsumerDataSet) == 0 {
			return
		}
	}
	rec.mu.Lock()
	defer rec.mu.Unlock()
	rec.list = append(rec.list, requestOf(r))
}

func requestOf(r *embedded.Request) request {
	q := request{At: r.At, Code: protocol.RequestCode(r.Cmd.Code), Broker: r.Broker, Offset: -1, Commit: -1}
	switch q.Code {
	case protocol.PullMessage:
		var h protocol.PullMessageRequest
		if protocol.Decode(r.Cmd.Fields, &h) == nil {
			q.Queue = mq.MessageQueue{Topic: h.Topic, BrokerName: r.Broker, QueueID: h.QueueID}
			q.Offset = h.QueueOffset
			if h.SysFlag&protocol.PullCommitOffset != 0 {
				q.Commit = h.CommitOffset
			}
		}
	case protocol.UpdateConsumerOffset:
		var h protocol.UpdateConsumerOffsetRequest
		if protocol.Decode(r.Cmd.Fields, &h) == nil {
			q.Queue = mq.MessageQueue{Topic: h.Topic, BrokerName: r.Broker, QueueID: h.QueueID}
			q.Commit = h.CommitOffset
		}
	case protocol.QueryConsumerOffset:
		var h protocol.QueryConsumerOffsetRequest
		if protocol.Decode(r.Cmd.Fields, &h) == nil {
			q.Queue = mq.MessageQueue{Topic: h.Topic, BrokerName: r.Broker, QueueID: h.QueueID}
		}
	}
	return q
}

// all are the requests so far that match.
func (rec *requests) all(match func(request) bool) []request {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(rec.list), func(r request) bool { return !match(r) })
}

// forget begins anew.
func (rec *requests) forget() {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	rec.list = nil
}

// pulls are the pulls of a queue.
func (rec *requests) pulls(q mq.MessageQueue) []request {
	return rec.all(func(r request) bool { return r.Code == protocol.PullMessage && r.Queue == q })
}

// commits are what was committed of a queue, by pulls and by requests of their own.
func (rec *requests) commits(q mq.MessageQueue) []request {
	return rec.all(func(r request) bool { return r.Queue == q && r.Commit >= 0 })
}

// perSecond is the most requests that came within one second.
func perSecond(list []request) int {
	most := 0
	for i := range list {
		n := 0
		for _, r := range list[i:] {
			if r.At.Sub(list[i].At) < time.Second {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

// onCode lets fn decide on each request of a code that clients make.
func (w *world) onCode(code protocol.RequestCode, fn func(r *embedded.Request) embedded.Verdict) (remove func()) {
	return w.cluster.Intercept(int32(code), func(r *embedded.Request) embedded.Verdict {
		if r.Outgoing {
			return embedded.Pass
		}
		return fn(r)
	})
}

// onPull is onCode for pulls of one queue.
func (w *world) onPull(q mq.MessageQueue, fn func(r *embedded.Request, offset int64) embedded.Verdict) (remove func()) {
	return w.onCode(protocol.PullMessage, func(r *embedded.Request) embedded.Verdict {
		if p := requestOf(r); p.Queue == q {
			return fn(r, p.Offset)
		}
		return embedded.Pass
	})
}
