package observer

import (
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"mqscope/engine/capture/infer"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

// pulled are a request for messages as a Java client makes it, and its answer with 32 of 1 KiB.
func pulled(b *testing.B) (ask, answer []byte) {
	b.Helper()
	ask = frame(b, &remoting.Command{Code: int32(protocol.PullMessage), Opaque: 7, Fields: protocol.Encode(&protocol.PullMessageRequest{
		TopicBase:     protocol.TopicBase{Base: protocol.Base{BName: "broker-a"}},
		ConsumerGroup: "billing", Topic: "orders", QueueID: 3, QueueOffset: 1_229_411, MaxMsgNums: 32, CommitOffset: 1_229_379,
		SysFlag: protocol.PullSuspend | protocol.PullSubscription | protocol.PullCommitOffset, SuspendTimeoutMillis: 15000, ExpressionType: "TAG",
	})})
	var body []byte
	for i := range int64(32) {
		var err error
		body, err = protocol.AppendMessage(body, &protocol.StoredMessage{
			Topic: "orders", QueueID: 3, QueueOffset: 1_229_411 + i, Body: make([]byte, 1<<10),
			Properties: []byte("KEYS\x01order-" + strconv.FormatInt(i, 10) + "\x02UNIQ_KEY\x01" + strings.Repeat("7F", 16) + "\x02"),
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	answer = frame(b, &remoting.Command{Flag: 1, Opaque: 7, Body: body, Fields: protocol.Encode(&protocol.PullMessageResponse{
		NextBeginOffset: 1_229_443, MaxOffset: 2_000_000,
	})})
	return ask, answer
}

// BenchmarkObserver measures what watching one pull costs beside carrying it.
func BenchmarkObserver(b *testing.B) {
	o := New(Config{Sink: func([]infer.Event) {}})
	v := &View{o: o}
	client, server := netip.MustParseAddrPort("127.0.0.1:40000"), netip.MustParseAddrPort("127.0.0.1:10911")
	o.look(&glimpse{kind: opened, view: v, client: client, server: server})
	ask, answer := pulled(b)
	at := time.Now()
	see := func(down bool, frame []byte) {
		at = at.Add(50 * time.Microsecond)
		o.look(&glimpse{kind: carried, down: down, view: v, at: at, bytes: frame})
	}
	b.ReportAllocs()
	for b.Loop() {
		see(false, ask)
		see(true, answer)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/32, "ns/msg")
}

func frame(b *testing.B, c *remoting.Command) []byte {
	b.Helper()
	f, err := remoting.AppendFrame(nil, c, remoting.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	return f
}
