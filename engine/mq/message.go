package mq

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"iter"
	"net/netip"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// Separators of the properties text (Java: MessageDecoder).
const (
	NameSeparator  = '\x01'
	ValueSeparator = '\x02'
)

// Positions of fixed fields inside a stored record, before the two hosts move them.
const (
	posBodyCRC       = 8
	posQueueID       = 12
	posFlag          = 16
	posPhysical      = 28
	posBornTime      = 40
	posBornHost      = 48
	posStoreTime     = 56 // with an IPv4 born host
	posStoreHost     = 64
	posReconsume     = 72 // with IPv4 hosts
	posPrepared      = 76
	posBody          = 88
	ipv4Host         = 8
	ipv6Host         = 20
	extraOfIPv6Host  = ipv6Host - ipv4Host
	portBytesOfAHost = 4
)

// Record says where one stored message lies in the bytes of its batch. It is filled by
// package protocol, which has checked that every position and length lies inside Data.
type Record struct {
	Pos         uint32 // first byte of the record
	Size        uint32 // totalSize
	BodyLen     uint32
	PropsPos    uint32
	TopicLen    uint16
	PropsLen    uint16
	SysFlag     int32
	QueueOffset int64 // logical offset, with the answer's offsetDelta added
}

// Releaser gets back the bytes of a batch once the last holder let go of them.
type Releaser interface{ Release() }

// Batch is the messages of one pull answer: its bytes and an index over them. Nothing is
// copied out of the bytes; Message values point into the batch. A batch starts with one
// reference, which belongs to whoever made it; the bytes go back to their pool when the
// last reference is released, and no Message of the batch may be used after that.
type Batch struct {
	// RetryTopic is the retry topic of the consuming group: messages stored under it show
	// the topic they came from. Empty means that topics are shown as stored.
	RetryTopic string
	// Namespace is left out of the topics that messages show; empty means nothing is.
	Namespace string
	// BrokerName is the broker that the batch was pulled from.
	BrokerName string
	// MinOffset and MaxOffset are what the answer said of the queue; MaxOffset 0 means nothing.
	MinOffset, MaxOffset int64

	Data    []byte
	Records []Record

	inflated [][]byte // by index: decompressed bodies, nil where the stored bytes are the body
	bodyErrs []error  // by index: why a body could not be read
	owner    Releaser
	refs     atomic.Int32
}

// Reset makes b the sole view of data with one reference, keeping the capacity of Records.
// owner may be nil when data is garbage collected.
func (b *Batch) Reset(data []byte, owner Releaser) {
	b.Data, b.Records, b.owner = data, b.Records[:0], owner
	b.inflated, b.bodyErrs, b.RetryTopic, b.Namespace, b.BrokerName = nil, nil, "", "", ""
	b.MinOffset, b.MaxOffset = 0, 0
	b.refs.Store(1)
}

// Retain adds n references.
func (b *Batch) Retain(n int) { b.refs.Add(int32(n)) }

// Release gives up n references and returns true when they were the last ones: the bytes
// are gone then and b may be used again by the caller.
func (b *Batch) Release(n int) bool {
	left := b.refs.Add(int32(-n))
	if left > 0 {
		return false
	}
	if left < 0 {
		panic("mq: batch released more often than retained")
	}
	if b.owner != nil {
		b.owner.Release()
	}
	b.Data, b.owner = nil, nil
	return true
}

// Replace puts other bytes and records under b, which keeps its references, topic and broker.
// The old bytes go back to their owner at once, so nobody but the caller may hold a Message.
func (b *Batch) Replace(data []byte, records []Record) {
	if b.owner != nil {
		b.owner.Release()
	}
	b.Data, b.Records, b.owner = data, records, nil
	b.inflated, b.bodyErrs = nil, nil
}

// Len is the number of messages.
func (b *Batch) Len() int { return len(b.Records) }

// At returns the i-th message.
func (b *Batch) At(i int) Message { return Message{b, i} }

// SetBody replaces the body of message i by its decompressed bytes.
func (b *Batch) SetBody(i int, body []byte) {
	if b.inflated == nil {
		b.inflated = make([][]byte, len(b.Records))
	}
	b.inflated[i] = body
}

// SetBodyError says why the body of message i can not be read; Body is nil then.
func (b *Batch) SetBodyError(i int, err error) {
	if b.bodyErrs == nil {
		b.bodyErrs = make([]error, len(b.Records))
	}
	b.bodyErrs[i] = err
}

// Message is one stored message: a view into its Batch, valid as long as the batch is.
// A listener may use it until it returns; Clone it to keep it (Java: MessageExt).
type Message struct {
	batch *Batch
	i     int
}

// Batch returns the batch that m points into.
func (m Message) Batch() *Batch { return m.batch }

// Index is m's place in its batch.
func (m Message) Index() int { return m.i }

func (m Message) rec() *Record { return &m.batch.Records[m.i] }

func (m Message) bytes() []byte {
	r := m.rec()
	return m.batch.Data[r.Pos : r.Pos+r.Size]
}

// shift is how far fields behind the hosts are moved by IPv6 addresses.
func (r *Record) shift() int {
	n := 0
	if r.SysFlag&BornHostV6Flag != 0 {
		n += extraOfIPv6Host
	}
	if r.SysFlag&StoreHostV6Flag != 0 {
		n += extraOfIPv6Host
	}
	return n
}

// QueueOffset is the logical offset inside the queue.
func (m Message) QueueOffset() int64 { return m.rec().QueueOffset }

// BodyCRC is the checksum over the stored body, as stored.
func (m Message) BodyCRC() uint32 { return binary.BigEndian.Uint32(m.bytes()[posBodyCRC:]) }

// QueueID is the queue the message is stored in.
func (m Message) QueueID() int32 { return int32(binary.BigEndian.Uint32(m.bytes()[posQueueID:])) }

// Flag is the user's own flag.
func (m Message) Flag() int32 { return int32(binary.BigEndian.Uint32(m.bytes()[posFlag:])) }

// SysFlag has the bits of Java's MessageSysFlag.
func (m Message) SysFlag() int32 { return m.rec().SysFlag }

// StoreSize is the size of the whole record in bytes.
func (m Message) StoreSize() int { return int(m.rec().Size) }

// PhysicalOffset is the commit-log offset.
func (m Message) PhysicalOffset() int64 {
	return int64(binary.BigEndian.Uint64(m.bytes()[posPhysical:]))
}

// BornTime is when the producer made the message, by its clock.
func (m Message) BornTime() time.Time {
	return time.UnixMilli(int64(binary.BigEndian.Uint64(m.bytes()[posBornTime:])))
}

// StoreTime is when the broker stored the message.
func (m Message) StoreTime() time.Time {
	at := posStoreTime
	if m.rec().SysFlag&BornHostV6Flag != 0 {
		at += extraOfIPv6Host
	}
	return time.UnixMilli(int64(binary.BigEndian.Uint64(m.bytes()[at:])))
}

// ReconsumeTimes is how often the message was sent back before.
func (m Message) ReconsumeTimes() int32 {
	return int32(binary.BigEndian.Uint32(m.bytes()[posReconsume+m.rec().shift():]))
}

// PreparedTransactionOffset is the commit-log offset of the half message.
func (m Message) PreparedTransactionOffset() int64 {
	return int64(binary.BigEndian.Uint64(m.bytes()[posPrepared+m.rec().shift():]))
}

// BornHost is the producer's address.
func (m Message) BornHost() netip.AddrPort {
	return hostAt(m.bytes()[posBornHost:], m.rec().SysFlag&BornHostV6Flag != 0)
}

// StoreHost is the broker's address.
func (m Message) StoreHost() netip.AddrPort {
	at := posStoreHost
	if m.rec().SysFlag&BornHostV6Flag != 0 {
		at += extraOfIPv6Host
	}
	return hostAt(m.bytes()[at:], m.rec().SysFlag&StoreHostV6Flag != 0)
}

func hostAt(b []byte, v6 bool) netip.AddrPort {
	n := ipv4Host - portBytesOfAHost
	if v6 {
		n = ipv6Host - portBytesOfAHost
	}
	addr, _ := netip.AddrFromSlice(b[:n])
	return netip.AddrPortFrom(addr, uint16(binary.BigEndian.Uint32(b[n:])))
}

// StoredBody is the body as stored, compressed if the sysFlag says so. Nothing can be
// appended to it in place: behind it lies the rest of the message.
func (m Message) StoredBody() []byte {
	r := m.rec()
	from := int(r.Pos) + posBody + r.shift()
	to := from + int(r.BodyLen)
	return m.batch.Data[from:to:to]
}

// Body is the body, decompressed. It aliases the batch. It is nil, and BodyError says why,
// when the stored bytes could not be decompressed: they are never passed off as the body.
func (m Message) Body() []byte {
	if m.BodyError() != nil {
		return nil
	}
	if m.batch.inflated != nil && m.batch.inflated[m.i] != nil {
		return m.batch.inflated[m.i]
	}
	return m.StoredBody()
}

// BodyError says why the body can not be read; nil for every healthy message.
func (m Message) BodyError() error {
	if m.batch.bodyErrs == nil {
		return nil
	}
	return m.batch.bodyErrs[m.i]
}

// StoredTopic is the topic that the message is stored under, as it lies in the batch.
func (m Message) StoredTopic() string {
	r := m.rec()
	// The properties length (two bytes) follows the topic.
	end := r.PropsPos - 2
	return string(m.batch.Data[end-uint32(r.TopicLen) : end])
}

// Topic is the topic that the message belongs to, as an application knows it: for a message
// that comes back through the group's retry topic, the one it was first consumed from, and
// without the consumer's namespace (Java: DefaultMQPushConsumerImpl.resetRetryAndNamespace).
func (m Message) Topic() string {
	if m.batch.Namespace == "" {
		return m.OriginTopic()
	}
	return WithoutNamespace(m.batch.Namespace, m.OriginTopic())
}

// OriginTopic is Topic as brokers know it, with its namespace.
func (m Message) OriginTopic() string {
	stored := m.StoredTopic()
	if m.batch.RetryTopic != "" && stored == m.batch.RetryTopic {
		if v, ok := m.Property(PropertyRetryTopic); ok {
			return v
		}
	}
	return stored
}

// PropertiesText is the stored properties text, aliasing the batch.
func (m Message) PropertiesText() []byte {
	r := m.rec()
	to := r.PropsPos + uint32(r.PropsLen)
	return m.batch.Data[r.PropsPos:to:to]
}

// Property returns the value of one property. Where a name occurs twice the last one wins.
// MIN_OFFSET and MAX_OFFSET are those of the answer that brought the message
// (Java: PullAPIWrapper.processPullResult).
func (m Message) Property(name string) (string, bool) {
	if m.batch.MaxOffset > 0 {
		switch name {
		case PropertyMinOffset:
			return strconv.FormatInt(m.batch.MinOffset, 10), true
		case PropertyMaxOffset:
			return strconv.FormatInt(m.batch.MaxOffset, 10), true
		}
	}
	v := m.propertyBytes(name)
	return string(v), v != nil
}

// HasTag tells whether the TAGS property is exactly one of tags, without allocating.
func (m Message) HasTag(tags map[string]struct{}) bool {
	v := m.propertyBytes(PropertyTags)
	if v == nil {
		return false
	}
	_, ok := tags[string(v)]
	return ok
}

func (m Message) propertyBytes(name string) []byte { return PropertyIn(m.PropertiesText(), name) }

// PropertyIn is the value of a property in a properties text, aliasing it; nil when missing.
func PropertyIn(text []byte, name string) []byte {
	if name == "" {
		return nil
	}
	var found []byte
	for len(text) > 0 {
		var pair []byte
		pair, text = cutPair(text)
		if len(pair) > len(name)+1 && pair[len(name)] == NameSeparator && string(pair[:len(name)]) == name {
			found = pair[len(name)+1:]
		}
	}
	return found
}

// Properties yields name and value of each stored property in their order. Segments that
// Java ignores (no separator, empty name, empty value) are skipped.
func (m Message) Properties() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		text := m.PropertiesText()
		for len(text) > 0 {
			var pair []byte
			pair, text = cutPair(text)
			name, value, ok := bytes.Cut(pair, []byte{NameSeparator})
			if !ok || len(name) == 0 || len(value) == 0 {
				continue
			}
			if !yield(string(name), string(value)) {
				return
			}
		}
	}
}

func cutPair(text []byte) (pair, rest []byte) {
	if i := bytes.IndexByte(text, ValueSeparator); i >= 0 {
		return text[:i], text[i+1:]
	}
	return text, nil
}

// Tags and Keys are the properties of these names, empty when missing.
func (m Message) Tags() string { v, _ := m.Property(PropertyTags); return v }

// Keys holds the message's keys, joined by one space.
func (m Message) Keys() string { v, _ := m.Property(PropertyKeys); return v }

// OffsetID is the id that names the place of the message: store host and commit-log offset
// in upper-case hex. Brokers look messages up by it (Java: MessageDecoder.createMessageId).
func (m Message) OffsetID() string {
	at := posStoreHost
	if m.rec().SysFlag&BornHostV6Flag != 0 {
		at += extraOfIPv6Host
	}
	n := ipv4Host
	if m.rec().SysFlag&StoreHostV6Flag != 0 {
		n = ipv6Host
	}
	raw := append([]byte(nil), m.bytes()[at:at+n]...)
	raw = binary.BigEndian.AppendUint64(raw, uint64(m.PhysicalOffset()))
	return strings.ToUpper(hex.EncodeToString(raw))
}

// ID is what a consumer shows as the message id: the producer's unique key, else OffsetID.
func (m Message) ID() string {
	if v, ok := m.Property(PropertyUniqueKey); ok {
		return v
	}
	return m.OffsetID()
}

// TransactionID is the unique key of a message that was sent in a transaction, else empty
// (Java: MessageExt.getTransactionId, set by PullAPIWrapper.processPullResult).
func (m Message) TransactionID() string {
	if v, _ := m.Property(PropertyTransaction); !strings.EqualFold(v, "true") {
		return ""
	}
	v, _ := m.Property(PropertyUniqueKey)
	return v
}

// Clone copies m out of its batch, so that it may be kept.
func (m Message) Clone() Message {
	r := *m.rec()
	moved := &Batch{
		RetryTopic: m.batch.RetryTopic, Namespace: m.batch.Namespace, BrokerName: m.batch.BrokerName,
		MinOffset: m.batch.MinOffset, MaxOffset: m.batch.MaxOffset,
	}
	data := bytes.Clone(m.bytes())
	inflated, bodyErr := m.batch.inflated, m.BodyError()
	moved.Data = data
	moved.refs.Store(1)
	r.PropsPos -= r.Pos
	r.Pos = 0
	moved.Records = []Record{r}
	if inflated != nil && inflated[m.i] != nil {
		moved.SetBody(0, bytes.Clone(inflated[m.i]))
	}
	if bodyErr != nil {
		moved.SetBodyError(0, bodyErr)
	}
	return Message{moved, 0}
}
