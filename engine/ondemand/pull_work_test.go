package ondemand_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/enginetest"
	"mqscope/engine/mq"
	"mqscope/engine/ondemand"
)

// TestAPullConsumerTakesSoManyFromThere has the application of a pull consumer begin at
// different places, take a number of messages and end by itself.
func TestAPullConsumerTakesSoManyFromThere(t *testing.T) {
	q := func(id int32) mq.MessageQueue {
		return mq.MessageQueue{Topic: "one", BrokerName: "broker-a", QueueID: id}
	}
	tests := []struct {
		name string
		app  ondemand.App
		want []int64 // offsets of queue 1
		left int64   // of queue 1's 20 messages, for the group
	}{
		{"where the group is", ondemand.App{Count: 3}, []int64{5, 6, 7}, 12},
		{"from the first", ondemand.App{Count: 7, Begin: ondemand.PullFrom{Where: ondemand.PullFromFirst}}, []int64{0, 1, 2, 3, 4, 5, 6}, 13},
		{"from an offset", ondemand.App{Count: 2, Begin: ondemand.PullFrom{Where: ondemand.PullFromOffset, Offset: 17}}, []int64{17, 18}, 1},
		{"from a time", ondemand.App{Count: 3, Begin: ondemand.PullFrom{Where: ondemand.PullFromTime, Time: time.Date(2000, 1, 1, 0, 0, 5, 0, time.UTC)}}, []int64{10, 11, 12}, 7},
		{"over batches", ondemand.App{Count: 15}, []int64{5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19}, 0},
		{"the group's offset stays", ondemand.App{Count: 6, KeepOffsets: true, Begin: ondemand.PullFrom{Where: ondemand.PullFromOffset, Offset: 2}}, []int64{2, 3, 4, 5, 6, 7}, 15},
		{"an offset that there is not", ondemand.App{Count: 1, KeepOffsets: true, Begin: ondemand.PullFrom{Where: ondemand.PullFromOffset, Offset: 999}}, []int64{20}, 15},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			enginetest.InCluster(t, func(w *enginetest.Cluster) {
				if err := w.CreateTopic("one", 2); err != nil {
					t.Fatal(err)
				}
				w.Put("one", 1, 10) // at midnight
				time.Sleep(5 * time.Second)
				w.Put("one", 1, 10)
				w.Commit("g", q(1), 5)
				var got []int64
				tt.app.Queues = []mq.MessageQueue{q(1)}
				tt.app.Take = func(from mq.MessageQueue, m mq.Message) {
					if from != q(1) {
						t.Errorf("took from %v", from)
					}
					got = append(got, m.QueueOffset())
				}
				cfg := config(w)
				cfg.Consumer.Pull.Batch = 4
				source, err := ondemand.OpenPull(cfg, tt.app)
				if err != nil {
					t.Fatal(err)
				}
				ended := make(chan error, 1)
				go func() { ended <- source.Run(w.Ctx) }()
				time.Sleep(10 * time.Second)
				w.Put("one", 1, 1)
				if err := <-ended; err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("offsets (-want +got):\n%s", diff)
				}
				if left := w.Left("g", "one", 2) - 1; left != tt.left {
					t.Errorf("%d messages are left, want %d", left, tt.left)
				}
			})
		})
	}
}

// TestAPullConsumerCountsOverItsQueues: several queues together, each message once.
func TestAPullConsumerCountsOverItsQueues(t *testing.T) {
	enginetest.InCluster(t, func(w *enginetest.Cluster) {
		if err := w.CreateTopic("one", 4); err != nil {
			t.Fatal(err)
		}
		for id := range int32(4) {
			w.Put("one", id, 10)
		}
		seen := map[string]int{}
		source, err := ondemand.OpenPull(config(w), ondemand.App{Count: 23, Take: func(q mq.MessageQueue, m mq.Message) {
			seen[fmt.Sprint(q, m.QueueOffset())]++
		}})
		if err != nil {
			t.Fatal(err)
		}
		if err := source.Run(w.Ctx); err != nil {
			t.Fatal(err)
		}
		if left := w.Left("g", "one", 4); len(seen) != 23 || left != 40-23 {
			t.Errorf("%d messages taken, %d left, want 23 and 17", len(seen), left)
		}
	})
}
