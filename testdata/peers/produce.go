package main

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"mqscope/engine/client"
	"mqscope/engine/clock"
	"mqscope/engine/lifecycle"
)

// senders is how many messages can be on their way to the broker at once: a slow answer
// delays none of the next ones.
const senders = 8

// runProduce sends messages by the clock, whatever becomes of those before (an open loop).
// Message n goes to queue n mod queues.
func runProduce(ctx context.Context, j job) (report, error) {
	var late atomic.Int64 // ns, the worst
	err := withInstance(ctx, j, func(ctx context.Context, in *client.Instance) error {
		queues, err := queuesOf(ctx, in, j)
		if err != nil {
			return err
		}
		send := func(n int) error {
			m := client.OutMessage{
				Topic: j.Topic, Queue: queues[n%len(queues)], Tags: "TagA", Keys: fmt.Sprintf("k%d", n),
				Body: body(j.Size, n, time.Now().UnixNano()),
			}
			_, err := in.Send(ctx, m)
			return err
		}
		begin := time.Now().Add(50 * time.Millisecond)
		group, _ := lifecycle.NewGroup(ctx)
		for s := range senders {
			group.Go("sender", func(ctx context.Context) error {
				for n := s; n < j.Count; n += senders {
					due := begin.Add(time.Duration(n) * time.Second / time.Duration(j.Rate))
					if err := clock.Sleep(ctx, clock.System{}, time.Until(due)); err != nil {
						return err
					}
					noteMost(&late, int64(time.Since(due)))
					if err := send(j.First + n); err != nil {
						return err
					}
				}
				return nil
			})
		}
		return group.Wait()
	})
	return report{LateMs: float64(late.Load()) / 1e6}, err
}

// noteMost raises most to v.
func noteMost(most *atomic.Int64, v int64) {
	for {
		old := most.Load()
		if v <= old || most.CompareAndSwap(old, v) {
			return
		}
	}
}
