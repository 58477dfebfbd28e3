//go:build unix

package consumer_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"mqscope/engine/client"
	"mqscope/engine/consume"
	"mqscope/engine/consumer"
	"mqscope/engine/decision"
	"mqscope/engine/embedded"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

const (
	benchPull   = 32
	benchQueues = 4
	benchBody   = 128
)

// BenchmarkFrameToAcknowledged is one message's way from the frame of a pull answer on a TCP
// connection to its acknowledgement, at the defaults. The peer answers each pull at once with
// prepared bytes and allocates nothing, so objects/msg are the engine's alone.
func BenchmarkFrameToAcknowledged(b *testing.B) { frameToAcknowledged(b, nil) }

// BenchmarkDecisions is BenchmarkFrameToAcknowledged without a recorder of decisions, with one
// that nobody watches, as is usual, and with one that is watched.
func BenchmarkDecisions(b *testing.B) {
	for _, c := range []struct {
		name    string
		prepare func(p *consumer.Push)
	}{
		{"no recorder", consumer.WithoutDecisions},
		{"nobody watches", nil},
		{"watched", func(p *consumer.Push) { p.WatchDecisions(&countedDecisions{}) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			before := cpuTime(b)
			frameToAcknowledged(b, c.prepare)
			b.ReportMetric(float64(cpuTime(b)-before)/float64(b.N), "cpu-ns/msg")
		})
	}
}

// BenchmarkUnwatchedDecisions takes turns with and without a recorder, so that both see the same
// machine, and says by how many per cent a message costs more when nobody watches: of the least
// CPU time of either, and of the medians. Give it many turns: -benchtime 20x.
func BenchmarkUnwatchedDecisions(b *testing.B) {
	const messages = 300_000
	var without, unwatched []float64
	for b.Loop() {
		without = append(without, acknowledged(b, messages, consumer.WithoutDecisions))
		unwatched = append(unwatched, acknowledged(b, messages, nil))
	}
	slices.Sort(without)
	slices.Sort(unwatched)
	more := func(i int) float64 { return 100 * (unwatched[i] - without[i]) / without[i] }
	b.ReportMetric(without[0], "least-ns/msg")
	b.ReportMetric(more(0), "%-of-least")
	b.ReportMetric(more(len(without)/2), "%-of-median")
}

// acknowledged is the CPU time in ns that a message costs, of so many.
func acknowledged(b *testing.B, messages int, prepare func(p *consumer.Push)) float64 {
	b.Helper()
	var cpu time.Duration
	consumes(b, int64(messages), prepare, func() { cpu = cpuTime(b) }, func(int64) { cpu = cpuTime(b) - cpu })
	return float64(cpu) / float64(messages)
}

// countedDecisions counts decisions and keeps none.
type countedDecisions struct{ n atomic.Int64 }

func (s *countedDecisions) Decided(*decision.Decision) { s.n.Add(1) }

// frameToAcknowledged measures a consumer; prepare, unless nil, gets it before it runs.
func frameToAcknowledged(b *testing.B, prepare func(p *consumer.Push)) {
	b.Helper()
	var before, after runtime.MemStats
	consumes(b, int64(b.N), prepare, func() {
		runtime.ReadMemStats(&before)
		b.ResetTimer()
	}, func(got int64) {
		b.StopTimer()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.Mallocs-before.Mallocs)/float64(got), "objects/msg")
		b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(got), "bytes/msg")
	})
}

// consumes lets a consumer consume so many messages, and calls begin before and end behind them.
func consumes(b *testing.B, messages int64, prepare func(p *consumer.Push), begin func(), end func(got int64)) {
	b.Helper()
	peer := newPreparedPeer(b)
	var got, want atomic.Int64
	want.Store(math.MaxInt64)
	first, enough := make(chan struct{}), make(chan struct{})
	var reached sync.Once
	instance, err := client.New(client.Config{NameServers: []string{peer.addr}, ClientID: benchID})
	if err != nil {
		b.Fatal(err)
	}
	push, err := consumer.NewPush(consumer.Config{
		Group: group, ClientID: benchID, From: mq.FromFirstOffset,
		Subscriptions: []consumer.Subscription{{Topic: topic}},
		Listener: func(context.Context, []mq.Message, *consume.Context) consume.Status {
			switch n := got.Add(1); {
			case n == 1:
				close(first)
			case n >= want.Load():
				reached.Do(func() { close(enough) })
			}
			return consume.Success
		},
	}, instance)
	if err != nil {
		b.Fatal(err)
	}
	if prepare != nil {
		prepare(push)
	}
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { _ = instance.Run(context.WithoutCancel(ctx)) })
	done := make(chan error, 1)
	go func() { done <- push.Run(ctx) }()
	<-first // half a second after the assignment
	begin()
	from := got.Load()
	want.Store(from + messages)
	<-enough
	end(got.Load() - from)
	stop()
	if err := <-done; err != nil {
		b.Fatal(err)
	}
}

const benchID = "127.0.0.1@bench"

// preparedPeer is a name server and broker in one, with answers made beforehand.
type preparedPeer struct {
	addr string
	body []byte // what is answered from offset 0 on: benchKinds pulls
	at   []int  // of the queue offset of each record in body
}

// benchKinds is how many pulls bring other messages, until they are the same again: enough for
// nothing that packs a recording to have them all in view.
const benchKinds = 64

// benchMessage is a body as services send them, of benchBody bytes, no two alike.
func benchMessage(rnd *rand.Rand, i int) []byte {
	states := []string{"CREATED", "PAID", "SHIPPED", "RETURNED"}
	body := fmt.Appendf(nil, `{"orderId":"%016x","customer":%d,"amount":%d.%02d,"currency":"EUR","state":%q,"items":[`,
		rnd.Uint64(), rnd.IntN(1_000_000), rnd.IntN(1000), rnd.IntN(100), states[i%len(states)])
	for len(body) < benchBody {
		body = fmt.Appendf(body, "%d,", rnd.IntN(100_000))
	}
	return body[:benchBody]
}

func newPreparedPeer(b *testing.B) *preparedPeer {
	b.Helper()
	p := &preparedPeer{}
	host := netip.MustParseAddrPort("127.0.0.1:10911")
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range benchKinds * benchPull {
		p.at = append(p.at, len(p.body)+20)
		var err error
		p.body, err = protocol.AppendMessage(p.body, &protocol.StoredMessage{
			QueueOffset: int64(i), Topic: topic, Body: benchMessage(rnd, i), BornHost: host, StoreHost: host,
			Properties: protocol.AppendProperties(nil, []protocol.Property{
				{Name: "KEYS", Value: fmt.Sprintf("k%d", rnd.IntN(1_000_000))}, {Name: "TAGS", Value: "TagA"},
				{Name: "UNIQ_KEY", Value: fmt.Sprintf("7F000001271218B4AAC2%012X", rnd.Uint64()>>16)},
			}),
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	p.at = append(p.at, len(p.body)+20)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	p.addr = ln.Addr().String()
	var serving sync.WaitGroup
	b.Cleanup(func() { ln.Close(); serving.Wait() })
	serving.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			b.Cleanup(func() { c.Close() })
			serving.Go(func() { p.serve(c) })
		}
	})
	return p
}

// serve answers requests with buffers that it keeps.
func (p *preparedPeer) serve(c net.Conn) {
	r := bufio.NewReaderSize(c, 64<<10)
	body := bytes.Clone(p.body)
	var frame, out []byte
	var length [4]byte
	for {
		if _, err := io.ReadFull(r, length[:]); err != nil {
			return
		}
		n := int(binary.BigEndian.Uint32(length[:]))
		if cap(frame) < n {
			frame = make([]byte, n)
		}
		frame = frame[:n]
		if _, err := io.ReadFull(r, frame); err != nil {
			return
		}
		out = p.answer(out[:0], frame, body)
		if r.Buffered() == 0 || len(out) > 0 {
			if _, err := c.Write(out); err != nil {
				return
			}
		}
	}
}

func (p *preparedPeer) answer(out, frame, body []byte) []byte {
	if number(frame, `"flag":`)&2 != 0 {
		return out // one-way
	}
	code, ext, payload := int64(0), []byte(nil), []byte(nil)
	switch number(frame, `"code":`) {
	case int64(protocol.GetRouteInfoByTopic):
		payload = fmt.Appendf(nil, `{"brokerDatas":[{"brokerAddrs":{"0":"%s"},"brokerName":"broker-a","cluster":"c"}],"filterServerTable":{},"queueDatas":[{"brokerName":"broker-a","perm":6,"readQueueNums":%d,"topicSysFlag":0,"writeQueueNums":%d}]}`, p.addr, benchQueues, benchQueues)
		if bytes.Contains(frame, []byte("%RETRY%")) {
			code, payload = int64(protocol.TopicNotExist), nil
		}
	case int64(protocol.GetConsumerListByGroup):
		payload = []byte(`{"consumerIdList":["` + benchID + `"]}`)
	case int64(protocol.QueryConsumerOffset):
		code = int64(protocol.QueryNotFound)
	case int64(protocol.LockBatchMQ):
		var all protocol.LockBatchResponse
		for id := range int32(benchQueues) {
			all.Locked = append(all.Locked, queueOf("broker-a", id))
		}
		payload = all.Encode()
	case int64(protocol.PullMessage), int64(protocol.LitePullMessage):
		from := number(frame, `"queueOffset":"`)
		which := int(from/benchPull+number(frame, `"queueId":"`)*benchKinds/benchQueues) % benchKinds * benchPull
		at := p.at[which : which+benchPull+1]
		for i, at := range at[:benchPull] {
			binary.BigEndian.PutUint64(body[at:], uint64(from+int64(i)))
		}
		payload = body[at[0]-20 : at[benchPull]-20]
		ext = appendPullFields(ext, from)
	}
	return appendAnswer(out, number(frame, `"opaque":`), code, ext, payload)
}

// appendPullFields writes into a small array on the stack of its caller's frame.
func appendPullFields(ext []byte, from int64) []byte {
	ext = append(ext, `"suggestWhichBrokerId":"0","minOffset":"0","maxOffset":"9000000000000","nextBeginOffset":"`...)
	ext = strconv.AppendInt(ext, from+benchPull, 10)
	return append(ext, '"')
}

func appendAnswer(out []byte, opaque, code int64, ext, payload []byte) []byte {
	start := len(out)
	out = append(out, 0, 0, 0, 0, 0, 0, 0, 0)
	out = append(out, `{"code":`...)
	out = strconv.AppendInt(out, code, 10)
	out = append(out, `,"flag":1,"language":"JAVA","version":479,"extFields":{`...)
	out = append(out, ext...)
	out = append(out, `},"opaque":`...)
	out = strconv.AppendInt(out, opaque, 10)
	out = append(out, '}')
	binary.BigEndian.PutUint32(out[start+4:], uint32(len(out)-start-8))
	out = append(out, payload...)
	binary.BigEndian.PutUint32(out[start:], uint32(len(out)-start-4))
	return out
}

// number is the number behind name in a JSON header.
func number(frame []byte, name string) int64 {
	i := bytes.Index(frame, []byte(name))
	if i < 0 {
		return 0
	}
	n := int64(0)
	for _, c := range frame[i+len(name):] {
		if c < '0' || c > '9' {
			break
		}
		n = n*10 + int64(c-'0')
	}
	return n
}

const (
	idleQueues = 1024
	idleFor    = 15 * time.Second
	brokerEnv  = "MQSCOPE_BENCH_BROKER"
)

// BenchmarkIdle is the share of one core that a consumer with 1,024 queues takes while no
// message comes, with the broker in a process of its own on TCP. One run takes about 20 seconds.
func BenchmarkIdle(b *testing.B) {
	addr := startBenchBroker(b)
	instance, err := client.New(client.Config{NameServers: []string{addr}, ClientID: benchID})
	if err != nil {
		b.Fatal(err)
	}
	push, err := consumer.NewPush(consumer.Config{
		Group: group, ClientID: benchID, Subscriptions: []consumer.Subscription{{Topic: topic}},
		Listener: func(context.Context, []mq.Message, *consume.Context) consume.Status { return consume.Success },
	}, instance)
	if err != nil {
		b.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	instanceCtx, end := context.WithCancel(context.Background())
	defer end()
	go func() { _ = instance.Run(instanceCtx) }()
	done := make(chan error, 1)
	go func() { done <- push.Run(ctx) }()
	for len(owned(push.Snapshot())) < idleQueues {
		<-push.Updates()
	}
	time.Sleep(3 * time.Second)
	for b.Loop() {
		before := cpuTime(b)
		time.Sleep(idleFor)
		b.ReportMetric(100*(cpuTime(b)-before).Seconds()/idleFor.Seconds(), "%core")
		b.ReportMetric(float64(runtime.NumGoroutine()), "goroutines")
	}
	stop()
	if err := <-done; err != nil {
		b.Fatal(err)
	}
}

func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// startBenchBroker runs this test binary once more as a broker and returns its name server.
func startBenchBroker(b *testing.B) string {
	b.Helper()
	cmd := exec.Command(os.Args[0], "-test.run", "^TestBenchBroker$")
	cmd.Env = append(os.Environ(), brokerEnv+"=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		in.Close()
		_ = cmd.Wait()
	})
	addr, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return addr[:len(addr)-1]
}

// TestBenchBroker is the broker of BenchmarkIdle when its process asks for it; in an
// ordinary run it checks only that nobody asked.
func TestBenchBroker(t *testing.T) {
	if os.Getenv(brokerEnv) == "" {
		return
	}
	cluster, err := embedded.New(embedded.Config{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- cluster.Run(ctx) }()
	<-cluster.Ready()
	if err := cluster.CreateTopic(topic, idleQueues); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(os.Stdout, cluster.NameServerAddr())
	_, _ = io.Copy(io.Discard, os.Stdin)
	stop()
	if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}
