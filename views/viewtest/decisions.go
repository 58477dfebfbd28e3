package viewtest

import (
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/snapshot"
)

// turn are the lines of one pull request's turn, much like those of the engine.
type turn struct {
	take, dropped, stamp, running, paused, count, size, span, send, pass *decision.Line
}

func lines() turn {
	number := func(names ...string) (out []decision.Value) {
		for _, n := range names {
			out = append(out, decision.Value{Name: n})
		}
		return out
	}
	ask := func(id, words string, values ...decision.Value) *decision.Line {
		return &decision.Line{ID: id, Group: decision.Pull, Words: words, Asks: true, Values: values}
	}
	return turn{
		take:    &decision.Line{ID: "pull.take", Group: decision.Pull, Words: "take {task} from ready"},
		dropped: ask("pull.dropped", "queue dropped"),
		stamp:   &decision.Line{ID: "pull.stamp", Group: decision.Pull, Words: "last pull of {queue} := now"},
		running: ask("pull.running", "consumer running"),
		paused:  ask("pull.paused", "paused"),
		count:   ask("flow.count", "count {count} > {limit}", number("count", "limit")...),
		size: ask("flow.size", "bytes {size} > {limit}", decision.Value{Name: "size", Kind: decision.MiB},
			decision.Value{Name: "limit", Kind: decision.MiB}),
		span: ask("flow.span", "span {span} > {limit}", number("span", "limit")...),
		send: &decision.Line{ID: "pull.send", Group: decision.Pull, Words: "send PULL from {from} max {max}, suspend {suspend}",
			Values: []decision.Value{{Name: "from", Kind: decision.Offset}, {Name: "max"}, {Name: "suspend", Kind: decision.Duration}}},
		pass: &decision.Line{ID: "rebalance.pass", Group: decision.Rebalance, Words: "rebalance {topic}: {all} queues, {members} members, {mine} for us",
			Values: number("all", "members", "mine"), Text: "topic"},
	}
}

// teller makes decisions one after the other.
type teller struct {
	at   time.Time
	task uint64
	q    snapshot.MessageQueue
	step uint64
	out  []snapshot.TraceLine
}

func (t *teller) tell(l *decision.Line, yes bool, then decision.Then, n ...int64) *decision.Decision {
	t.step++
	d := decision.Decision{Line: l, At: t.at, Member: "10.1.0.7@3312", Queue: t.q, Task: t.task, Yes: yes, Then: then}
	copy(d.N[:], n)
	t.out = append(t.out, snapshot.TraceLine{Step: t.step, Decision: d})
	return &t.out[len(t.out)-1].Decision
}

// pull is a turn that sends a pull, or one that the span puts back.
func (t *teller) pull(next, span int64, upTo int) {
	l, then := lines(), decision.Then{}
	if span > 2000 {
		then = decision.Then{Do: decision.PutBack, Delay: 50 * time.Millisecond, Why: "flow:span"}
	}
	steps := []func(){
		func() { t.tell(l.take, false, decision.Then{}) },
		func() { t.tell(l.dropped, false, decision.Then{}) },
		func() { t.tell(l.stamp, false, decision.Then{}) },
		func() { t.tell(l.running, true, decision.Then{}) },
		func() { t.tell(l.paused, false, decision.Then{}) },
		func() { t.tell(l.count, false, decision.Then{}, 37, 1000) },
		func() { t.tell(l.size, false, decision.Then{}, 0, 100) },
		func() { t.tell(l.span, span > 2000, then, span, 2000) },
		func() { t.tell(l.send, false, decision.Then{}, next, 32, int64(15*time.Second)) },
	}
	if span > 2000 {
		steps = steps[:8]
	}
	for _, f := range steps[:min(upTo, len(steps))] {
		f()
	}
}

// past are decisions of other turns, a rebalance among them, up to where the current turn
// begins.
func (t *teller) past(queues []snapshot.Queue) {
	topic := "order-created"
	if len(queues) > 0 {
		topic = queues[len(queues)/2].ID.Topic
	}
	t.tell(lines().pass, false, decision.Then{}, 8, 4, 4).Text = topic
	for i := range queues {
		t.task, t.q, t.at = uint64(i)+1, queues[i].ID, t.at.Add(37*time.Millisecond)
		t.pull(queues[i].Next.V, 12, 9)
	}
}
