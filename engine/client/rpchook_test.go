package client

import (
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

// TestS4RPCHooksSeeEachRequestAndAnswer: what consumers are made with in Java to sign requests.
// A hook changes a copy, so that a request that is sent again is not signed twice; one that
// fails fails its call, or nothing when there is an answer.
func TestS4RPCHooksSeeEachRequestAndAnswer(t *testing.T) {
	bubble(t, func(w *world) {
		_, a, _ := w.twoBrokers()
		a.answer(protocol.PullMessage, pullReply(protocol.PullNotFound, &protocol.PullMessageResponse{NextBeginOffset: 100}, nil))
		var mu sync.Mutex
		before, after := map[protocol.RequestCode]int{}, map[protocol.RequestCode]int{}
		broken := ""
		hook := remoting.RPCHook{
			Before: func(addr string, req *remoting.Command) {
				mu.Lock()
				defer mu.Unlock()
				if broken == "before" {
					panic("no key")
				}
				req.Fields = append(req.Fields, remoting.Field{Key: "Signature", Value: "of " + addr})
				before[protocol.RequestCode(req.Code)]++
			},
			After: func(_ string, req, resp *remoting.Command) {
				mu.Lock()
				defer mu.Unlock()
				if broken == "after" {
					panic("no room")
				}
				if !resp.IsResponse() {
					t.Errorf("the answer of %d is none", req.Code)
				}
				after[protocol.RequestCode(req.Code)]++
			},
		}
		i := w.client(Config{RPCHooks: []remoting.RPCHook{{}, hook}})
		w.register(i, "G", "T")
		time.Sleep(2 * time.Second)
		header := pullHeader(queue("a", 0))
		for range 2 { // the same header twice
			done := make(chan PullAnswer, 1)
			i.Pull(queue("a", 0), 0, header, time.Second, func(a PullAnswer) { done <- a })
			if got := <-done; got.Status != mq.NoNewMsg {
				t.Fatalf("pull: %+v", got)
			}
		}
		if err := i.CommitOffset("G", queue("a", 0), 7); err != nil { // without an answer
			t.Fatal(err)
		}
		synctest.Wait()
		for _, code := range []protocol.RequestCode{protocol.PullMessage, protocol.UpdateConsumerOffset, protocol.HeartBeat} {
			for _, req := range a.got(code) {
				signed := 0
				for _, f := range req.Fields {
					if f.Key == "Signature" && f.Value == "of "+ba {
						signed++
					}
				}
				if signed != 1 {
					t.Errorf("request %d is signed %d times: %v", code, signed, req.Fields)
				}
			}
		}
		mu.Lock()
		for code, want := range map[protocol.RequestCode][2]int{protocol.PullMessage: {2, 2}, protocol.UpdateConsumerOffset: {1, 0}} {
			if before[code] != want[0] || after[code] != want[1] {
				t.Errorf("hooks saw %d requests and %d answers of %d, want %v", before[code], after[code], code, want)
			}
		}
		if before[protocol.GetRouteInfoByTopic] == 0 || before[protocol.HeartBeat] == 0 {
			t.Errorf("requests seen: %v", before)
		}
		broken = "after"
		mu.Unlock()
		if got := pullOnce(w, i, queue("a", 0), 0); got.Status != mq.NoNewMsg {
			t.Errorf("a hook that fails at the answer: %+v", got)
		}
		mu.Lock()
		broken = "before"
		mu.Unlock()
		if got := pullOnce(w, i, queue("a", 0), 0); got.Err == nil || !strings.Contains(got.Err.Error(), "no key") {
			t.Errorf("a hook that fails at the request: %+v", got)
		}
		mu.Lock()
		broken = ""
		mu.Unlock()
	})
}
