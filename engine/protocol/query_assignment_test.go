package protocol

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/mq"
)

// TestNoAssignmentIsNotTheSameAsNoQueues covers what decides whether a member keeps its queues.
func TestNoAssignmentIsNotTheSameAsNoQueues(t *testing.T) {
	q := mq.MessageQueue{Topic: "t", BrokerName: "b", QueueID: 2}
	for _, tt := range []struct {
		text    string
		want    []MessageQueueAssignment
		written string
	}{
		{`{}`, nil, `{}`},
		{`{"messageQueueAssignments":null}`, nil, `{}`},
		{`{"messageQueueAssignments":[]}`, []MessageQueueAssignment{}, `{"messageQueueAssignments":[]}`},
		{
			`{"messageQueueAssignments":[{"messageQueue":{"topic":"t","brokerName":"b","queueId":2}}]}`,
			[]MessageQueueAssignment{{Queue: q, Mode: ModePull}},
			`{"messageQueueAssignments":[{"messageQueue":{"brokerName":"b","queueId":2,"topic":"t"},"mode":"PULL"}]}`,
		},
	} {
		got, err := DecodeQueryAssignmentResponse([]byte(tt.text))
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
		}
		if diff := cmp.Diff(tt.want, got.Assignments); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.text, diff)
		}
		if written := string(got.Encode()); written != tt.written {
			t.Errorf("%s is written as %s, want %s", tt.text, written, tt.written)
		}
	}
}
