package consumer_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"mqscope/engine/consume"
	"mqscope/engine/mq"
)

// TestP27QueuesGetAFairShare: 16 queues that never run dry, for a minute.
func TestP27QueuesGetAFairShare(t *testing.T) {
	tests := []struct {
		name string
		take func(q int32) time.Duration
	}{
		{"of equal messages", func(int32) time.Duration { return 50 * time.Millisecond }},
		{"of messages that take no time but for every eighth", func(q int32) time.Duration {
			return time.Duration(q/15) * 400 * time.Millisecond
		}},
	}
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inWorld(t, 1, func(w *world) {
				w.createTopic(topic, 16)
				for id := range int32(16) {
					w.put(queueOf("broker-a", id), 2000, "", 0)
				}
				var mu sync.Mutex
				served := map[int32]int{}
				m := w.join("192.0.2.10@me", func(ctx context.Context, msg mq.Message, c *consume.Context) consume.Status {
					mu.Lock()
					served[c.Queue.QueueID]++
					mu.Unlock()
					return takes(tt.take(c.Queue.QueueID))(ctx, msg, c)
				})
				m.after(60 * time.Second)
				least, most := served[0], served[0]
				for id := range int32(16) {
					if i == 1 && id == 15 {
						continue // the slow one itself
					}
					least, most = min(least, served[id]), max(most, served[id])
				}
				if least == 0 || float64(most)/float64(least) > 1.5 {
					t.Errorf("served %v", served)
				}
				if i == 1 && least != 2000 {
					t.Errorf("a slow queue held up others: %v", served)
				}
			})
		})
	}
}
