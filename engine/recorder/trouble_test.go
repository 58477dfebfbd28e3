package recorder_test

import (
	"context"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine"
	"mqscope/engine/consume"
	"mqscope/engine/embedded"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/pull"
	"mqscope/engine/remoting"
)

// onBroker is the broker of the cluster, on its loop.
func (m *recordedMember) onBroker(fn func(b *embedded.Broker)) {
	m.cluster.Inspect(func(s *embedded.State) { fn(s.Broker("broker-a")) })
}

// savedBecause checks how often the box was saved, -1 is any, and why the last time.
func (m *recordedMember) savedBecause(to string, times int, words ...string) {
	m.t.Helper()
	saved := m.Snapshot().Recorder.Saved
	if n := len(recordings(m.t, to)); n != saved.Times || n != times && times >= 0 {
		m.t.Fatalf("%d saved, %+v, want %d:\n%s", n, saved, times, m.events())
	}
	for _, w := range words {
		if !strings.Contains(saved.Why, w) {
			m.t.Errorf("saved because of %q, want %q", saved.Why, w)
		}
	}
	if times != 0 && (saved.File == "" || filepath.Dir(saved.File) != to) {
		m.t.Errorf("saved to %q", saved.File)
	}
}

// TestAHungListenerSavesTheBlackBox: while it hangs, once, and once more when it hangs again after
// all was well.
func TestAHungListenerSavesTheBlackBox(t *testing.T) {
	for _, orderly := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var hold atomic.Pointer[chan struct{}]
			wait := func() {
				if on := hold.Load(); on != nil {
					<-*on
				}
			}
			m, to := boxed(t, func(c *engine.Config) {
				if c.Consumer.Orderly = orderly; orderly {
					c.Consumer.Listener = nil
					c.Consumer.OrderlyListener = func(context.Context, []mq.Message, *consume.OrderlyContext) consume.OrderlyStatus {
						wait()
						return consume.OrderlySuccess
					}
					return
				}
				c.Consumer.Listener = func(context.Context, []mq.Message, *consume.Context) consume.Status {
					wait()
					return consume.Success
				}
			})
			m.join()
			m.send(nil, bodies(40)...)
			time.Sleep(10 * time.Minute)
			m.savedBecause(to, 0)
			for i := range 2 {
				hang := make(chan struct{})
				hold.Store(&hang)
				m.send(nil, "held")
				time.Sleep(55 * time.Second)
				m.savedBecause(to, i)
				time.Sleep(15 * time.Second)
				m.savedBecause(to, i+1, "orders/broker-a/", "a listener has offset ", " for 1m")
				time.Sleep(10 * time.Minute)
				m.savedBecause(to, i+1)
				m.says("warn orders/broker-a/", ": black box saved to "+to)
				hold.Store(nil)
				close(hang)
				time.Sleep(6 * time.Minute)
			}
			if err := m.leave(); err != nil {
				t.Error(err)
			}
			if saved := m.Recorded().Saved; saved.Times != 2 {
				t.Errorf("in the end %+v", saved)
			}
		})
	}
}

// TestATroubleSavesTheBlackBox: of each kind that is found by looking at a member of a real group.
func TestATroubleSavesTheBlackBox(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(c *engine.Config)
		begins func(m *recordedMember)
		within time.Duration
		times  int
		says   string
	}{
		{
			"a slow listener, and flow control", func(c *engine.Config) {
				c.Consumer.Pull.Limits, c.Consumer.Threads = pull.Limits{CountPerQueue: 5}, 1
				c.Consumer.Listener = func(ctx context.Context, _ []mq.Message, _ *consume.Context) consume.Status {
					time.Sleep(2 * time.Second)
					return consume.Success
				}
			},
			func(m *recordedMember) { m.send(nil, bodies(300)...) }, 3 * time.Minute, -1, "flow control (count) has let no pull pass for 1m",
		},
		{
			"a lock that is refused", inOrder,
			func(m *recordedMember) {
				m.cluster.Intercept(int32(protocol.LockBatchMQ), func(*embedded.Request) embedded.Verdict {
					return embedded.Edit(func(resp *remoting.Command) { resp.Body = []byte(`{"lockOKMQSet":[]}`) })
				})
			},
			time.Minute, 1, "its lock is lost, the broker refuses it",
		},
		{
			"a lock that is not renewed", inOrder,
			func(m *recordedMember) {
				m.cluster.Intercept(int32(protocol.LockBatchMQ), func(*embedded.Request) embedded.Verdict {
					return embedded.Fail(protocol.SystemError, "no")
				})
			},
			time.Minute, 1, "its lock was not renewed for 3",
		},
		{
			"an offset that is reset", nil,
			func(m *recordedMember) {
				m.onBroker(func(b *embedded.Broker) {
					b.TellMembers("billing", protocol.ResetConsumerClientOffset,
						&protocol.ResetOffsetRequest{Topic: recordedTopic, Group: "billing", QueueID: -1, Timestamp: -1},
						protocol.ResetOffsetBody{OffsetTable: map[mq.MessageQueue]int64{{Topic: recordedTopic, BrokerName: "broker-a", QueueID: 1}: 2}}.Encode())
				})
			},
			time.Minute, 1, "orders/broker-a/1: its committed offset went back from 10 to 2",
		},
		{
			"a broker that is away for long", nil,
			func(m *recordedMember) {
				if err := m.cluster.StopBroker("broker-a"); err != nil {
					m.t.Error(err)
				}
			},
			40 * time.Second, 1, "no connection to broker broker-a for 3",
		},
		{
			"name servers that are away for long", nil,
			func(m *recordedMember) { m.cluster.StopNameServer() },
			2 * time.Minute, 1, "no connection to any name server for 3",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m, to := boxed(t, tt.change)
				m.join()
				m.send(nil, bodies(40)...)
				time.Sleep(30 * time.Second)
				m.savedBecause(to, 0)
				tt.begins(m)
				time.Sleep(tt.within)
				m.savedBecause(to, tt.times, tt.says)
				_ = m.leave() // of some brokers it can not take leave
			})
		})
	}
}

func inOrder(c *engine.Config) {
	c.Consumer.Orderly, c.Consumer.Listener = true, nil
	c.Consumer.OrderlyListener = func(context.Context, []mq.Message, *consume.OrderlyContext) consume.OrderlyStatus {
		return consume.OrderlySuccess
	}
}
