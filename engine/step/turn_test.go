package step

import (
	"testing"

	"mqscope/engine/decision"
	"mqscope/engine/mq"
)

func TestTurnsOfTasks(t *testing.T) {
	q := func(id int32) mq.MessageQueue { return mq.MessageQueue{Topic: "t", BrokerName: "a", QueueID: id} }
	put := decision.Then{Do: decision.PutBack}
	var now turn
	for i, tt := range []struct {
		d     decision.Decision
		takes bool
		task  uint64
		from  uint64
		over  bool
	}{
		{decision.Decision{Line: decision.RebalanceBegin}, false, 0, 0, false},
		{decision.Decision{Line: decision.PullTaken, Queue: q(1), Task: 7}, true, 7, 2, false},
		{decision.Decision{Line: decision.PullDropped, Queue: q(1)}, true, 7, 2, false},
		{decision.Decision{Line: decision.ConsumeCalled, Queue: q(2)}, false, 7, 2, false},
		{decision.Decision{Line: decision.FlowSpan, Queue: q(1), Yes: true, Then: put}, true, 7, 2, true},
		{decision.Decision{Line: decision.PullEnqueued, Queue: q(1), Task: 7}, true, 7, 2, true},
		{decision.Decision{Line: decision.PullTaken, Queue: q(1), Task: 7}, true, 7, 7, false},
		{decision.Decision{Line: decision.PullSend, Queue: q(1)}, true, 7, 7, true},
		{decision.Decision{Line: decision.PullWoken, Queue: q(2), Task: 8}, true, 8, 9, false},
		{decision.Decision{Line: decision.PullAnswer, Queue: q(1)}, true, 7, 10, false}, // known from its turn
		{decision.Decision{Line: decision.PullAnswer, Queue: q(3)}, true, 0, 11, false},
		{decision.Decision{Line: decision.PullAnswer, Queue: q(3), Member: "m2"}, true, 0, 12, false},
		{decision.Decision{Line: decision.TaskPicked, Queue: q(3), Member: "m2", Task: 1}, true, 1, 13, false},
	} {
		takes := now.takes(&tt.d, uint64(i+1))
		if takes != tt.takes || now.task != tt.task || now.from != tt.from || now.over != tt.over {
			t.Errorf("%d %s: taken %v, task %d from step %d, over %v; want %v, %d, %d, %v",
				i+1, tt.d.Line.ID, takes, now.task, now.from, now.over, tt.takes, tt.task, tt.from, tt.over)
		}
	}
}
