package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mqscope/engine/client"
	"mqscope/engine/clock"
)

const (
	demoProducerID = "192.0.2.20@shop"
	tagPaid        = "PAID"
	tagFailing     = "CARD_DECLINED"

	// producerTick is how often the producer sends a handful of messages.
	producerTick = 100 * time.Millisecond
	// The slow queue gets burstSize messages in a row at the start of every burstEvery: more
	// than its limit, so that flow control trips, is seen, and lets go again.
	burstEvery = 40 * time.Second
	burstSize  = 150
)

// produce sends the demo's messages until ctx ends. What is sent depends on the seed only.
func (d *Demo) produce(ctx context.Context) error {
	cfg := Config{
		NameServers: []string{demoNameServer}, ClientID: demoProducerID, Dial: d.cfg.Dial,
		Clock: d.cfg.Clock, Rand: d.cfg.rand("producer client"), Log: d.cfg.Log,
	}
	instance, err := cfg.newInstance()
	if err != nil {
		return err
	}
	return instance.RunAround(ctx, func(ctx context.Context) error { return d.shop(ctx, instance) })
}

func (d *Demo) shop(ctx context.Context, instance *client.Instance) error {
	chance := d.cfg.rand("orders")
	perBurst := int(burstEvery / producerTick)
	for tick, order := 0, 0; ; tick++ {
		n := 2 + chance.IntN(4)
		for range n {
			order++
			m := client.OutMessage{
				Topic: demoOrders, Tags: tagPaid, Keys: fmt.Sprintf("ord-%06d", order),
				Body: fmt.Appendf(nil, `{"order":%d,"amount":%d.%02d}`, order, chance.IntN(500), chance.IntN(100)),
			}
			switch chance.IntN(60) {
			case 0:
				m.Tags = tagFailing
			case 1, 2, 3:
				m.Topic, m.Tags = demoRefunds, "REFUND"
			}
			if err := send(ctx, instance, m); err != nil {
				return err
			}
		}
		if tick%perBurst == 15 {
			if err := d.burst(ctx, instance); err != nil {
				return err
			}
		}
		if err := clock.Sleep(ctx, d.cfg.Clock, producerTick); err != nil {
			return err
		}
	}
}

func (d *Demo) burst(ctx context.Context, instance *client.Instance) error {
	for i := range burstSize {
		m := client.OutMessage{Topic: demoOrders, Tags: tagPaid, Keys: fmt.Sprintf("bulk-%03d", i), Queue: demoSlowest(), Body: []byte(`{"bulk":true}`)}
		if err := send(ctx, instance, m); err != nil {
			return err
		}
	}
	return nil
}

// send sends m; that one message of a demo did not arrive is no reason to end it.
func send(ctx context.Context, instance *client.Instance, m client.OutMessage) error {
	_, err := instance.Send(ctx, m)
	if errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}
