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
		r.plant()
		for _, name := range r.names { // connections that stay
			_, _ = r.producer.MaxOffset(r.ctx, mq.MessageQueue{Topic: topics[0], BrokerName: name})
		}
		synctest.Wait()
		before, heap := runtime.NumGoroutine(), r.heap()
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
		r.books.Back(time.Now(), "goroutines", int64(before), int64(runtime.NumGoroutine()), 8)
		r.books.Back(time.Now(), "bytes", heap, r.heap(), 16<<20+8*int64(r.messages)) // the books grow
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
			next = time.Now().Add(time.Duration(1000+what.IntN(10_000)) * time.Millisecond)
		}
		time.Sleep(tick)
	}
	close(sends)
	<-producing
}

// goWrong does one thing that is on in the plan.
func (r *rig) goWrong(rng *rand.Rand) {
	if len(r.members) == 0 {
		r.join()
		return
	}
	m := r.members[rng.IntN(len(r.members))]
	switch {
	case len(r.members) < 2*r.plan.members && rng.IntN(3) == 0:
		r.join()
	case r.kills && rng.IntN(3) == 0:
		r.kill(m)
	case r.zombies && rng.IntN(4) == 0:
		r.orphan(m)
	case r.leaves && rng.IntN(3) == 0:
		r.stop(m)
	case r.cuts && rng.IntN(3) == 0:
		m.cable.tear(false)
	case r.restarts && rng.IntN(4) == 0:
		r.restart(r.names[rng.IntN(len(r.names))], time.Duration(1+rng.IntN(15_000))*time.Millisecond)
	}
}

// heal ends the faults and gives every queue an owner: locks of the dead expire meanwhile.
func (r *rig) heal() {
	r.calm.Store(true)
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
