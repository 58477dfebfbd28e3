// Contract: QUERY_CORRECTION_OFFSET (308, CorrectionOffsets), CLONE_GROUP_OFFSET (314) and
// UPDATE_AND_GET_GROUP_FORBIDDEN (353, GroupForbidden). GET_ALL_CONSUMER_OFFSET (43) and
// GET_ALL_DELAY_OFFSET (45) have no request fields.

package protocol

import (
	"mqscope/engine/mq"
)

// QueryCorrectionOffsetRequest asks for the smallest offsets of some groups (Java:
// QueryCorrectionOffsetHeader).
type QueryCorrectionOffsetRequest struct {
	TopicBase

	FilterGroups string // joined by commas
	CompareGroup string
	Topic        string
}

func (h *QueryCorrectionOffsetRequest) visit(v *visitor) {
	h.visitTopicBase(v)
	v.str("filterGroups", &h.FilterGroups, optional)
	v.str("compareGroup", &h.CompareGroup, required)
	v.str("topic", &h.Topic, required)
}

// CloneGroupOffsetRequest copies the offsets of a group to another (Java:
// CloneGroupOffsetRequestHeader).
type CloneGroupOffsetRequest struct {
	Base

	SrcGroup  string
	DestGroup string
	Topic     string
	Offline   bool
}

func (h *CloneGroupOffsetRequest) visit(v *visitor) {
	h.visitBase(v)
	v.str("srcGroup", &h.SrcGroup, required)
	v.str("destGroup", &h.DestGroup, required)
	v.str("topic", &h.Topic, optional)
	v.boolean("offline", &h.Offline, always)
}

// UpdateGroupForbiddenRequest forbids a group to read a topic, or asks whether it may (Java:
// UpdateGroupForbiddenRequestHeader).
type UpdateGroupForbiddenRequest struct {
	TopicBase

	Group    string
	Topic    string
	Readable Opt[bool] // absent: only ask
}

func (h *UpdateGroupForbiddenRequest) visit(v *visitor) {
	h.visitTopicBase(v)
	v.str("group", &h.Group, required)
	v.str("topic", &h.Topic, required)
	v.optBool("readable", &h.Readable)
}

// CorrectionOffsets is the smallest offset by queue id (Java: QueryCorrectionOffsetBody).
type CorrectionOffsets struct{ Offsets map[int32]int64 }

func (b *CorrectionOffsets) members(c *codec) {
	intTable(c, "correctionOffsets", &b.Offsets, i64Value)
}

// Encode writes b as JSON.
func (b CorrectionOffsets) Encode() []byte { return encodeBody(&b) }

// DecodeCorrectionOffsets reads the answer to QueryCorrectionOffset.
func DecodeCorrectionOffsets(data []byte) (CorrectionOffsets, error) {
	return decodeBody[CorrectionOffsets](data)
}

// AllConsumerOffsets is the committed offsets of a broker (Java: ConsumerOffsetSerializeWrapper).
type AllConsumerOffsets struct {
	DataVersion DataVersion
	// Offsets is by topic@group, then queue id.
	Offsets map[string]map[int32]int64
}

func (b *AllConsumerOffsets) members(c *codec) {
	object(c, "dataVersion", &b.DataVersion)
	textTable(c, "offsetTable", &b.Offsets, func(c *codec, p *map[int32]int64) {
		intTableValue(c, p, i64Value)
	})
}

// Encode writes b as JSON.
func (b AllConsumerOffsets) Encode() []byte { return encodeBody(&b) }

// DecodeAllConsumerOffsets reads the answer to GetAllConsumerOffset.
func DecodeAllConsumerOffsets(data []byte) (AllConsumerOffsets, error) {
	return decodeBody[AllConsumerOffsets](data)
}

// DelayOffsets is how far each delay level was delivered (Java: DelayOffsetSerializeWrapper).
type DelayOffsets struct {
	DataVersion DataVersion
	Offsets     map[int32]int64 // by level
}

func (b *DelayOffsets) members(c *codec) {
	object(c, "dataVersion", &b.DataVersion)
	intTable(c, "offsetTable", &b.Offsets, i64Value)
}

// Encode writes b as JSON.
func (b DelayOffsets) Encode() []byte { return encodeBody(&b) }

// DecodeDelayOffsets reads the answer to GetAllDelayOffset.
func DecodeDelayOffsets(data []byte) (DelayOffsets, error) { return decodeBody[DelayOffsets](data) }

// LocalOffsets is the file in which broadcasting consumers keep their offsets (Java:
// OffsetSerializeWrapper).
type LocalOffsets struct {
	Offsets    map[mq.MessageQueue]int64
	Unresolved int // entries whose queue could not be read
}

func (b *LocalOffsets) members(c *codec) {
	queueTable(c, "offsetTable", &b.Offsets, &b.Unresolved, i64Value)
}

// Encode writes b as JSON.
func (b LocalOffsets) Encode() []byte { return encodeBody(&b) }

// DecodeLocalOffsets reads the text of an offsets file.
func DecodeLocalOffsets(data []byte) (LocalOffsets, error) { return decodeBody[LocalOffsets](data) }

// GroupForbidden says whether a group may read a topic (Java: GroupForbidden).
type GroupForbidden struct {
	Group    string
	Readable bool
	Topic    string
}

func (b *GroupForbidden) members(c *codec) {
	c.str("group", &b.Group)
	c.boolean("readable", &b.Readable)
	c.str("topic", &b.Topic)
}

// Encode writes b as JSON.
func (b GroupForbidden) Encode() []byte { return encodeBody(&b) }

// DecodeGroupForbidden reads the answer to UpdateAndGetGroupForbidden.
func DecodeGroupForbidden(data []byte) (GroupForbidden, error) {
	return decodeBody[GroupForbidden](data)
}
