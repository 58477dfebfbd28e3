// Package enginetest has what tests of sources need around one.
package enginetest

import (
	"context"
	"testing"
	"testing/synctest"

	"mqscope/engine/embedded"
	"mqscope/engine/embedded/store"
	"mqscope/engine/lifecycle"
	"mqscope/engine/memnet"
	"mqscope/engine/mq"
)

// Cluster is an embedded cluster in a bubble: a name server at ns:9876 and broker-a.
type Cluster struct {
	*embedded.Cluster
	T   *testing.T
	Ctx context.Context // ends with the cluster
	Net *memnet.Network
}

// InCluster runs test in a bubble with a cluster, and ends that.
func InCluster(t *testing.T, test func(w *Cluster)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		network := memnet.New()
		cluster, err := embedded.New(embedded.Config{NameServerAddr: "ns:9876", BrokerAddrs: []string{"broker:10911"}, Listen: network.Listen})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		group, groupCtx := lifecycle.NewGroup(ctx)
		group.Go("cluster", cluster.Run)
		<-cluster.Ready()
		test(&Cluster{cluster, t, groupCtx, network})
		stop()
		if err := group.Wait(); err != nil {
			t.Error(err)
		}
	})
}

// Put stores n messages in a queue.
func (w *Cluster) Put(topic string, queue int32, n int) {
	w.Inspect(func(s *embedded.State) {
		for range n {
			if _, err := s.Broker("broker-a").Put(topic, queue, []byte("body")); err != nil {
				w.T.Error(err)
			}
		}
	})
}

// Left is how many messages of a topic the group has not committed.
func (w *Cluster) Left(group, topic string, queues int32) (n int64) {
	w.Inspect(func(s *embedded.State) {
		b := s.Broker("broker-a")
		for id := range queues {
			_, end := store.Bounds(b.Store.Lookup(topic, id))
			at, _ := b.Store.Commits.Get(group, topic, id)
			n += end - at
		}
	})
	return n
}

// Commit sets the group's offset of a queue.
func (w *Cluster) Commit(group string, q mq.MessageQueue, at int64) {
	w.Inspect(func(s *embedded.State) {
		s.Broker(q.BrokerName).Store.Commits.Put(group, q.Topic, q.QueueID, at)
	})
}
