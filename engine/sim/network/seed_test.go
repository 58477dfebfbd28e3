package network_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"mqscope/engine/embedded"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
	"mqscope/engine/sim/network"
)

// life is what one seed makes of some minutes of a small cluster.
func life(t *testing.T, seed uint64) []byte {
	t.Helper()
	var log bytes.Buffer
	w := newWorld(t, network.Config{
		Cluster: embedded.Config{Brokers: []string{brokerA, "broker-b"}, Rand: rand.New(rand.NewPCG(seed, 1))},
		Jitter:  20 * time.Millisecond, Rand: rand.New(rand.NewPCG(seed, 2)),
		OnFrame: func(f network.Frame) {
			fmt.Fprintf(&log, "%d %d %s %s %x\n", f.At.UnixNano(), f.Arrives.UnixNano(), f.From, f.To, f.Bytes)
		},
	})
	rng := rand.New(rand.NewPCG(7, 7))
	var all []*member
	for i := range 4 {
		all = append(all, w.client("c"+strconv.Itoa(i), remoting.ClientConfig{}))
	}
	for range 200 {
		m := all[rng.IntN(len(all))]
		addr := []string{w.addr, w.cluster.BrokerAddr("broker-b"), w.cluster.NameServerAddr()}[rng.IntN(3)]
		cmd := []*remoting.Command{
			sendOf("x"), pullAt(0), pullAt(1 << 20), heartbeatOf(m.id),
			command(protocol.GetRouteInfoByTopic, &protocol.GetRouteInfoRequest{Topic: topicT}, nil),
		}[rng.IntN(5)]
		m.net.Go(addr, cmd, time.Duration(1+rng.IntN(20))*time.Second, func(a remoting.Answer) { fmt.Fprintln(&log, m.id, answerText(a), a.Took) })
		switch rng.IntN(20) {
		case 0:
			_ = w.cluster.StopBroker(brokerA) // it may have been stopped
		case 1, 2, 3:
			_ = w.cluster.StartBroker(brokerA)
		case 4:
			m.net.Forget(addr)
		}
		w.tl.pass(time.Duration(rng.IntN(1000)) * time.Millisecond)
	}
	w.tl.pass(time.Minute)
	for _, m := range all {
		fmt.Fprintln(&log, m.id, m.heard)
	}
	return log.Bytes()
}

func TestTheSameSeedGivesTheSameBytes(t *testing.T) {
	first := life(t, 1)
	if len(first) < 100_000 {
		t.Errorf("only %d bytes happened", len(first))
	}
	for range 5 {
		if !bytes.Equal(first, life(t, 1)) {
			t.Fatal("two runs with the same seed differ")
		}
	}
	if bytes.Equal(first, life(t, 2)) {
		t.Error("another seed gives the same run")
	}
}
