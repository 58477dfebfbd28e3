package event

import (
	"time"

	"mqscope/engine/mq"
)

// Level orders entries by how much a person should care.
type Level uint8

const (
	Debug Level = iota // each pull
	Info               // a state changed
	Warn               // mended itself
	Error              // a person must act
)

// String is the word on screen, at most four cells.
func (l Level) String() string { return [...]string{"dbg", "info", "warn", "err"}[l] }

// Entry is one line of the event stream. Text may hold names that came from the network:
// it is untrusted until a view has sanitised it.
type Entry struct {
	Seq    uint64
	At     time.Time
	Level  Level
	Source string          // pull, flow, rebalance, offset, consume, retry, remote, engine
	Queue  mq.MessageQueue // zero when the entry is about no queue
	Where  string          // broker, topic or address when it is about no queue
	What   string
	Count  int // how many equal entries this one stands for, at least 1
}

// SameAs tells whether e repeats o: all but time, number and count agree.
func (e Entry) SameAs(o Entry) bool {
	e.Seq, e.At, e.Count = o.Seq, o.At, o.Count
	return e == o
}
