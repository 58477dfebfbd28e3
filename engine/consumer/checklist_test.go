package consumer_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/consume"
	"mqscope/engine/embedded"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

// TestS2WhatAnAnswerAddsToItsMessages: a listener sees the broker, the bounds of the queue and
// the transaction id beside what is stored (Java: PullAPIWrapper.processPullResult).
func TestS2WhatAnAnswerAddsToItsMessages(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		w.on("broker-a", func(b *embedded.Broker) {
			for _, tran := range []string{"", "true", "TRUE", "false", "1"} {
				props := []protocol.Property{{Name: mq.PropertyUniqueKey, Value: "key of " + tran}, {Name: mq.PropertyMaxOffset, Value: "77"}}
				if tran != "" {
					props = append(props, protocol.Property{Name: mq.PropertyTransaction, Value: tran})
				}
				if _, err := b.Put(topic, 0, []byte(tran), props...); err != nil {
					t.Error(err)
				}
			}
		})
		var seen []string
		var kept mq.Message
		member := w.join("192.0.2.10@me", func(_ context.Context, m mq.Message, _ *consume.Context) consume.Status {
			low, _ := m.Property(mq.PropertyMinOffset)
			high, _ := m.Property("MAX_OFFSET")
			seen = append(seen, fmt.Sprintf("%s@%s [%s,%s) %q", m.Body(), m.Batch().BrokerName, low, high, m.TransactionID()))
			kept = m.Clone()
			return consume.Success
		}, oneThread)
		member.after(5 * time.Second)
		want := []string{
			`@broker-a [0,5) ""`, `true@broker-a [0,5) "key of true"`, `TRUE@broker-a [0,5) "key of TRUE"`,
			`false@broker-a [0,5) ""`, `1@broker-a [0,5) ""`,
		}
		if diff := cmp.Diff(want, seen); diff != "" {
			t.Errorf("seen (-want +got):\n%s", diff)
		}
		if high, _ := kept.Property(mq.PropertyMaxOffset); high != "5" {
			t.Errorf("a message that was kept says %q", high)
		}
	})
}
