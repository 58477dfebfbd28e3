// Contract: stored messages, as the bodies of pull, POP, peek and query answers carry them one
// after another: IndexMessages finds and checks them without copying, AppendMessage writes
// one. Layout version 2 differs in a topic length of two bytes. Unlike the Java client a
// record whose totalSize is not the sum of its parts is refused, as the size alone says where
// the next one begins; bodies are not looked into (see Inflater and CheckCRC).

package protocol

import (
	"encoding/binary"
	"math"

	"mqscope/engine/mq"
)

// Magic codes of stored messages (Java: MessageDecoder.MESSAGE_MAGIC_CODE and _V2).
const (
	MagicV1 uint32 = 0xDAA320A7
	MagicV2 uint32 = 0xDAA320AB
)

const (
	posMagic       = 4
	posBodyCRC     = 8
	posQueueOffset = 20
	posSysFlag     = 36
	posBodyLength  = 84 // with IPv4 hosts
	bodyLengthSize = 4
	v6Extra        = 12 // bytes that an IPv6 host is longer than an IPv4 one

	// smallestRecord is a V1 record with IPv4 hosts and neither body, topic nor properties.
	smallestRecord = posBodyLength + bodyLengthSize + 1 + 2

	maxTopicV1      = math.MaxInt8
	maxTopicV2      = math.MaxInt16
	maxPropertyText = math.MaxInt16
)

// IndexMessages fills b.Records with the stored messages of b.Data and adds offsetDelta to
// their queue offsets. b.Reset was called before. On a *RecordError the records before the
// fault are there and good; nothing of the bytes after it is. It does not allocate once
// b.Records has grown to the size of the batches (Java: MessageDecoder.decodesBatch).
func IndexMessages(b *mq.Batch, offsetDelta int64) error {
	data, records := b.Data, b.Records[:0]
	if uint64(len(data)) > math.MaxUint32 {
		return &RecordError{Why: "body over 4 GiB"}
	}
	pos := 0
	for pos < len(data) {
		rest := data[pos:]
		if len(rest) < smallestRecord {
			return stopIndex(b, records, pos, "cut short")
		}
		// One check of the fixed part lets the compiler drop those of the single reads.
		head := rest[:smallestRecord]
		size := int(int32(binary.BigEndian.Uint32(head)))
		magic := binary.BigEndian.Uint32(head[posMagic:])
		sysFlag := int32(binary.BigEndian.Uint32(head[posSysFlag:]))
		if magic != MagicV1 && magic != MagicV2 {
			return stopIndex(b, records, pos, "unknown magic code")
		}
		if size < smallestRecord {
			return stopIndex(b, records, pos, "size below that of an empty message")
		}
		if size > len(rest) {
			return stopIndex(b, records, pos, "size beyond the end of the body")
		}
		rec := rest[:size]

		at := posBodyLength
		if sysFlag&(mq.BornHostV6Flag|mq.StoreHostV6Flag) != 0 {
			at += hostShift(sysFlag)
		}
		if at+bodyLengthSize > size {
			return stopIndex(b, records, pos, "hosts beyond the record")
		}
		bodyLen := int(int32(binary.BigEndian.Uint32(rec[at:])))
		at += bodyLengthSize
		if bodyLen < 0 || bodyLen > size-at {
			return stopIndex(b, records, pos, "body length outside the record")
		}
		at += bodyLen

		var topicLen int
		if magic == MagicV1 {
			if at+1 > size {
				return stopIndex(b, records, pos, "no room for the topic length")
			}
			topicLen = int(int8(rec[at]))
			at++
		} else {
			if at+2 > size {
				return stopIndex(b, records, pos, "no room for the topic length")
			}
			topicLen = int(int16(binary.BigEndian.Uint16(rec[at:])))
			at += 2
		}
		if topicLen < 0 || topicLen > size-at-2 {
			return stopIndex(b, records, pos, "topic length outside the record")
		}
		at += topicLen

		// Zero and negative both mean "none" to Java; what counts is that the sizes agree.
		propsLen := max(int(int16(binary.BigEndian.Uint16(rec[at:]))), 0)
		at += 2
		if at+propsLen != size {
			return stopIndex(b, records, pos, "size is not the sum of the parts")
		}
		records = append(records, mq.Record{
			Pos:         uint32(pos),
			Size:        uint32(size),
			BodyLen:     uint32(bodyLen),
			PropsPos:    uint32(pos + at),
			TopicLen:    uint16(topicLen),
			PropsLen:    uint16(propsLen),
			SysFlag:     sysFlag,
			QueueOffset: int64(binary.BigEndian.Uint64(head[posQueueOffset:])) + offsetDelta,
		})
		pos += size
	}
	b.Records = records
	return nil
}

func hostShift(sysFlag int32) int {
	n := 0
	if sysFlag&mq.BornHostV6Flag != 0 {
		n += v6Extra
	}
	if sysFlag&mq.StoreHostV6Flag != 0 {
		n += v6Extra
	}
	return n
}

// stopIndex keeps the good records and says where the bad one is.
func stopIndex(b *mq.Batch, records []mq.Record, pos int, why string) error {
	b.Records = records
	return &RecordError{Pos: pos, Index: len(records), Why: why}
}

// DecodeMessage reads a body that holds exactly one stored message, as those of
// ViewMessageByID, CheckTransactionState and ConsumeMessageDirectly do. The message aliases
// data; inflate may be nil, which leaves compressed bodies as they are.
func DecodeMessage(data []byte, inflate *Inflater) (mq.Message, error) {
	b := new(mq.Batch)
	b.Reset(data, nil)
	if err := IndexMessages(b, 0); err != nil {
		return mq.Message{}, err
	}
	if b.Len() != 1 {
		return mq.Message{}, &RecordError{Index: b.Len(), Pos: len(data), Why: "want exactly one message"}
	}
	if inflate != nil {
		inflate.InflateBatch(b)
	}
	return b.At(0), nil
}
