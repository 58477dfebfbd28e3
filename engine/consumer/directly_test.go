package consumer_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine/consume"
	"mqscope/engine/consumer"
	"mqscope/engine/embedded"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
	"mqscope/engine/snapshot"
)

// stored is the message at an offset of the first queue, as a tool found it.
func (w *world) stored(offset int64) (m mq.Message) {
	w.t.Helper()
	w.on("broker-a", func(b *embedded.Broker) {
		var ok bool
		if m, ok = b.Message(topic, 0, offset); !ok {
			w.t.Errorf("no message at %d", offset)
		}
	})
	return m
}

// onRequest is a listener that does fn with messages it has had before, which is those that
// come on request when nothing is delivered twice.
func onRequest(fn listen) listen {
	var mu sync.Mutex
	had := map[int64]bool{}
	return func(ctx context.Context, m mq.Message, c *consume.Context) consume.Status {
		mu.Lock()
		again := had[m.QueueOffset()]
		had[m.QueueOffset()] = true
		mu.Unlock()
		if again {
			return fn(ctx, m, c)
		}
		return consume.Success
	}
}

func TestAMessageIsConsumedDirectly(t *testing.T) {
	for _, c := range []struct {
		name   string
		fn     listen
		kind   string
		remark string
	}{
		{"success", takes(20 * time.Millisecond), protocol.ResultSuccess, ""},
		{"later", func(context.Context, mq.Message, *consume.Context) consume.Status {
			time.Sleep(20 * time.Millisecond)
			return consume.ReconsumeLater
		}, protocol.ResultLater, ""},
		{"a status that there is not", func(context.Context, mq.Message, *consume.Context) consume.Status {
			time.Sleep(20 * time.Millisecond)
			return 99
		}, protocol.ResultReturnNull, ""},
		{"a panic", func(context.Context, mq.Message, *consume.Context) consume.Status {
			time.Sleep(20 * time.Millisecond)
			panic(strings.Repeat("no! ", 1000))
		}, protocol.ResultThrowException, "the listener panicked: no! no!"},
		{"the end of the goroutine", func(context.Context, mq.Message, *consume.Context) consume.Status {
			time.Sleep(20 * time.Millisecond)
			runtime.Goexit()
			return consume.Success
		}, protocol.ResultThrowException, "the listener ended its goroutine"},
	} {
		inWorld(t, 1, func(w *world) {
			w.createTopic(topic, 1)
			m := w.join("192.0.2.10@me", onRequest(c.fn))
			w.sendTo(first, 5)
			before := m.after(10 * time.Second)
			commits := w.record(protocol.UpdateConsumerOffset, protocol.ConsumerSendMsgBack)
			r, resp := w.admin().directly(m.id, w.stored(2))
			if r.ConsumeResult != c.kind || r.Order || !r.AutoCommit || r.SpentMillis != 20 || !strings.HasPrefix(r.Remark, c.remark) || len(r.Remark) > 1024 {
				t.Errorf("%s: %s", c.name, resp.Body)
			}
			if c.remark == "" && r.Remark != "" {
				t.Errorf("%s: remark %q", c.name, r.Remark)
			}
			s := m.after(2 * time.Minute)
			if repeated(m) != 1 || s.Counters.Consumed != before.Counters.Consumed || s.Counters.SentBack != 0 {
				t.Errorf("%s: %d more deliveries, counters %+v, want one that counts nowhere", c.name, repeated(m), s.Counters)
			}
			if list := commits.all(func(r request) bool {
				return r.Queue == first && r.Commit != 5 || r.Code == protocol.ConsumerSendMsgBack
			}); len(list) != 0 {
				t.Errorf("%s: brokers were told %v", c.name, list)
			}
			if len(told(s, "had offset 2", c.kind)) != 1 {
				t.Errorf("%s: no event tells of it:\n%s", c.name, texts(s))
			}
			m.caughtUp(s, 1)
		})
	}
}

func TestAMessageThatHangsOnRequestHoldsUpNothing(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		release := make(chan struct{})
		m := w.join("192.0.2.10@me", onRequest(func(context.Context, mq.Message, *consume.Context) consume.Status {
			<-release // whatever the context says
			return consume.Success
		}))
		w.sendTo(first, 6)
		m.after(10 * time.Second)
		a := w.admin()
		answers := make(chan *remoting.Command, 10)
		for range 4 {
			go func() {
				resp, err := a.try(protocol.ConsumeMessageDirectly, directly(m.id, w.stored(2)))
				if err != nil {
					resp = &remoting.Command{Remark: err.Error()}
				}
				answers <- resp
			}()
		}
		synctest.Wait()
		if _, resp := a.directly(m.id, w.stored(3)); resp.Code != int32(protocol.SystemBusy) || !strings.Contains(resp.Remark, "4 messages") {
			t.Errorf("a fifth one was answered with %d %q, want SYSTEM_BUSY", resp.Code, resp.Remark)
		}
		start := time.Now()
		for range 4 {
			if resp := <-answers; resp.Code != int32(protocol.ConsumeMsgTimeout) || !strings.Contains(resp.Remark, "still has the message") {
				t.Errorf("answered %d %q", resp.Code, resp.Remark)
			}
		}
		if took := time.Since(start); took != 9*time.Second {
			t.Errorf("answered after %v, want 9 s: brokers wait for 10", took)
		}
		w.sendTo(first, 10)
		s := m.after(5 * time.Second)
		if distinct(m) != 16 {
			t.Errorf("%d messages were delivered meanwhile, want all 16", distinct(m))
		}
		m.caughtUp(s, 1)
		if e := told(s, "did not return in time"); len(e) == 0 || e[0].Level != snapshot.Error {
			t.Errorf("no event tells of it:\n%s", texts(s))
		}
		close(release)
		m.after(time.Second)
		if r, _ := a.directly(m.id, w.stored(5)); r.ConsumeResult != protocol.ResultSuccess {
			t.Errorf("after they returned: %+v", r)
		}
	})
}

func TestAMessageThatHangsOnRequestIsLeftBehindAtTheEnd(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		release := make(chan struct{})
		defer close(release)
		m := w.join("192.0.2.10@me", onRequest(func(context.Context, mq.Message, *consume.Context) consume.Status {
			<-release
			return consume.Success
		}))
		w.sendTo(first, 3)
		m.after(10 * time.Second)
		a := w.admin()
		answered := make(chan struct{})
		go func() {
			defer close(answered)
			_, _ = a.try(protocol.ConsumeMessageDirectly, directly(m.id, w.stored(1)))
		}()
		m.after(2 * time.Second)
		err := m.end()
		if stuck, ok := errors.AsType[*consumer.StuckError](err); !ok || stuck.Calls != 1 || !strings.Contains(stuck.What, "offset 1 of topic orders") {
			t.Errorf("Run ended with %v, want a StuckError that names offset 1", err)
		}
		<-answered
		w.members = without(w.members, m)
	})
}

func TestListenersOnRequestSeeTheEndOfTheirMember(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		m := w.join("192.0.2.10@me", onRequest(func(ctx context.Context, _ mq.Message, _ *consume.Context) consume.Status {
			<-ctx.Done()
			return consume.ReconsumeLater
		}))
		w.sendTo(first, 3)
		m.after(10 * time.Second)
		a := w.admin()
		answered := make(chan struct{})
		go func() {
			defer close(answered)
			_, _ = a.try(protocol.ConsumeMessageDirectly, directly(m.id, w.stored(1)))
		}()
		m.after(time.Second)
		m.stop()
		<-answered
	})
}

func TestARetriedMessageIsConsumedDirectlyUnderItsTopic(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		var topics, queues []string
		m := w.join("192.0.2.10@me", func(_ context.Context, m mq.Message, c *consume.Context) consume.Status {
			topics, queues = append(topics, m.Topic()), append(queues, c.Queue.Topic+"@"+c.Queue.BrokerName)
			if len(topics) == 1 {
				return consume.ReconsumeLater
			}
			return consume.Success
		})
		w.sendTo(first, 1)
		m.after(time.Minute)
		var retried mq.Message
		w.on("broker-a", func(b *embedded.Broker) { retried, _ = b.Message(mq.RetryTopic(group), 0, 0) })
		if r, resp := w.admin().directly(m.id, retried); r.ConsumeResult != protocol.ResultSuccess {
			t.Fatalf("%d %q %s", resp.Code, resp.Remark, resp.Body)
		}
		if len(topics) != 3 || topics[2] != topic || queues[2] != mq.RetryTopic(group)+"@broker-a" {
			t.Errorf("deliveries of topics %v from %v", topics, queues)
		}
	})
}

func TestConsumingDirectlyCanBeRefused(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		m := w.join("192.0.2.10@me", nil, func(c *consumer.Config) { c.AllowBrokerRequests.Directly = consumer.Refused })
		w.sendTo(first, 1)
		m.after(10 * time.Second)
		a := w.admin()
		_, resp := a.directly(m.id, w.stored(0))
		if resp.Code != int32(protocol.NoPermission) || !strings.Contains(resp.Remark, "configuration") {
			t.Errorf("answered %d %q", resp.Code, resp.Remark)
		}
		s := m.after(time.Second)
		if repeated(m) != 0 || len(told(s, "had offset 0", "refused by configuration")) != 1 {
			t.Errorf("%d deliveries again:\n%s", repeated(m), texts(s))
		}
		resp = a.ask(protocol.ConsumeMessageDirectly, &protocol.ConsumeMessageDirectlyRequest{ConsumerGroup: "nobody", ClientID: m.id, MsgID: w.stored(0).OffsetID()})
		if resp.Code != int32(protocol.SystemError) {
			t.Errorf("an unknown group was answered with %d %q", resp.Code, resp.Remark)
		}
	})
}
