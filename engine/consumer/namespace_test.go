package consumer_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"mqscope/engine/client"
	"mqscope/engine/consume"
	"mqscope/engine/consumer"
	"mqscope/engine/mq"
)

// TestP31ANamespaceHoldsNothingUp: a topic and the retry topic of a group in a namespace are
// consumed, messages come back and go to the dead letters, and the application sees the names
// that it gave.
func TestP31ANamespaceHoldsNothingUp(t *testing.T) {
	const ns = "MQ_INST_1_x"
	inWorld(t, 1, func(w *world) {
		full, fullGroup := ns+"%"+topic, ns+"%"+group
		w.createTopic(full, 2)
		w.createTopic(ns+"%more", 1)
		var mu sync.Mutex
		topics := map[string]int{}
		times := map[string][]int32{}
		m := w.join("192.0.2.10@me", func(_ context.Context, m mq.Message, _ *consume.Context) consume.Status {
			mu.Lock()
			defer mu.Unlock()
			topics[m.Topic()]++
			body := string(m.Body())
			times[body] = append(times[body], m.ReconsumeTimes())
			switch {
			case body == "dies", body == "fails once" && m.ReconsumeTimes() == 0:
				return consume.ReconsumeLater
			}
			return consume.Success
		}, func(c *consumer.Config) { c.Namespace, c.MaxReconsume = ns, 2 })
		send := func(topic, body string) { w.sendOne(client.OutMessage{Topic: topic, Body: []byte(body)}) }
		for i := range 20 {
			send(full, fmt.Sprint("good ", i))
		}
		send(full, "fails once")
		send(full, "dies")
		m.after(2 * time.Minute)
		if err := m.push.Subscribe(consumer.Subscription{Topic: "more"}); err != nil {
			t.Fatal(err)
		}
		m.after(5 * time.Second)
		send(ns+"%more", "later")
		s := m.after(20 * time.Second)
		mu.Lock()
		defer mu.Unlock()
		if topics[topic] != 20+2+3 || topics["more"] != 1 || len(topics) != 2 {
			t.Errorf("deliveries by topic: %v, want 25 of %s and one of more", topics, topic)
		}
		if !slices.Equal(times["fails once"], []int32{0, 1}) || !slices.Equal(times["dies"], []int32{0, 1, 2}) {
			t.Errorf("reconsume times %v and %v", times["fails once"], times["dies"])
		}
		dead := mq.MessageQueue{Topic: mq.DeadLetterTopic(fullGroup), BrokerName: "broker-a"}
		if n := w.end(dead); n != 1 {
			t.Errorf("%d dead letters in %s, want 1", n, dead.Topic)
		}
		if s.Group.Name != fullGroup {
			t.Errorf("the group is %s, want %s", s.Group.Name, fullGroup)
		}
		for _, q := range s.Queues {
			if q.Mine && (!q.Lag.OK() || q.Lag.V != 0) {
				t.Errorf("%v: lag %+v", q.ID, q.Lag)
			}
		}
		if err := m.push.Unsubscribe("more"); err != nil {
			t.Fatal(err)
		}
		if s = m.after(time.Second); len(ownedOf(s, ns+"%more")) != 0 {
			t.Error("the topic was not left")
		}
	})
}

func TestNamesInANamespaceAreLeftAsTheyAre(t *testing.T) {
	c := consumer.Config{Namespace: "ns", Group: "ns%g", Subscriptions: []consumer.Subscription{{Topic: "t"}, {Topic: "ns%u"}, {Topic: "TBW102"}}}
	got := c.InNamespace().InNamespace()
	if got.Group != "ns%g" || got.Subscriptions[0].Topic != "ns%t" || got.Subscriptions[1].Topic != "ns%u" || got.Subscriptions[2].Topic != "TBW102" {
		t.Errorf("%+v", got)
	}
	if c.Subscriptions[0].Topic != "t" {
		t.Error("the caller's configuration was changed")
	}
}
