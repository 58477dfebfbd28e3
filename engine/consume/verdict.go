package consume

import "mqscope/engine/mq"

// fate is what happens to messages that did not succeed.
type fate uint8

const (
	sendBack fate = iota // to the broker, for another attempt of the group
	giveUp               // told and forgotten: nobody else would get them
)

// verdict is what follows from a listener's answer.
type verdict struct {
	acked int // messages from the first on that succeeded
	rest  fate
}

// decide is the rule of ConsumeMessageConcurrentlyService.processConsumeResult: with Success
// everything up to ackIndex succeeded, else nothing did; a broadcasting consumer has no
// retry topic, so what failed is given up.
func decide(model mq.MessageModel, s Status, ackIndex, size int) verdict {
	v := verdict{}
	if s == Success {
		v.acked = max(min(ackIndex, size-1), -1) + 1
	}
	if model == mq.Broadcasting {
		v.rest = giveUp
	}
	return v
}
