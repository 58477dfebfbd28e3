package consumer

import (
	"context"
	"strings"
	"testing"

	"mqscope/engine/clock"
	"mqscope/engine/consume"
	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

// TestACheckTellsWhatIsBroken, between the events of a pass, and what it reads is on no tape.
func TestACheckTellsWhatIsBroken(t *testing.T) {
	cfg := Config{
		Group: "billing", ClientID: "192.0.2.1@check", Clock: clock.System{}, Subscriptions: []Subscription{{Topic: "orders"}},
		Listener: func(context.Context, []mq.Message, *consume.Context) consume.Status { return consume.Success },
	}
	cfg.setDefaults()
	l, err := newLoop(&cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := &Push{cfg: cfg, loop: l}
	var told [][]snapshot.Breach
	ask := func() []snapshot.Breach {
		t.Helper()
		before := len(told)
		p.Check(func(b []snapshot.Breach) { told = append(told, b) })
		l.checked()
		l.checked() // answered already
		if len(told) != before+1 || len(l.in.taken.Reads) > 0 {
			t.Fatalf("%d answers, %d bytes read", len(told)-before, len(l.in.taken.Reads))
		}
		return told[before]
	}
	if b := ask(); len(b) > 0 {
		t.Errorf("nothing is there, and broken is %v", b)
	}
	q := mq.MessageQueue{Topic: "orders", BrokerName: "a"}
	o := newOwned(event.QueueAssigned{Queue: q, Epoch: 1})
	o.pq.in = l.in
	l.in.recording.Store(true)
	l.queues[q], l.order, l.running = o, []mq.MessageQueue{q}, true
	if b := ask(); len(b) != 1 || b[0].ID != "I13" || !strings.Contains(b[0].What, "no task for orders/a/0, which is ours") {
		t.Errorf("a queue without a task: %v", b)
	}
}
