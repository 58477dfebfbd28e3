package sim

import (
	"bytes"
	"context"
	"fmt"

	"mqscope/engine/client"
	"mqscope/engine/clock"
	"mqscope/engine/embedded"
	"mqscope/engine/mq"
)

// shopID is the client id of the producer.
const shopID = "192.0.2.20@shop"

// producer sends messages into the world.
type producer struct {
	world    *World
	instance *client.Instance
	sent     int
}

func newProducer(w *World) (*producer, error) {
	instance, err := w.newInstance(shopID)
	if err != nil {
		return nil, err
	}
	w.stage.Go("producer", func() {
		w.fail("producer", instance.RunAround(w.ctx, func(ctx context.Context) error {
			clock.Wait(ctx, w.stage, clock.Waits{})
			return nil
		}))
	})
	return &producer{world: w, instance: instance}, nil
}

const defaultBody = 64

// body is what a message says.
func (p *producer) body(topic string) []byte {
	size := defaultBody
	for _, t := range p.world.cfg.Topics {
		if t.Name == topic && t.Body > 0 {
			size = t.Body
		}
	}
	p.sent++
	text := fmt.Appendf(nil, `{"order":%d}`, p.sent)
	return append(text, bytes.Repeat([]byte{' '}, max(0, size-len(text)))...)
}

// send has n messages sent, one after the other, in a turn of their own. A queue without a
// broker name stands for any of the topic. What a broker does not take is not sent again.
func (p *producer) send(topic, tags string, q mq.MessageQueue, n int) {
	p.world.stage.Go("send", func() {
		for range n {
			_, _ = p.instance.Send(p.world.ctx, client.OutMessage{Topic: topic, Tags: tags, Queue: q, Body: p.body(topic)})
		}
	})
}

// Send has n messages sent to a queue.
func (w *World) Send(q mq.MessageQueue, n int) { w.shop.send(q.Topic, "", q, n) }

// SendTagged is Send with a tag.
func (w *World) SendTagged(q mq.MessageQueue, tags string, n int) {
	w.shop.send(q.Topic, tags, q, n)
}

// stock stores the messages that are there from the start.
func (w *World) stock() {
	w.cluster.Inspect(func(s *embedded.State) {
		for _, t := range w.cfg.Topics {
			for _, b := range s.Brokers() {
				for queue := range t.Queues {
					for range t.Stored {
						w.store(b, t, int32(queue))
					}
				}
			}
		}
	})
}

func (w *World) store(b *embedded.Broker, t Topic, queue int32) {
	_, err := b.Put(t.Name, queue, w.shop.body(t.Name))
	w.fail("store a message", err)
}
