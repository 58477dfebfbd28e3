package consumer_test

import (
	"context"
	"fmt"
	"time"

	"mqscope/engine/client"
	"mqscope/engine/consume"
	"mqscope/engine/mq"
	"mqscope/engine/remoting"
)

// inOrder is a listener that succeeds after d.
func inOrder(d time.Duration) ordered {
	return func(context.Context, []mq.Message, *consume.OrderlyContext) consume.OrderlyStatus {
		time.Sleep(d)
		return consume.OrderlySuccess
	}
}

// locker is a client of the group that is no member, to take locks away.
func (w *world) locker(id string) *client.Instance {
	i := w.instance(id, w.net.Dial)
	go func() { _ = i.Run(w.ctx) }()
	<-i.Ready()
	return i
}

func (w *world) take(i *client.Instance, queues ...mq.MessageQueue) []mq.MessageQueue {
	w.t.Helper()
	got, err := i.LockBatch(w.ctx, group, queues[0].BrokerName, queues)
	if err != nil {
		w.t.Fatal(fmt.Errorf("take locks: %w", err))
	}
	return got
}

func seq(from, to int64) []int64 {
	list := []int64{}
	for off := from; off < to; off++ {
		list = append(list, off)
	}
	return list
}

type remotingCommand = remoting.Command

func command(body []byte) *remoting.Command { return &remoting.Command{Body: body} }
