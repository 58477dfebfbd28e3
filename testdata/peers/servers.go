package main

import (
	"context"
	"encoding/json"
	"io"
	"os"

	"mqscope/engine/embedded"
	"mqscope/engine/lifecycle"
)

// ready is what the broker process writes when it can be used.
type ready struct{ NameServer string }

// roomFor is what the embedded broker may keep: a message of 128 bytes takes about 400 with
// its record and index; twice that.
func roomFor(s settings) int64 {
	return max(64<<20, int64(s.Messages)*int64(s.Size+300)*2)
}

// runBroker runs the embedded broker on loopback until standard input ends.
func runBroker(ctx context.Context, s settings) (any, error) {
	cluster, err := embedded.New(embedded.Config{
		MaxBytes:          roomFor(s),
		PullBatchMessages: max(32, s.Pull),
		PullBatchBytes:    max(256<<10, 256<<10/32*s.Pull),
	})
	if err != nil {
		return nil, err
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	group, _ := lifecycle.NewGroup(ctx)
	group.Go("cluster", cluster.Run)
	group.Go("until the input ends", func(ctx context.Context) error {
		defer end()
		select {
		case <-cluster.Ready():
		case <-ctx.Done():
			return nil
		}
		if err := cluster.CreateTopic(s.Topic, s.Queues); err != nil {
			return err
		}
		if err := json.NewEncoder(os.Stdout).Encode(ready{cluster.NameServerAddr()}); err != nil {
			return err
		}
		_, err := io.Copy(io.Discard, os.Stdin)
		return err
	})
	return nil, group.Wait()
}
