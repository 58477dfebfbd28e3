package embedded

import (
	"time"

	"mqscope/engine/embedded/store"
	"mqscope/engine/protocol"
)

// Contract: PULL_MESSAGE (11) and LITE_PULL_MESSAGE (361). Header PullMessageRequest; the
// checks and their codes are in pull_check.go, in the order of a real broker. Then the queue
// is read: 0 with records; 19 at its end, which is held when the header allows; 20 when
// nothing matched; 21 when the offset is outside the queue or was reset. Remark = status
// name. After codes 0, 19, 20 and 21 nextBeginOffset is remembered as the pull offset, and
// on the first pass commitOffset is stored when flag 1 is set, unvalidated. Left out: SQL92
// (code 1, as a broker with enablePropertyFilter=false), slaves, static topics, cold data,
// the offset memory of broadcast groups.
func (b *Broker) pull(r *Request) {
	h := new(protocol.PullMessageRequest)
	if !r.decode(h) {
		return
	}
	b.servePull(r, h, true)
}

// servePull is one pass: the first one, or the one that a held pull gets when it wakes.
func (b *Broker) servePull(r *Request, h *protocol.PullMessageRequest, first bool) {
	b.stats.pulls++
	sub, refusal := b.checkPull(h)
	if refusal.code != protocol.Success {
		r.answer(refusal.code, refusal.remark, refusal.header(), nil)
		return
	}
	t, g := b.topics[h.Topic], b.groups[h.ConsumerGroup]
	q := b.Store.Lookup(h.Topic, h.QueueID)
	filter := filterOf(&sub)
	var res store.Result
	if target, ok := b.resets.Take(h.ConsumerGroup, h.Topic, h.QueueID); ok {
		lo, hi := store.Bounds(q)
		res = store.Result{Status: store.OffsetReset, Next: target, Min: lo, Max: hi}
	} else {
		res, b.state.body = b.Store.Read(q, h.QueueOffset, store.Window{
			Want: h.MaxMsgNums, MaxCount: b.cfg.PullBatchMessages, MaxBytes: b.cfg.PullBatchBytes, Filter: &filter,
		}, b.state.body)
	}
	code := pullCode(res.Status, h.QueueOffset)
	b.pulled.Put(h.ConsumerGroup, h.Topic, h.QueueID, res.Next)
	if first {
		if h.SysFlag&protocol.PullCommitOffset != 0 {
			b.Store.Commits.Put(h.ConsumerGroup, h.Topic, h.QueueID, h.CommitOffset)
		}
		if code == protocol.PullNotFound && h.SysFlag&protocol.PullSuspend != 0 {
			b.holdPull(r, h, filter)
			return
		}
	}
	b.stats.got += int64(res.Count)
	b.stats.gotBytes += int64(len(res.Body))
	resp := &b.state.pullResp
	*resp = protocol.PullMessageResponse{
		NextBeginOffset: res.Next, MinOffset: res.Min, MaxOffset: res.Max,
		TopicSysFlag: protocol.Some(t.TopicSysFlag), GroupSysFlag: protocol.Some(g.GroupSysFlag),
		SuggestWhichBrokerID: b.ID,
	}
	r.answer(code, res.Status.String(), resp, res.Body)
}

// filterOf is the tag filter of a subscription.
func filterOf(sub *protocol.SubscriptionData) store.Filter {
	return store.Filter{All: sub.SubString == protocol.SubscribeAll, Codes: sub.CodeSet}
}

// pullCode maps the status of a read to the code of the answer (broker.md 4.2).
func pullCode(s store.Status, requested int64) protocol.ResponseCode {
	switch s {
	case store.Found:
		return protocol.Success
	case store.NoMatchedMessage, store.MessageWasRemoving:
		return protocol.PullRetryImmediately
	case store.OffsetFoundNull, store.OffsetOverflowOne:
		return protocol.PullNotFound
	case store.NoMatchedLogicQueue, store.NoMessageInQueue:
		if requested == 0 {
			return protocol.PullNotFound
		}
	}
	return protocol.PullOffsetMoved
}

// suppliedSubscription is one that came with a pull; statistics count it for 600 s.
type suppliedSubscription struct {
	sub protocol.SubscriptionData
	at  time.Time
}

const suppliedFor = 600 * time.Second
