package views

import (
	"strconv"
	"strings"

	"mqscope/engine/snapshot"
)

// EncodeQueue writes the identity of a queue as one string, for the arguments of intents and
// hits. It is not for drawing.
func EncodeQueue(q snapshot.MessageQueue) string {
	return q.Topic + "\x00" + q.BrokerName + "\x00" + strconv.Itoa(int(q.QueueID))
}

// DecodeQueue reads what EncodeQueue wrote; ok is false for anything else.
func DecodeQueue(s string) (q snapshot.MessageQueue, ok bool) {
	parts := strings.Split(s, "\x00")
	if len(parts) != 3 {
		return q, false
	}
	id, err := strconv.ParseInt(parts[2], 10, 32)
	if err != nil {
		return q, false
	}
	return snapshot.MessageQueue{Topic: parts[0], BrokerName: parts[1], QueueID: int32(id)}, true
}

// ShortNames shortens broker names by what all of them begin with: of broker-a and broker-b
// a and b are left. A single broker keeps its name.
type ShortNames struct{ prefix int }

// ShortBrokers finds what the brokers of a snapshot have in common, up to a separator.
func ShortBrokers(s *snapshot.Snapshot) ShortNames {
	if s == nil || len(s.Cluster.Brokers) < 2 {
		return ShortNames{}
	}
	common := s.Cluster.Brokers[0].Name
	for _, b := range s.Cluster.Brokers[1:] {
		n := 0
		for n < len(common) && n < len(b.Name) && common[n] == b.Name[n] {
			n++
		}
		common = common[:n]
	}
	n := strings.LastIndexAny(common, "-_.") + 1
	for _, b := range s.Cluster.Brokers {
		if len(b.Name) == n {
			return ShortNames{}
		}
	}
	return ShortNames{n}
}

// Of is the short name.
func (n ShortNames) Of(broker string) string {
	if len(broker) <= n.prefix {
		return broker
	}
	return broker[n.prefix:]
}

// QueueName writes topic/broker/id with the short broker name.
func (c *Cleaner) QueueName(q snapshot.MessageQueue, short ShortNames) Safe {
	return Join(c.Cell(q.Topic), Own("/"), c.Cell(short.Of(q.BrokerName)), Own("/"), Plain(int64(q.QueueID)))
}

// FullName writes topic/broker/id.
func (c *Cleaner) FullName(q snapshot.MessageQueue) Safe {
	return c.QueueName(q, ShortNames{})
}

// RawName is the name of a queue for the clipboard, as it is.
func RawName(q snapshot.MessageQueue) string {
	return q.Topic + "/" + q.BrokerName + "/" + strconv.Itoa(int(q.QueueID))
}

// Copying makes the intent that copies raw text, which asks first if not all of it shows.
func (c *Cleaner) Copying(raw string) CopyText {
	shown := c.Cell(raw)
	return CopyText{Raw: raw, Shown: shown, Hidden: shown.Hidden() > 0}
}

// Cause writes why a pull was put back; flow control by its kind alone.
func (c *Cleaner) Cause(cause string) Safe {
	return c.Cell(strings.TrimPrefix(cause, "flow:"))
}
