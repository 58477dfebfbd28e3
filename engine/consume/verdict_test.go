package consume

import (
	"math"
	"testing"

	"mqscope/engine/mq"
)

func TestS2ResultOfAConsumeRequest(t *testing.T) {
	for _, c := range []struct {
		name     string
		model    mq.MessageModel
		status   Status
		ackIndex int
		size     int
		want     verdict
	}{
		{"success acknowledges all", mq.Clustering, Success, 2, 3, verdict{3, sendBack}},
		{"an ack index beyond the end means all", mq.Clustering, Success, math.MaxInt32, 3, verdict{3, sendBack}},
		{"success up to an index", mq.Clustering, Success, 0, 3, verdict{1, sendBack}},
		{"success with ack index -1 acknowledges nothing", mq.Clustering, Success, -1, 3, verdict{0, sendBack}},
		{"an absurd ack index acknowledges nothing", mq.Clustering, Success, math.MinInt, 3, verdict{0, sendBack}},
		{"later refuses all whatever the ack index", mq.Clustering, ReconsumeLater, 2, 3, verdict{0, sendBack}},
		{"an unknown answer counts as later", mq.Clustering, Status(7), 2, 3, verdict{0, sendBack}},
		{"broadcasting gives up what failed", mq.Broadcasting, ReconsumeLater, 2, 3, verdict{0, giveUp}},
		{"broadcasting gives up behind the ack index", mq.Broadcasting, Success, 1, 3, verdict{2, giveUp}},
		{"no readable message, nothing acknowledged", mq.Clustering, Success, -1, 0, verdict{0, sendBack}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := decide(c.model, c.status, c.ackIndex, c.size); got != c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		})
	}
}
