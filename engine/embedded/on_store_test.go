package embedded_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/embedded"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

func TestOnStoreTellsWhereEachMessageWasStored(t *testing.T) {
	inBubble(t, embedded.Config{}, func(w *world) {
		w.createTopic(topicT, 2)
		c := w.client("c1")
		c.send(topicT, 1, "", "before")
		var got []string
		w.cluster.Inspect(func(s *embedded.State) {
			s.OnStore(func(broker string, m *protocol.StoredMessage) {
				got = append(got, fmt.Sprintf("%s %s/%d/%d %q", broker, m.Topic, m.QueueID, m.QueueOffset, m.Body))
			})
		})
		c.send(topicT, 1, "", "now")
		w.cluster.Inspect(func(s *embedded.State) {
			_, err := s.Broker(brokerA).Put(topicT, 0, []byte("later"), protocol.Property{Name: mq.PropertyDelayLevel, Value: "1"})
			if err != nil {
				t.Error(err)
			}
		})
		time.Sleep(2 * time.Second)
		w.cluster.Inspect(func(*embedded.State) {}) // what the loop wrote is seen
		want := []string{
			`broker-a TopicT/1/1 "now"`,
			`broker-a SCHEDULE_TOPIC_XXXX/0/0 "later"`,
			`broker-a TopicT/0/0 "later"`,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
