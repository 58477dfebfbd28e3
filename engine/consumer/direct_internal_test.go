package consumer

import (
	"context"
	"testing"

	"mqscope/engine/consume"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

func TestAnswersOfAListenerInOrder(t *testing.T) {
	q := mq.MessageQueue{Topic: "t", BrokerName: "b", QueueID: 3}
	body, err := protocol.AppendMessage(nil, &protocol.StoredMessage{Topic: "t", Body: []byte("x"), ReconsumeTimes: 2})
	if err != nil {
		t.Fatal(err)
	}
	b := new(mq.Batch)
	b.Reset(body, nil)
	if err := protocol.IndexMessages(b, 0); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		status consume.OrderlyStatus
		manual bool
		want   directResult
	}{
		{consume.OrderlySuccess, false, directResult{protocol.ResultSuccess, true, true}},
		{consume.OrderlySuccess, true, directResult{protocol.ResultSuccess, true, false}},
		{consume.SuspendCurrentQueueAMoment, false, directResult{protocol.ResultLater, true, true}},
		{consume.Commit, true, directResult{protocol.ResultCommit, true, false}},
		{consume.Rollback, true, directResult{protocol.ResultRollback, true, false}},
		{99, false, directResult{protocol.ResultReturnNull, true, true}},
	} {
		l := inOrder{manualCommit: c.manual, listener: func(_ context.Context, msgs []mq.Message, ctx *consume.OrderlyContext) consume.OrderlyStatus {
			if len(msgs) != 1 || ctx.Queue != q || ctx.AutoCommit == c.manual || len(ctx.Times) != 1 || ctx.Times[0] != 2 {
				t.Errorf("%v: the listener got %d messages and %+v", c.status, len(msgs), ctx)
			}
			return c.status
		}}
		if got := l.consume(t.Context(), q, b.At(0)); got != c.want {
			t.Errorf("%v: %+v, want %+v", c.status, got, c.want)
		}
	}
}
