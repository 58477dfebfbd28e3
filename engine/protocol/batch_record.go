// Contract: the records of a batch: the send body of SendBatchMessage, and the body of an
// inner batch (a stored message with both mq.NeedUnwrapFlag and mq.InnerBatchFlag). All of
// them share topic, queue and sysFlag of what they travel in. Magic and checksum are zero.
// Unlike Java a record whose size is not the sum of its parts is refused.

package protocol

import (
	"encoding/binary"
	"fmt"
	"math"

	"mqscope/engine/mq"
)

// BatchRecord is one message of a batch.
type BatchRecord struct {
	Flag       int32
	Body       []byte
	Properties []byte // properties text
}

// batchFixed is size, magic, checksum, flag, body length and properties length.
const batchFixed = 4 + 4 + 4 + 4 + 4 + 2

// defaultUnwrapBytes allows for the bytes that each message gains when it stands alone.
const defaultUnwrapBytes = 64 << 20

// AppendBatchRecord appends one record to dst (Java: MessageDecoder.encodeMessage).
func AppendBatchRecord(dst []byte, r BatchRecord) ([]byte, error) {
	if len(r.Properties) > maxPropertyText {
		return dst, fmt.Errorf("properties of %d bytes: at most %d fit into a batch record",
			len(r.Properties), maxPropertyText)
	}
	if len(r.Body) > math.MaxInt32/2 {
		return dst, fmt.Errorf("body of %d bytes: at most %d fit into a batch record", len(r.Body), math.MaxInt32/2)
	}
	be := binary.BigEndian
	dst = be.AppendUint32(dst, uint32(batchFixed+len(r.Body)+len(r.Properties)))
	dst = be.AppendUint32(dst, 0)
	dst = be.AppendUint32(dst, 0)
	dst = be.AppendUint32(dst, uint32(r.Flag))
	dst = be.AppendUint32(dst, uint32(len(r.Body)))
	dst = append(dst, r.Body...)
	dst = be.AppendUint16(dst, uint16(len(r.Properties)))
	return append(dst, r.Properties...), nil
}

// SplitBatch finds the records of a batch. They alias data. The error is a *RecordError, and
// the records before the fault are returned (Java: MessageDecoder.decodeMessages).
func SplitBatch(data []byte) ([]BatchRecord, error) {
	var out []BatchRecord
	for pos := 0; pos < len(data); {
		r, size, why := batchRecordAt(data[pos:])
		if why != "" {
			return out, &RecordError{Pos: pos, Index: len(out), Why: why}
		}
		out = append(out, r)
		pos += size
	}
	return out, nil
}

func batchRecordAt(rest []byte) (r BatchRecord, size int, why string) {
	be := binary.BigEndian
	if len(rest) < batchFixed {
		return r, 0, "cut short"
	}
	size = int(int32(be.Uint32(rest)))
	if size < batchFixed || size > len(rest) {
		return r, 0, "size outside the batch"
	}
	r.Flag = int32(be.Uint32(rest[12:]))
	bodyLen := int(int32(be.Uint32(rest[16:])))
	if bodyLen < 0 || bodyLen > size-batchFixed {
		return r, 0, "body length outside the record"
	}
	at := 20 + bodyLen
	propsLen := int(int16(be.Uint16(rest[at:])))
	if propsLen < 0 || at+2+propsLen != size {
		return r, 0, "size is not the sum of the parts"
	}
	r.Body = rest[20:at]
	r.Properties = rest[at+2 : size]
	return r, size, ""
}

// UnwrapInner replaces each inner batch of b by its messages: they take topic, queue, hosts,
// times, sysFlag and commit-log offset from the outer message, queue offsets counted up from
// its own, and have no retries. It runs after InflateBatch, and does nothing and costs nothing
// when there is no inner batch. At most maxBytes are built (64 MiB when zero). On an error b
// is as it was (Java: PullAPIWrapper.processPullResult, MessageDecoder.decodeMessage).
func UnwrapInner(b *mq.Batch, maxBytes int) error {
	if !hasInner(b) {
		return nil
	}
	if maxBytes <= 0 {
		maxBytes = defaultUnwrapBytes
	}
	var (
		data    []byte
		records []mq.Record
		bodies  = map[int][]byte{}
		faults  = map[int]error{}
	)
	for i := range b.Records {
		r, m := b.Records[i], b.At(i)
		if isInner(r.SysFlag) && m.BodyError() == nil {
			var err error
			if data, records, err = appendInner(data, records, m, i, maxBytes); err != nil {
				return err
			}
			continue
		}
		if err := m.BodyError(); err != nil {
			faults[len(records)] = err
		} else if r.SysFlag&mq.CompressedFlag != 0 {
			bodies[len(records)] = m.Body()
		}
		from := uint32(len(data))
		data = append(data, b.Data[r.Pos:r.Pos+r.Size]...)
		r.PropsPos += from - r.Pos
		r.Pos = from
		records = append(records, r)
		if len(data) > maxBytes {
			return &RecordError{Pos: int(b.Records[i].Pos), Index: i, Why: "inner batches over the limit on bytes"}
		}
	}
	b.Replace(data, records)
	for i, body := range bodies {
		b.SetBody(i, body)
	}
	for i, err := range faults {
		b.SetBodyError(i, err)
	}
	return nil
}

func isInner(sysFlag int32) bool {
	const both = mq.NeedUnwrapFlag | mq.InnerBatchFlag
	return sysFlag&both == both
}

func hasInner(b *mq.Batch) bool {
	for i := range b.Records {
		if isInner(b.Records[i].SysFlag) {
			return true
		}
	}
	return false
}

// appendInner appends the messages inside the i-th message m as stored messages of their own.
func appendInner(data []byte, records []mq.Record, m mq.Message, i, maxBytes int) ([]byte, []mq.Record, error) {
	outer := StoredMessage{
		QueueID: m.QueueID(), PhysicalOffset: m.PhysicalOffset(),
		SysFlag:  m.SysFlag() &^ mq.CompressedFlag, // the body has been inflated
		BornTime: m.BornTime().UnixMilli(), BornHost: m.BornHost(),
		StoreTime: m.StoreTime().UnixMilli(), StoreHost: m.StoreHost(),
		Topic: m.StoredTopic(),
	}
	outerPos := int(m.Batch().Records[i].Pos)
	body := m.Body()
	for pos, n := 0, int64(0); pos < len(body); n++ {
		r, size, why := batchRecordAt(body[pos:])
		if why != "" {
			return nil, nil, &RecordError{Pos: outerPos, Index: i, Why: "inner batch: " + why}
		}
		pos += size
		inner := outer
		inner.QueueOffset = m.QueueOffset() + n
		inner.Flag, inner.Body, inner.Properties = r.Flag, r.Body, r.Properties
		from := len(data)
		var err error
		if data, err = AppendMessage(data, &inner); err != nil {
			return nil, nil, &RecordError{Pos: outerPos, Index: i, Why: "inner batch: " + err.Error()}
		}
		if len(data) > maxBytes {
			return nil, nil, &RecordError{Pos: outerPos, Index: i, Why: "inner batches over the limit on bytes"}
		}
		records = append(records, mq.Record{
			Pos:         uint32(from),
			Size:        uint32(len(data) - from),
			BodyLen:     uint32(len(r.Body)),
			PropsPos:    uint32(len(data) - len(r.Properties)),
			TopicLen:    uint16(len(inner.Topic)),
			PropsLen:    uint16(len(r.Properties)),
			SysFlag:     int32(binary.BigEndian.Uint32(data[from+posSysFlag:])),
			QueueOffset: inner.QueueOffset,
		})
	}
	return data, records, nil
}
