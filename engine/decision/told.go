package decision

import "mqscope/engine/mq"

// Told is Is for a line that has a text. The text must cost nothing to make: else leave it
// empty while the recorder is not On.
func (r *Recorder) Told(l *Line, q mq.MessageQueue, answer bool, text string, n [6]int64) bool {
	if r.On() {
		r.Record(&Decision{Line: l, Queue: q, Yes: answer, Text: text, N: n})
	}
	return answer
}

// Fact records what is no question: a decision without an answer.
func (r *Recorder) Fact(l *Line, q mq.MessageQueue, text string, n [6]int64) {
	if r.On() {
		r.Record(&Decision{Line: l, Queue: q, Text: text, N: n})
	}
}

// Bool is a Flag among the numbers of a decision.
func Bool(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
