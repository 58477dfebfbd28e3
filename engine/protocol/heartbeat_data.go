// Contract: the body of a heartbeat. Empty sets are written as [], as brokers walk over them.
// Enum names are those that the oldest brokers know. Version 2 heartbeats are only sent on
// request: Fingerprint 0 is version 1 and always safe.

package protocol

import "mqscope/engine/mq"

// HeartbeatData is all groups of one client (Java: HeartbeatData).
type HeartbeatData struct {
	ClientID             string
	ConsumerDataSet      []ConsumerData
	HeartbeatFingerprint int32
	ProducerDataSet      []ProducerData
	WithoutSub           bool // version 2: nothing changed, subscriptions left out
}

// ConsumerData is one consumer group of a client (Java: ConsumerData).
type ConsumerData struct {
	ConsumeFromWhere    mq.ConsumeFromWhere
	ConsumeType         mq.ConsumeType
	GroupName           string
	MessageModel        mq.MessageModel
	SubscriptionDataSet []SubscriptionData
	UnitMode            bool
}

// ProducerData is one producer group of a client (Java: ProducerData).
type ProducerData struct{ GroupName string }

func (h *HeartbeatData) members(c *codec) {
	c.str("clientID", &h.ClientID)
	objects(c, "consumerDataSet", &h.ConsumerDataSet)
	c.i32("heartbeatFingerprint", &h.HeartbeatFingerprint)
	objects(c, "producerDataSet", &h.ProducerDataSet)
	c.boolean("withoutSub", &h.WithoutSub)
}

func (d *ConsumerData) members(c *codec) {
	if !c.writing { // Java leaves an absent constant null
		d.ConsumeFromWhere, d.ConsumeType = mq.UnknownFromWhere, mq.UnknownConsumeType
		d.MessageModel = mq.UnknownModel
	}
	consumeFromWhere(c, &d.ConsumeFromWhere)
	consumeType(c, &d.ConsumeType)
	c.str("groupName", &d.GroupName)
	messageModel(c, &d.MessageModel)
	objects(c, "subscriptionDataSet", &d.SubscriptionDataSet)
	c.boolean("unitMode", &d.UnitMode)
}

func (d *ProducerData) members(c *codec) { c.str("groupName", &d.GroupName) }

func consumeFromWhere(c *codec, p *mq.ConsumeFromWhere) {
	enum(c, "consumeFromWhere", p, mq.UnknownFromWhere, []mq.ConsumeFromWhere{
		mq.FromLastOffset, mq.FromLastOffsetAndMinWhenBootFirst, mq.FromMinOffset,
		mq.FromMaxOffset, mq.FromFirstOffset, mq.FromTimestamp,
	}, mq.ConsumeFromWhere.String)
}

func consumeType(c *codec, p *mq.ConsumeType) {
	enum(c, "consumeType", p, mq.UnknownConsumeType,
		[]mq.ConsumeType{mq.Actively, mq.Passively, mq.Popping}, mq.ConsumeType.String)
}

func messageModel(c *codec, p *mq.MessageModel) {
	enum(c, "messageModel", p, mq.UnknownModel,
		[]mq.MessageModel{mq.Broadcasting, mq.Clustering}, mq.MessageModel.String)
}

// Encode writes h as JSON.
func (h HeartbeatData) Encode() []byte { return encodeBody(&h) }

// DecodeHeartbeatData reads the body of a heartbeat.
func DecodeHeartbeatData(data []byte) (HeartbeatData, error) { return decodeBody[HeartbeatData](data) }

// Fingerprint is the hash that tells two heartbeats of version 2 apart: of the JSON without
// client id, subscription versions and fingerprint (Java: HeartbeatData.computeHeartbeatFingerprint).
func (h HeartbeatData) Fingerprint() int32 {
	f := HeartbeatData{ProducerDataSet: h.ProducerDataSet}
	for _, d := range h.ConsumerDataSet {
		subs := make([]SubscriptionData, len(d.SubscriptionDataSet))
		copy(subs, d.SubscriptionDataSet)
		for i := range subs {
			subs[i].SubVersion = 0
		}
		d.SubscriptionDataSet = subs
		f.ConsumerDataSet = append(f.ConsumerDataSet, d)
	}
	text := string(f.Encode())
	return mq.HashJava(`{"clientID":"",` + text[1:])
}
