package client

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

func TestMemberInfo(t *testing.T) {
	tells := func(version string) handler {
		return func(*remoting.Command) *remoting.Command {
			return &remoting.Command{Body: protocol.ConsumerRunningInfo{Properties: map[string]string{protocol.PropClientVersion: version}}.Encode()}
		}
	}
	offline := code(protocol.SystemError, "The Consumer <G> <m> not online")
	for _, tt := range []struct {
		name  string
		a, b  handler
		class Class
		took  time.Duration // at most
	}{
		{"both brokers know it", tells("V"), tells("V"), OK, 0},
		{"one broker does not know it", offline, tells("V"), OK, 0},
		{"nobody knows it", offline, offline, Failed, 0},
		{"it does not answer the broker", code(protocol.ConsumeMsgTimeout, "timeout"), code(protocol.ConsumeMsgTimeout, "timeout"), Failed, 0},
		{"the brokers are silent", silent, silent, Lost, memberInfoWithin},
		{"what it tells makes no sense", func(*remoting.Command) *remoting.Command {
			return &remoting.Command{Body: []byte(`[`)}
		}, func(*remoting.Command) *remoting.Command { return &remoting.Command{Body: []byte(`[`)} }, Broken, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(w *world) {
				_, a, b := w.twoBrokers()
				a.answer(protocol.GetConsumerRunningInfo, tt.a)
				b.answer(protocol.GetConsumerRunningInfo, tt.b)
				i, _ := w.joined()
				synctest.Wait()
				for range 6 { // whichever broker comes first
					begin := time.Now()
					info, err := i.MemberInfo(w.ctx, "T", "G", "m")
					if Classify(err) != tt.class || time.Since(begin) > tt.took {
						t.Errorf("error is %v of class %v after %v, want %v after %v", err, Classify(err), time.Since(begin), tt.class, tt.took)
					}
					if err == nil && info.Properties[protocol.PropClientVersion] != "V" {
						t.Errorf("told %v", info.Properties)
					}
					if err != nil && !strings.Contains(err.Error(), "running info of m") {
						t.Errorf("the error does not say what was asked: %v", err)
					}
				}
				for _, req := range append(a.got(protocol.GetConsumerRunningInfo), b.got(protocol.GetConsumerRunningInfo)...) {
					h := decode[protocol.GetConsumerRunningInfoRequest](t, req)
					if h.ConsumerGroup != "G" || h.ClientID != "m" || h.StackEnable {
						t.Errorf("header is %+v", h)
					}
				}
			})
		})
	}
}

// TestASilentMemberIsAskedThroughOneBroker: each further question would hold it up more.
func TestASilentMemberIsAskedThroughOneBroker(t *testing.T) {
	bubble(t, func(w *world) {
		_, a, b := w.twoBrokers()
		for _, s := range []*fake{a, b} {
			s.answer(protocol.GetConsumerRunningInfo, code(protocol.ConsumeMsgTimeout, "timeout"))
		}
		i, _ := w.joined()
		synctest.Wait()
		if _, err := i.MemberInfo(w.ctx, "T", "G", "m"); err == nil {
			t.Error("a silent member has told something")
		}
		if n := len(a.got(protocol.GetConsumerRunningInfo)) + len(b.got(protocol.GetConsumerRunningInfo)); n != 1 {
			t.Errorf("it was asked %d times", n)
		}
	})
}

func TestGroupConnection(t *testing.T) {
	there := func(*remoting.Command) *remoting.Command {
		return &remoting.Command{Body: protocol.ConsumerConnection{
			Connections:       []protocol.Connection{{ClientID: "m", Language: "JAVA"}},
			SubscriptionTable: map[string]protocol.SubscriptionData{"T": {Topic: "T", SubString: "A", ExpressionType: "TAG"}},
		}.Encode()}
	}
	bubble(t, func(w *world) {
		_, a, b := w.twoBrokers()
		i, _ := w.joined()
		synctest.Wait()
		for _, tt := range []struct {
			name  string
			a, b  handler
			class Class
		}{
			{"who is there", there, there, OK},
			{"one broker is silent", silent, there, OK},
			{"nobody is there", code(protocol.ConsumerNotOnline, "not online"), code(protocol.ConsumerNotOnline, "not online"), Missing},
			{"nonsense", code(protocol.Success, ""), code(protocol.Success, ""), Broken},
		} {
			a.answer(protocol.GetConsumerConnectionList, tt.a)
			b.answer(protocol.GetConsumerConnectionList, tt.b)
			for range 4 {
				c, err := i.GroupConnection(w.ctx, "T", "G")
				if Classify(err) != tt.class {
					t.Errorf("%s: error is %v of class %v, want %v", tt.name, err, Classify(err), tt.class)
				}
				if err == nil && (len(c.Connections) != 1 || c.SubscriptionTable["T"].SubString != "A") {
					t.Errorf("%s: got %+v", tt.name, c)
				}
			}
		}
		if h := decode[protocol.GetConsumerConnectionListRequest](t, a.got(protocol.GetConsumerConnectionList)[0]); h.ConsumerGroup != "G" {
			t.Errorf("header is %+v", h)
		}
	})
}
