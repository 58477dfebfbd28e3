package scenario

import (
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/pull"
	"mqscope/engine/sim"
	"mqscope/engine/step"
)

// demo is the world of `mqscope demo` on virtual time: two brokers, a slow queue that trips flow
// control, messages that fail twice, and a member that comes and goes.
func demo(name, title string, orderly bool) *Scenario {
	slow := queue(orders, 1)
	return &Scenario{
		Name: name, Title: title,
		Config: func(seed uint64) sim.Config {
			cfg := sim.Config{
				Seed: seed, Group: group, Brokers: []string{"broker-a", "broker-b"}, Others: []string{second, third},
				Topics: []sim.Topic{{Name: orders, Queues: 4}, {Name: "refunds", Queues: 2}},
				// Worlds that are kept on the way shall not fill the computer in a long run.
				MaxBytes:    8 << 20,
				DelayLevels: "1s 2s 3s 4s 6s 10s 15s 20s 30s 1m",
				Handler: func(a sim.Attempt) sim.Work {
					w := sim.Work{Takes: 5*time.Millisecond + time.Duration(a.Offset%7)*time.Millisecond}
					if a.Queue == slow {
						w.Takes = 1500 * time.Millisecond
					}
					w.Fails = a.Tags == "CARD_DECLINED" && a.Times < 2
					return w
				},
				Script: func(w *sim.World) { playDemo(w, slow) },
			}
			cfg.Consumer.Orderly = orderly
			cfg.Consumer.From, cfg.Consumer.Threads = mq.FromFirstOffset, 20
			cfg.Consumer.Pull.Limits = pull.Limits{CountPerQueue: 60}
			return cfg
		},
	}
}

// playDemo is the script: what is sent, and who comes and goes.
func playDemo(w *sim.World, slow mq.MessageQueue) {
	const tick = 100 * time.Millisecond
	chance := w.Rand("orders")
	for n := 0; ; n++ {
		for range 2 + chance.IntN(4) {
			switch chance.IntN(60) {
			case 0:
				w.SendTagged(mq.MessageQueue{Topic: orders}, "CARD_DECLINED", 1)
			case 1, 2, 3:
				w.SendTagged(mq.MessageQueue{Topic: "refunds"}, "REFUND", 1)
			default:
				w.SendTagged(mq.MessageQueue{Topic: orders}, "PAID", 1)
			}
		}
		switch n % 400 {
		case 15:
			w.SendTagged(slow, "PAID", 150)
		case 140:
			quietly(w.Change(step.MemberLeaves{Name: third}))
		case 240:
			quietly(w.Change(step.MemberJoins{Name: third}))
		}
		w.Sleep(tick)
	}
}
