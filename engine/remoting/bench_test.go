package remoting

import (
	"context"
	"net"
	"testing"
	"time"

	"mqscope/engine/memnet"
)

// pullAnswer is a broker's answer to a pull with 32 messages' worth of body.
func pullAnswer(kind SerializeType) *Command {
	return &Command{Code: 0, Version: 479, Opaque: 65536, Flag: flagResponse, Serialize: kind, Remark: "FOUND", Fields: Fields{
		{"suggestWhichBrokerId", "0"}, {"nextBeginOffset", "4294967396"}, {"maxOffset", "4294967999"}, {"minOffset", "0"},
		{"offsetDelta", "0"}, {"topicSysFlag", "0"}, {"groupSysFlag", "0"}, {"forbiddenType", "0"},
	}, Body: make([]byte, 32*331)}
}

func pullRequest(kind SerializeType) *Command {
	return &Command{Code: 11, Version: 475, Opaque: 65536, Language: Go, Serialize: kind, Fields: Fields{
		{"consumerGroup", "GID_pay"}, {"topic", "OrderEvt"}, {"queueId", "3"}, {"queueOffset", "4294967396"}, {"maxMsgNums", "32"},
		{"sysFlag", "2"}, {"commitOffset", "4294967396"}, {"suspendTimeoutMillis", "15000"}, {"subVersion", "1700000000000"}, {"expressionType", "TAG"},
	}}
}

func BenchmarkDecodePullAnswer(b *testing.B) {
	for _, kind := range []SerializeType{JSON, RocketMQ} {
		frame, err := AppendFrame(nil, pullAnswer(kind), Limits{})
		if err != nil {
			b.Fatal(err)
		}
		l := Limits{}.withDefaults()
		b.Run(kind.String(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := decodeFrame(frame[4:], &l); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkAppendPullRequest(b *testing.B) {
	for _, kind := range []SerializeType{JSON, RocketMQ} {
		c, l := pullRequest(kind), Limits{}.withDefaults()
		b.Run(kind.String(), func(b *testing.B) {
			var out []byte
			b.ReportAllocs()
			for b.Loop() {
				var err error
				if out, err = appendFrame(out[:0], c, &l); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// ground is a client and a server that answers pulls.
func ground(b *testing.B, ln net.Listener, dial func(context.Context, string, string) (net.Conn, error)) (*Client, string) {
	b.Helper()
	resp := pullAnswer(JSON)
	s := NewServer(ServerConfig{Handler: func(_ context.Context, p *Peer, req *Command) { p.Reply(req, resp) }})
	c := NewClient(ClientConfig{Dial: dial})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 2)
	go func() { done <- s.Serve(ctx, ln) }()
	go func() { done <- c.Run(ctx) }()
	b.Cleanup(func() {
		cancel()
		for range 2 {
			if err := <-done; err != nil {
				b.Error(err)
			}
		}
	})
	return c, ln.Addr().String()
}

func benchmarkCalls(b *testing.B, ln net.Listener, dial func(context.Context, string, string) (net.Conn, error)) {
	c, addr := ground(b, ln, dial)
	req := pullRequest(JSON)
	b.Run("one at a time", func(b *testing.B) {
		ch := make(chan error, 1)
		done := func(a Answer) { ch <- a.Err }
		b.ReportAllocs()
		for b.Loop() {
			c.Go(addr, req, time.Minute, done)
			if err := <-ch; err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("16 in flight", func(b *testing.B) {
		ch := make(chan error, 16)
		done := func(a Answer) { ch <- a.Err }
		for range 15 {
			c.Go(addr, req, time.Minute, done)
		}
		b.ReportAllocs()
		for b.Loop() {
			c.Go(addr, req, time.Minute, done)
			if err := <-ch; err != nil {
				b.Fatal(err)
			}
		}
		for range 15 {
			<-ch
		}
	})
}

func BenchmarkCallInMemory(b *testing.B) {
	n := memnet.New()
	ln, err := n.Listen(context.Background(), "tcp", brokerA)
	if err != nil {
		b.Fatal(err)
	}
	benchmarkCalls(b, ln, n.Dial)
}

func BenchmarkCallOverTCP(b *testing.B) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	benchmarkCalls(b, ln, nil)
}
