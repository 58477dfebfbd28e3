package embedded

import (
	"slices"
	"strings"

	"mqscope/engine/embedded/store"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

const (
	mostQueried      = 64
	uniqueKeyQueried = 32
)

// Contract: VIEW_MESSAGE_BY_ID (33). Header offset (of the commit log): 0 and one record, 1 if
// no record begins there.
func (b *Broker) viewMessage(r *Request) {
	var h protocol.ViewMessageRequest
	if !r.decode(&h) {
		return
	}
	record := b.Store.Record(h.Offset)
	if record == nil {
		r.failf(protocol.SystemError, "can not find message by the offset, %d", h.Offset)
		return
	}
	r.ok(nil, record)
}

// Contract: QUERY_MESSAGE (12). Header topic, key, maxNum, beginTimestamp, endTimestamp (ms,
// store time, both included, by whole seconds), _UNIQUE_KEY_QUERY: 0 and the newest records
// stored under the topic whose UNIQ_KEY is the key or whose KEYS have it as a word, in the
// order of the log; at most maxNum, 64, or 32 for unique keys; 22 if there are none. Unlike
// a real broker's hash index it finds no foreign records, and takes the time of a scan.
func (b *Broker) queryMessage(r *Request) {
	var h protocol.QueryMessageRequest
	if !r.decode(&h) {
		return
	}
	limit := min(int(h.MaxNum), mostQueried)
	if h.UniqueKeyQuery.Or(false) {
		limit = uniqueKeyQueried
	}
	type hit struct {
		at     int64
		record []byte
	}
	var hits []hit
	for _, q := range b.Store.Queues(h.Topic) {
		lo, hi := store.Bounds(q)
		if h.BeginTimestamp > 0 {
			lo = b.Store.Search(q, h.BeginTimestamp/1000*1000, false)
		}
		for at := hi - 1; at >= lo; at-- {
			record := b.Store.RecordAt(q, at)
			if record == nil || !hasKey(record, h.Key) {
				continue
			}
			if ms, _ := b.Store.StoreTime(q, at); h.EndTimestamp > 0 && ms/1000 > h.EndTimestamp/1000 {
				continue
			}
			pos, _, _, _ := b.Store.Entry(q, at)
			hits = append(hits, hit{pos, record})
		}
	}
	slices.SortFunc(hits, func(a, c hit) int {
		if a.at < c.at {
			return -1
		}
		return 1
	})
	hits = hits[max(0, len(hits)-max(limit, 0)):]
	if len(hits) == 0 {
		r.fail(protocol.QueryNotFound, "can not find message, maybe time range not correct")
		return
	}
	var body []byte
	for _, f := range hits {
		body = append(body, f.record...)
	}
	_, end := b.Store.LogRange()
	r.ok(&protocol.QueryMessageResponse{
		IndexLastUpdateTimestamp: b.state.now.UnixMilli(), IndexLastUpdatePhysicalOffset: end,
	}, body)
}

// hasKey tells whether a record has the key as its unique key or among its keys.
func hasKey(record []byte, key string) bool {
	var batch mq.Batch
	batch.Reset(record, nil)
	if protocol.IndexMessages(&batch, 0) != nil || batch.Len() != 1 {
		return false
	}
	m := batch.At(0)
	if id, _ := m.Property(mq.PropertyUniqueKey); id == key {
		return true
	}
	return slices.Contains(strings.Split(m.Keys(), " "), key)
}
