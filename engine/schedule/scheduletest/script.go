// Package scheduletest has what was done to Java's pull-task service and what it did, for the
// tests of whatever must do the same.
package scheduletest

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"mqscope/engine/mq"
)

// Script is one case of testdata/vectors/schedule.jsonl.
type Script struct {
	Name              string
	Model             string
	PullThreadNums    int
	End               int // ms
	RegisteredAtStart []string
	Runs              map[string][]Run // by queue, * for those without an entry
	Steps             []Step
	Log               [][]any
}

// Run is what one call of a callback does.
type Run struct {
	Takes    int // ms
	SetDelay *int
	Throws   bool
}

// Step is something that is done to the service.
type Step struct {
	Millis    int `json:"at"`
	Do, Topic string
	All, Mine []int32
}

// Scripts reads all cases; root is the way to the project's root.
func Scripts(t *testing.T, root string) []Script {
	t.Helper()
	f, err := os.Open(root + "/testdata/vectors/schedule.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var out []Script
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var s Script
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	if lines.Err() != nil || len(out) != 16 {
		t.Fatalf("%d scripts, %v", len(out), lines.Err())
	}
	return out
}

// Messaging is the model of the consumer.
func (s *Script) Messaging() mq.MessageModel {
	if s.Model == mq.Broadcasting.String() {
		return mq.Broadcasting
	}
	return mq.Clustering
}

// Run is what call n of the callback of a queue does.
func (s *Script) Run(queue string, n int) Run {
	runs, ok := s.Runs[queue]
	if !ok {
		runs = s.Runs["*"]
	}
	return runs[min(n, len(runs)-1)]
}

// Due is when a step comes: 12 ms late, as in the recording, so that it stands behind what falls
// due at the same time.
func (s *Step) Due() int {
	if s.Millis == 0 {
		return 0
	}
	return s.Millis + 12
}

// Queues are queues of a topic on the one broker.
func Queues(topic string, ids []int32) []mq.MessageQueue {
	var out []mq.MessageQueue
	for _, id := range ids {
		out = append(out, mq.MessageQueue{Topic: topic, BrokerName: "brk-a", QueueID: id})
	}
	return out
}
