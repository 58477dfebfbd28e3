package consumer

import "time"

const (
	// sendTimes is how often an offset is sent before it counts as known to its broker.
	sendTimes = 2
	// resendAfter is when it is sent once more: a broker that lost its last seconds of
	// offsets gets them back.
	resendAfter = time.Minute
)

// sentOffset is what the broker of a queue was told. Offsets go out one-way, and nothing tells
// when one is lost: with its connection, or at the broker, which handles requests on many
// threads. Two offsets of a queue may be stored in the wrong order there, and the first
// offsets of a group may overwrite each other (ConsumerOffsetManager.commitOffset looks for
// the table of a group and topic and puts a new one there without a lock). Java sends each
// offset every five seconds for ever.
type sentOffset struct {
	offset int64
	at     time.Time
	times  int
}

// enough tells that offset need not be sent now.
func (s *sentOffset) enough(now time.Time, offset int64) bool {
	return s.times >= sendTimes && s.offset == offset && now.Sub(s.at) < resendAfter
}

// note counts a time that offset was sent.
func (s *sentOffset) note(now time.Time, offset int64) {
	if s.offset != offset {
		s.times = 0
	}
	s.offset, s.at = offset, now
	s.times++
}

// known says that the broker itself told offset.
func (s *sentOffset) known(now time.Time, offset int64) {
	*s = sentOffset{offset: offset, at: now, times: sendTimes}
}
