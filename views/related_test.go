package views_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/snapshot"
	"mqscope/views"
)

func TestRelatedLeadsToEveryViewOfAQueueButTheOneThatAsks(t *testing.T) {
	q := snapshot.MessageQueue{Topic: `a "b"`, BrokerName: "broker-a", QueueID: 3}
	arg := views.EncodeQueue(q)
	orderly := &snapshot.Snapshot{Group: snapshot.Group{Orderly: true}}
	for _, tt := range []struct {
		from string
		s    *snapshot.Snapshot
		want []views.Open
	}{
		{"queues", &snapshot.Snapshot{}, []views.Open{{"events", `queue:"a \"b\"/broker-a/3"`}, {"scheduler", arg}, {"latency", arg}, {"detail", arg}}},
		{"detail", orderly, []views.Open{{"events", `queue:"a \"b\"/broker-a/3"`}, {"scheduler", arg}, {"latency", arg}, {"locks", `"a \"b\"/broker-a/3"`}}},
		{"scheduler", nil, []views.Open{{"events", `queue:"a \"b\"/broker-a/3"`}, {"latency", arg}, {"detail", arg}}},
	} {
		var got []views.Open
		for _, o := range views.NewCleaner().Related(q, tt.s, tt.from).Options {
			got = append(got, *o.Show)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("from %s (-want +got):\n%s", tt.from, diff)
		}
	}
}
