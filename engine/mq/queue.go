package mq

import (
	"cmp"
	"fmt"
	"log/slog"
	"strings"
	"unicode/utf16"
)

// MessageQueue names one queue of one topic on one broker. It is a value: compare it, use
// it as a map key, never take its address to mean identity (Java: MessageQueue).
type MessageQueue struct {
	Topic      string
	BrokerName string
	QueueID    int32
}

// String returns the text of Java's MessageQueue.toString; consistent hashing depends on it.
func (q MessageQueue) String() string {
	return fmt.Sprintf("MessageQueue [topic=%s, brokerName=%s, queueId=%d]", q.Topic, q.BrokerName, q.QueueID)
}

// Compare orders queues as Java's MessageQueue.compareTo does: by topic, broker name (both
// by UTF-16 code unit) and queue id (by wrapping int32 subtraction).
func (q MessageQueue) Compare(o MessageQueue) int {
	if c := CompareJava(q.Topic, o.Topic); c != 0 {
		return c
	}
	if c := CompareJava(q.BrokerName, o.BrokerName); c != 0 {
		return c
	}
	return cmp.Compare(q.QueueID-o.QueueID, 0)
}

// Path is the queue in short, as in errors, traces and plain lines: topic/broker/3.
func (q MessageQueue) Path() string {
	return fmt.Sprintf("%s/%s/%d", q.Topic, q.BrokerName, q.QueueID)
}

// LogValue implements slog.LogValuer.
func (q MessageQueue) LogValue() slog.Value { return slog.StringValue(q.Path()) }

// CompareJava orders two strings as Java's String.compareTo does, by UTF-16 code unit.
// It differs from byte order only when a character beyond U+FFFF meets one at or above U+E000.
func CompareJava(a, b string) int {
	if isASCII(a) && isASCII(b) {
		return strings.Compare(a, b)
	}
	ua, ub := utf16.Encode([]rune(a)), utf16.Encode([]rune(b))
	for i := range min(len(ua), len(ub)) {
		if ua[i] != ub[i] {
			return cmp.Compare(ua[i], ub[i])
		}
	}
	return cmp.Compare(len(ua), len(ub))
}

// HashJava is Java's String.hashCode: h = 31·h + c over UTF-16 code units, wrapping at 32 bits.
// Brokers filter tags by it.
func HashJava(s string) int32 {
	var h int32
	for _, r := range s {
		if r >= 0x10000 {
			hi, lo := utf16.EncodeRune(r)
			h = 31*h + hi
			h = 31*h + lo
			continue
		}
		h = 31*h + r
	}
	return h
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
