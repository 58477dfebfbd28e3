package ledger_test

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine/embedded"
	"mqscope/engine/ledger"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

// storm runs a plan: members consume while messages come and everything goes wrong, then
// faults end, everything is to be consumed, and the books are closed.
func storm(t *testing.T, p plan) (faults []ledger.Fault, report ledger.Report) {
	t.Helper()
	inRig(t, p, func(r *rig) {
		for _, name := range r.names { // connections that stay
			_, _ = r.producer.MaxOffset(r.ctx, mq.MessageQueue{Topic: topics[0], BrokerName: name})
		}
		synctest.Wait()
		before, heap := runtime.NumGoroutine(), r.heap()
		r.plant()
		for range p.members {
			r.join()
		}
		r.rage()
		r.heal()
		r.lists()
		r.drain()
		synctest.Wait()
		r.books.Said(time.Now(), r.pictures())
		r.stopAll()
		synctest.Wait()
		r.books.Back(time.Now(), "bytes", heap, r.heap(), 16<<20+8*int64(r.messages)) // the books grow
		r.books.Back(time.Now(), "goroutines", int64(before), r.goroutines(), 8)
		t.Logf("members and brokers: %v", r.did)
		faults, report = r.books.Verdict(time.Now())
	})
	return faults, report
}

// plant has brokers answer badly now and then, as long as the storm lasts.
func (r *rig) plant() {
	hook := func(on bool, code protocol.RequestCode, oneIn int, verdicts ...embedded.Verdict) {
		if !on {
			return
		}
		rng := r.rng(code.String())
		r.cluster.Intercept(int32(code), func(q *embedded.Request) embedded.Verdict {
			if q.Outgoing || r.calm.Load() || rng.IntN(oneIn) > 0 {
				return embedded.Pass
			}
			return verdicts[rng.IntN(len(verdicts))]
		})
	}
	busy := embedded.Fail(protocol.SystemBusy, "busy, as planned")
	broken := embedded.Fail(protocol.SystemError, "broken, as planned")
	hook(r.sendBacks, protocol.ConsumerSendMsgBack, 2, busy, broken, embedded.DropReply, embedded.CloseAfter)
	hook(r.sendBacks, protocol.SendMessageV2, 8, busy, embedded.CloseConn, embedded.DropReply)
	hook(r.questions, protocol.QueryConsumerOffset, 4, busy, broken, embedded.Drop, embedded.CloseConn)
	hook(r.questions, protocol.GetConsumerListByGroup, 6, broken, embedded.Drop)
	hook(r.answers, protocol.PullMessage, 40, busy, broken, embedded.CloseConn, embedded.CloseAfter, embedded.DelayReply(3*time.Second))
	hook(r.answers, protocol.HeartBeat, 10, broken, embedded.CloseConn)
	hook(r.commitsLost, protocol.UpdateConsumerOffset, 3, embedded.Drop, embedded.CloseConn)
	hook(r.answers && r.orderly, protocol.LockBatchMQ, 10, embedded.DropReply, broken, embedded.Delay(700*time.Millisecond))
	hook(r.answers && r.orderly, protocol.UnlockBatchMQ, 4, embedded.DropReply, embedded.Drop)
}

const tick = 200 * time.Millisecond

// rage is the time of faults: messages come evenly, something goes wrong every few seconds.
func (r *rig) rage() {
	inside, what := r.rng("messages"), r.rng("faults")
	ticks := int(r.storm / tick)
	sends := make(chan int64, 64) // what a producer is to send, as long as it keeps pace
	producing := make(chan struct{})
	go func() {
		defer close(producing)
		for n := range sends {
			r.send(n)
		}
	}()
	sent := int64(0)
	next := time.Now().Add(2 * time.Second)
	for i := range ticks {
		share := r.messages*(i+1)/ticks - r.messages*i/ticks
		for range min(share/4, cap(sends)-len(sends)) {
			sent++
			sends <- sent
			share--
		}
		r.put(inside, share)
		if time.Now().After(next) {
			r.goWrong(what)
			next = time.Now().Add(time.Second + upTo(what, 10*time.Second))
		}
		r.thaw(time.Now())
		time.Sleep(tick)
	}
	close(sends)
	<-producing
}

// goWrong does one thing that is on in the plan, and counts it.
func (r *rig) goWrong(rng *rand.Rand) {
	if len(r.members) == 0 {
		r.join()
		return
	}
	m, broker := r.members[rng.IntN(len(r.members))], r.names[rng.IntN(len(r.names))]
	list := []struct {
		what  string
		on    bool
		oneIn int
		do    func()
	}{
		{"joined", len(r.members) < 2*r.plan.members, 3, func() { r.join() }},
		{"killed", r.kills, 3, func() { r.kill(m) }},
		{"orphaned", r.zombies, 4, func() { r.orphan(m) }},
		{"left", r.leaves, 3, func() { r.stop(m) }},
		{"cut", r.cuts, 3, func() { m.cable.tear(false) }},
		{"paused", r.pauses, 6, func() { r.pause(broker, upTo(rng, 45*time.Second)) }},
		{"frozen", r.freezes && m.thaws.IsZero(), 2, func() { r.freeze(m, time.Now().Add(20*time.Second+upTo(rng, 2*time.Minute))) }},
		{"reset", r.resets, 2, func() { r.reset(rng) }},
		{"restarted", r.restarts, 4, func() { r.restart(broker, upTo(rng, 15*time.Second)) }},
	}
	for _, i := range rng.Perm(len(list)) {
		if one := list[i]; one.on && rng.IntN(one.oneIn) == 0 {
			r.did[one.what]++
			one.do()
			return
		}
	}
}

// upTo draws a time, never 0: timers that are due at once trip the race detector (golang/go#78156).
func upTo(rng *rand.Rand, most time.Duration) time.Duration {
	return time.Duration(1 + rng.Int64N(int64(most)))
}

// heal ends the faults and gives every queue an owner: locks of the dead expire meanwhile.
func (r *rig) heal() {
	r.calm.Store(true)
	r.thaw(time.Now().Add(time.Hour))
	for len(r.members) < 2 {
		r.join()
	}
	time.Sleep(100 * time.Second)
}

// lists has brokers show empty member lists while messages come: whoever has queues keeps
// them and goes on.
func (r *rig) lists() {
	rng := r.rng("lists")
	remove := r.cluster.Intercept(int32(protocol.GetConsumerListByGroup), func(*embedded.Request) embedded.Verdict {
		return embedded.Edit(func(resp *remoting.Command) { resp.Body = protocol.ConsumerList{}.Encode() })
	})
	for i := range 14 {
		if i%6 == 0 {
			r.books.Pulse(time.Now())
		}
		r.put(rng, 4*r.brokers*r.queues)
		time.Sleep(5 * time.Second)
	}
	remove()
	time.Sleep(45 * time.Second)
}

// patience is how long everything may take to be consumed: the last attempt of a message that
// fails again and again comes some minutes after the first.
const patience = 20 * time.Minute

// drain waits until everything is resolved, and looks every half minute that it goes on.
func (r *rig) drain() {
	for end := time.Now().Add(patience); time.Now().Before(end); {
		r.books.Pulse(time.Now())
		if r.books.Lag() == 0 {
			break
		}
		time.Sleep(30 * time.Second)
	}
	time.Sleep(15 * time.Second) // the last commits
}
