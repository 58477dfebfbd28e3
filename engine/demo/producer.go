package demo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mqscope/engine"
	"mqscope/engine/clock"
)

const (
	producerID = "192.0.2.20@shop"
	tagPaid    = "PAID"
	tagFailing = "CARD_DECLINED"

	// producerTick is how often the producer sends a handful of messages.
	producerTick = 100 * time.Millisecond
	// The slow queue gets burstSize messages in a row at the start of every burstEvery: more
	// than its limit, so that flow control trips, is seen, and lets go again.
	burstEvery = 40 * time.Second
	burstSize  = 150
)

// produce sends the demo's messages until ctx ends. What is sent depends on the seed only.
func (d *Demo) produce(ctx context.Context) error {
	producer, err := engine.OpenProducer(d.client(producerID))
	if err != nil {
		return err
	}
	return producer.Run(ctx, d.shop)
}

func (d *Demo) shop(ctx context.Context, send engine.SendFunc) error {
	chance := d.cfg.rand("orders")
	perBurst := int(burstEvery / producerTick)
	for tick, order := 0, 0; ; tick++ {
		n := 2 + chance.IntN(4)
		for range n {
			order++
			m := engine.OutMessage{
				Topic: orders, Tags: tagPaid, Keys: fmt.Sprintf("ord-%06d", order),
				Body: fmt.Appendf(nil, `{"order":%d,"amount":%d.%02d}`, order, chance.IntN(500), chance.IntN(100)),
			}
			switch chance.IntN(60) {
			case 0:
				m.Tags = tagFailing
			case 1, 2, 3:
				m.Topic, m.Tags = refunds, "REFUND"
			}
			if err := sent(send(ctx, m)); err != nil {
				return err
			}
		}
		if tick%perBurst == 15 {
			if err := d.burst(ctx, send); err != nil {
				return err
			}
		}
		if err := clock.Sleep(ctx, d.cfg.Clock, producerTick); err != nil {
			return err
		}
	}
}

func (d *Demo) burst(ctx context.Context, send engine.SendFunc) error {
	for i := range burstSize {
		m := engine.OutMessage{Topic: orders, Tags: tagPaid, Keys: fmt.Sprintf("bulk-%03d", i), Queue: slowest(), Body: []byte(`{"bulk":true}`)}
		if err := sent(send(ctx, m)); err != nil {
			return err
		}
	}
	return nil
}

// sent passes on that the demo ends; that one message of it did not arrive is no reason to end.
func sent(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}
