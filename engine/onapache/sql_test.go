package onapache_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"mqscope/engine"
	"mqscope/engine/apachetest"
	"mqscope/engine/consumer"
	"mqscope/engine/ondemand"
	"mqscope/engine/protocol"
	"mqscope/engine/snapshot"
)

// bySQL is a subscription of a topic by SQL92.
func bySQL(topic, expression string) func(*engine.Config) {
	return func(c *engine.Config) {
		c.Consumer.Subscriptions = []consumer.Subscription{{Topic: topic, Expression: expression, Type: protocol.ExpressionSQL92}}
	}
}

// TestApacheSelectsBySQL has a consumer of each kind select messages by their properties, which
// the broker does; then the broker has that switched off, and each says so.
func TestApacheSelectsBySQL(t *testing.T) {
	c := apachetest.Start(t, quickRetries())
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	const topic, count = "mqscope_sql", 200
	for i, price := range []int{3, 7} {
		_, err := c.Produce(ctx, apachetest.Load{
			Topic: topic, First: i * count / 2, Count: count / 2, Queues: 4, Batch: 8,
			Property: fmt.Sprint("price:", price), Keys: fmt.Sprint("price", price, "-"),
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	m := joinApache(t, c, topic+"_push", topic, "127.0.0.1@sql-push", success, bySQL(topic, "price > 5"))
	kinds := map[string]opener{"pull": ondemand.OpenPull, "scheduled": ondemand.OpenScheduled, "lite": ondemand.OpenLite}
	asked := map[string]*asking{}
	for name, open := range kinds {
		asked[name] = ask(t, c, open, topic+"_"+name, topic, "127.0.0.1@sql-"+name, bySQL(topic, "price BETWEEN 6 AND 8 AND TAGS IS NULL"))
	}
	m.until("all offsets committed", func(s *snapshot.Snapshot) bool { return committedAll(s, topic, 4, count) })
	m.mu.Lock()
	for key, n := range m.keys {
		if !strings.HasPrefix(key, "price7-") || n != 1 {
			t.Errorf("%s was delivered %d times", key, n)
		}
	}
	m.mu.Unlock()
	if m.distinct() != count/2 {
		t.Errorf("%d messages were delivered, want the %d that the expression selects", m.distinct(), count/2)
	}
	for name, a := range asked {
		s := a.until("all offsets committed", func(s *snapshot.Snapshot) bool { return committedAll(s, topic, 4, count) })
		if s.Counters.Received != count/2 {
			t.Errorf("%s: %d messages were received, want the %d that the expression selects", name, s.Counters.Received, count/2)
		}
	}

	configure(t, c, "enablePropertyFilter", "false", "true")
	const refused, remedy = "The broker does not support consumer to filter message by SQL92", "set enablePropertyFilter=true at the broker, or select by tags"
	says := func(s *snapshot.Snapshot) bool {
		return s.Source.State == snapshot.Failing && strings.Contains(s.Source.Err, refused) && strings.Contains(s.Source.Err, remedy)
	}
	joinApache(t, c, topic+"_off", topic, "127.0.0.1@sql-off", success, bySQL(topic, "price > 5")).until("the refusal at the start", says)
	for name, open := range kinds {
		ask(t, c, open, topic+"_off_"+name, topic, "127.0.0.1@sql-off-"+name, bySQL(topic, "price > 5")).until("the refusal at the start of "+name, says)
	}
	if _, err := c.Produce(ctx, apachetest.Load{Topic: topic, First: count, Count: 40, Queues: 4, Property: "price:7"}); err != nil {
		t.Fatal(err)
	}
	m.until("the refusal of pulls in the event stream", func(s *snapshot.Snapshot) bool { return tells(s, refused, remedy) })
	asked["pull"].until("the refusal of pulls in the event stream", func(s *snapshot.Snapshot) bool { return tells(s, refused, remedy) })
}
