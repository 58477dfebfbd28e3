package embedded_test

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"mqscope/engine/embedded"
	"mqscope/engine/remoting"
)

// deafPeer takes what is sent to it and checks that it can be written as a frame.
type deafPeer struct {
	tb      testing.TB
	id      uint64
	answers int
}

func (p *deafPeer) ID() uint64   { return p.id }
func (p *deafPeer) Addr() string { return "127.0.0.1:5000" }
func (p *deafPeer) Close()       {}

func (p *deafPeer) Reply(_, resp *remoting.Command) {
	p.answers++
	if _, err := remoting.AppendFrame(nil, resp, remoting.Limits{}); err != nil {
		p.tb.Logf("answer that can not be written: %v", err)
	}
}

func (p *deafPeer) Send(req *remoting.Command) error {
	_, err := remoting.AppendFrame(nil, req, remoting.Limits{})
	return err
}

// FuzzRequests hands any request to the name server and to a broker: nothing panics, and a
// request is answered once, or held and answered by the end of its time.
func FuzzRequests(f *testing.F) {
	lines, err := os.Open("../../testdata/vectors/captures/exchanges.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	defer lines.Close()
	scan := bufio.NewScanner(lines)
	scan.Buffer(nil, 1<<20)
	for scan.Scan() {
		var e struct{ RequestFrame string }
		if err := json.Unmarshal(scan.Bytes(), &e); err != nil {
			f.Fatal(err)
		}
		frame, err := hex.DecodeString(e.RequestFrame)
		if err != nil {
			f.Fatal(err)
		}
		cmd, err := remoting.DecodeFrame(frame, remoting.Limits{})
		if err != nil {
			f.Fatal(err)
		}
		var fields []string
		for _, field := range cmd.Fields {
			fields = append(fields, field.Key+"="+field.Value)
		}
		f.Add(cmd.Code, cmd.Version, strings.Join(fields, "\n"), cmd.Body)
	}
	f.Fuzz(func(t *testing.T, code, version int32, fields string, body []byte) {
		cmd := &remoting.Command{Code: code, Version: version, Body: body}
		for line := range strings.SplitSeq(fields, "\n") {
			key, value, _ := strings.Cut(line, "=")
			cmd.Fields.Set(key, value)
		}
		state, err := embedded.NewState(embedded.Config{MaxBytes: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		now := time.Unix(1_700_000_000, 0)
		state.StartBroker(now, brokerA, addrA)
		state.Broker(brokerA).SetQueues("orders", 4, 4)
		for i := range int32(20) {
			if _, err := state.Broker(brokerA).Put("orders", i%4, []byte("body")); err != nil {
				t.Fatal(err)
			}
		}
		p := &deafPeer{tb: t, id: 1}
		state.Handle(now, "", p, cmd)
		for range 2 { // what one leaves behind, the second meets
			state.Handle(now, brokerA, p, cmd)
			now = now.Add(time.Minute)
			state.Advance(now)
		}
		state.Advance(now.Add(25 * time.Hour))
		if p.answers != 3 {
			t.Errorf("%d answers to three requests of code %d", p.answers, cmd.Code)
		}
		state.Closed(now, brokerA, p)
		state.Closed(now, "", p)
		if state.Broker(brokerA).Store.Bytes() > 1<<20 {
			t.Errorf("%d bytes kept", state.Broker(brokerA).Store.Bytes())
		}
	})
}
