package client

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

func (w *world) askInfo(p *remoting.Peer, stacks bool) (protocol.ConsumerRunningInfo, *remoting.Command) {
	w.t.Helper()
	resp := w.asks(p, protocol.GetConsumerRunningInfo, &protocol.GetConsumerRunningInfoRequest{ConsumerGroup: "G", ClientID: "c", StackEnable: stacks}, nil)
	info, err := protocol.DecodeConsumerRunningInfo(resp.Body)
	if resp.Code == 0 && err != nil {
		w.t.Fatal(err)
	}
	return info, resp
}

func TestRunningInfo(t *testing.T) {
	bubble(t, func(w *world) {
		start := time.Now()
		_, l, p := w.connected(func(r *Registration) {
			r.RunningInfo = func(context.Context) (protocol.ConsumerRunningInfo, error) {
				return protocol.ConsumerRunningInfo{
					Properties: map[string]string{protocol.PropThreadPoolSize: "20", protocol.PropConsumeOrderly: "true"},
					MQTable:    map[mq.MessageQueue]protocol.ProcessQueueInfo{queue("a", 0): {CachedMsgCount: 3}},
				}, nil
			}
		})
		for _, name := range []string{"T-1", "%RETRY%G"} {
			s, err := protocol.ParseSubscription(name, "*", 1)
			if err != nil {
				t.Fatal(err)
			}
			l.mu.Lock()
			l.subs = append(l.subs, s)
			l.mu.Unlock()
		}
		got, resp := w.askInfo(p, true)
		if resp.Code != 0 {
			t.Fatalf("answered %d %q", resp.Code, resp.Remark)
		}
		want := map[string]string{
			protocol.PropThreadPoolSize: "20", protocol.PropNameServerAddr: ns1 + ";", protocol.PropConsumeType: "CONSUME_PASSIVELY",
			protocol.PropConsumeOrderly: "true", protocol.PropClientVersion: "V5_3_1",
			protocol.PropStartTimestamp: strconv.FormatInt(start.UnixMilli(), 10),
			"consumerGroup":             "G", "messageModel": "CLUSTERING",
			"namesrvAddr": ns1, "clientIP": "10.1.2.9", "instanceName": "test", "language": "GO", "useTLS": "false", "vipChannelEnabled": "false",
			"pollNameServerInterval": "30000", "heartbeatBrokerInterval": "30000", "mqClientApiTimeout": "3000",
		}
		if d := cmp.Diff(want, got.Properties); d != "" {
			t.Error(d)
		}
		if got.MQTable[queue("a", 0)].CachedMsgCount != 3 {
			t.Errorf("info is %+v", got)
		}
		if got.Stack != "" {
			t.Error("a dump was given away that nobody allowed")
		}
		var topics []string
		for _, s := range got.SubscriptionSet {
			topics = append(topics, s.Topic)
		}
		if d := cmp.Diff([]string{"%RETRY%G", "T-1", "T"}, topics); d != "" { // '-' stands before '@'
			t.Error(d)
		}
	})
}

func TestRunningInfoThatIsNotToBeHad(t *testing.T) {
	bubble(t, func(w *world) {
		fail := errors.New("the loop is gone")
		_, _, p := w.connected(func(r *Registration) {
			r.RunningInfo = func(ctx context.Context) (protocol.ConsumerRunningInfo, error) {
				if fail == nil {
					<-ctx.Done()
					return protocol.ConsumerRunningInfo{}, ctx.Err()
				}
				return protocol.ConsumerRunningInfo{}, fail
			}
		})
		if _, resp := w.askInfo(p, false); resp.Code != int32(protocol.SystemError) || resp.Remark != fail.Error() {
			t.Errorf("answered %d %q", resp.Code, resp.Remark)
		}
		fail = &Refusal{protocol.SystemBusy, "too much"}
		if _, resp := w.askInfo(p, false); resp.Code != int32(protocol.SystemBusy) || resp.Remark != "too much" {
			t.Errorf("answered %d %q", resp.Code, resp.Remark)
		}
		fail = nil
		start := time.Now()
		if _, resp := w.askInfo(p, false); resp.Code != int32(protocol.ConsumeMsgTimeout) || time.Since(start) != infoWithin {
			t.Errorf("answered %d %q after %v", resp.Code, resp.Remark, time.Since(start))
		}
	})
}

func TestStacksAreGivenWhereTheConsumerAllowsIt(t *testing.T) {
	bubble(t, func(w *world) {
		var asked []string
		allow := true
		_, _, p := w.connected(func(r *Registration) {
			r.AllowStacks = func(from string) bool { asked = append(asked, from); return allow }
		})
		if info, _ := w.askInfo(p, false); info.Stack != "" || asked != nil {
			t.Errorf("a dump nobody wanted: %q", info.Stack)
		}
		info, _ := w.askInfo(p, true)
		if !strings.Contains(info.Stack, "client.(*Instance).runningInfo\n\tclient/requests_info.go:") {
			t.Errorf("the dump does not have the goroutine that makes it:\n%s", info.Stack)
		}
		if strings.Contains(info.Stack, "(0x") || strings.Contains(info.Stack, "/engine/client/") {
			t.Errorf("the dump has arguments or folders:\n%s", info.Stack)
		}
		again, _ := w.askInfo(p, true)
		if again.Stack != info.Stack {
			t.Error("a second dump was made within a second")
		}
		time.Sleep(stacksPause)
		if again, _ = w.askInfo(p, true); again.Stack == info.Stack {
			t.Error("the dump of a second ago was given again")
		}
		allow = false
		if info, resp := w.askInfo(p, true); info.Stack != "" || resp.Code != 0 || len(info.Properties) == 0 {
			t.Errorf("without leave: answered %d, dump %q", resp.Code, info.Stack)
		}
		if d := cmp.Diff([]string{ba, ba, ba, ba}, asked); d != "" {
			t.Error(d)
		}
	})
}

func TestTidyStacks(t *testing.T) {
	tests := []struct {
		name, raw string
		cut       bool
		want      string
	}{
		{
			"arguments and folders are left out",
			"goroutine 7 [running]:\nmain.(*T).f(0xc0001, {0x1, 0x2})\n\t/home/build/app/main.go:12 +0x1d\ncreated by main.main in goroutine 1\n\t/home/build/app/main.go:5 +0x9\n",
			false,
			"goroutine 7 [running]\n  main.(*T).f\n\tapp/main.go:12\n  created by main.main in goroutine 1\n\tapp/main.go:5\n\n",
		},
		{
			"goroutines at the same place are told once",
			"goroutine 1 [select]:\na.b()\n\t/x/y/z.go:1 +0x1\n\ngoroutine 2 [running]:\na.c(...)\n\t/x/y/z.go:2\n\ngoroutine 3 [select]:\na.b()\n\t/x/y/z.go:1 +0x1\n\ngoroutine 4 [select, 2 minutes]:\na.b()\n\t/x/y/z.go:1 +0x1",
			false,
			"goroutine 1 [select] and 1 more: 3\n  a.b\n\ty/z.go:1\n\ngoroutine 2 [running]\n  a.c\n\ty/z.go:2\n\ngoroutine 4 [select, 2 minutes]\n  a.b\n\ty/z.go:1\n\n",
		},
		{
			"what did not fit is left out and told",
			"goroutine 1 [select]:\na.b()\n\t/x/y/z.go:1 +0x1\n\ngorout",
			true,
			"goroutine 1 [select]\n  a.b\n\ty/z.go:1\n\ncut off after 1024 KiB\n",
		},
		{"nothing is nothing", "", false, ""},
	}
	for _, tt := range tests {
		if d := cmp.Diff(tt.want, tidyStacks([]byte(tt.raw), tt.cut)); d != "" {
			t.Errorf("%s: %s", tt.name, d)
		}
	}
}
