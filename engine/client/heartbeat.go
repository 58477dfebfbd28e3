package client

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"mqscope/engine/clock"
	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/protocol"
	"mqscope/engine/route"
)

// firstBeat is when the first heartbeat of the loop goes out (Java: MQClientInstance).
const firstBeat = time.Second

// heartbeatLoop sends heartbeats every HeartbeatInterval, and at once to brokers that a
// connection came up to.
func (i *Instance) heartbeatLoop(ctx context.Context) error {
	t := i.clock.NewTimer(min(firstBeat, i.cfg.HeartbeatInterval))
	defer t.Stop()
	for {
		switch clock.Wait(ctx, i.clock, clock.Waits{First: i.wakeBeats, Timer: t}) {
		case clock.Ended:
			return nil
		case clock.Fired:
			i.guard(ctx, "heartbeat", func(ctx context.Context) error {
				_, err := i.sendBeats(ctx, i.beatTargets(), i.noteBeat)
				return err
			})
			t.Reset(i.cfg.HeartbeatInterval)
		default:
			i.guard(ctx, "heartbeat", i.beatFresh)
		}
	}
}

// HeartbeatAll tells every known broker who we are and what we subscribe to
// (HEART_BEAT, version 1). Brokers that did not accept it are in err; sent is how many did.
// With no broker known yet err is ErrNoBroker.
func (i *Instance) HeartbeatAll(ctx context.Context) (sent int, err error) {
	if err := i.await(ctx); err != nil {
		return 0, err
	}
	targets := i.beatTargets()
	if len(targets) == 0 {
		return 0, fmt.Errorf("heartbeat: %w: no route was read yet", ErrNoBroker)
	}
	return i.beat(ctx, targets)
}

// beatTargets returns the addresses to send heartbeats to: all of them, but slaves only
// when there is a consumer.
func (i *Instance) beatTargets() []route.Found {
	i.mu.Lock()
	defer i.mu.Unlock()
	all := i.table.Addrs()
	if len(i.groups) == 0 {
		all = slices.DeleteFunc(all, route.Found.Slave)
	}
	return all
}

// beatFresh sends a heartbeat over each connection that came up.
func (i *Instance) beatFresh(ctx context.Context) error {
	var fresh []route.Found
	i.mu.Lock()
	for _, f := range i.table.Addrs() {
		if l := i.links[f.Addr]; l != nil && l.fresh {
			l.fresh = false
			fresh = append(fresh, f)
		}
	}
	if len(i.groups) == 0 {
		fresh = slices.DeleteFunc(fresh, route.Found.Slave)
	}
	i.mu.Unlock()
	_, err := i.sendBeats(ctx, fresh, i.noteFresh)
	return err
}

// noteFresh follows the first heartbeat over a connection. Only now the broker knows the
// groups, whose pulls it would have refused; and as it may have members for us, consumers
// rebalance (Java: the channel-active hook).
func (i *Instance) noteFresh(r fanReply) {
	i.noteBeat(r)
	_, refused := codeOf(r.err)
	if r.err != nil && !refused {
		return
	}
	i.mu.Lock()
	i.tellAll(event.BrokerReachable{BrokerName: r.to.BrokerName, Addr: r.to.Addr})
	if !refused {
		i.tellAll(event.RebalanceWanted{Why: "connected with " + r.to.BrokerName})
	}
	i.mu.Unlock()
	i.deliver()
}

func (i *Instance) beat(ctx context.Context, targets []route.Found) (sent int, err error) {
	wait, err := i.sendBeats(ctx, targets, i.noteBeat)
	if err != nil {
		return 0, err
	}
	var errs []error
	for _, r := range wait(ctx) {
		if r.err == nil {
			sent++
		} else {
			errs = append(errs, fmt.Errorf("heartbeat to %s at %s: %w", r.to.BrokerName, r.to.Addr, r.err))
		}
	}
	if ctx.Err() != nil {
		return sent, ctx.Err()
	}
	return sent, joined(errs)
}

// sendBeats writes down what is subscribed now and sends it to all targets before anybody
// else may do so: a broker never gets an older heartbeat after a newer one. each is as in fan.
func (i *Instance) sendBeats(ctx context.Context, targets []route.Found, each func(fanReply)) (wait func(context.Context) []fanReply, err error) {
	if clock.Wait(ctx, i.clock, clock.Waits{First: i.beating}) == clock.Ended {
		return nil, ctx.Err()
	}
	defer func() { i.beating <- struct{}{} }()
	beat := i.heartbeat()
	i.decisions.Fact(decision.InstanceBeat, nowhere, "", [6]int64{int64(len(beat.ConsumerDataSet)), int64(len(targets))})
	body := beat.Encode()
	calls := make([]fanCall, 0, len(targets))
	for _, f := range targets {
		h := &protocol.HeartbeatRequest{Base: protocol.Base{BName: f.BrokerName}}
		calls = append(calls, fanCall{f, request(protocol.HeartBeat, h, body)})
	}
	return i.fan(calls, each), nil
}

// noteBeat remembers how a heartbeat went and says so when it is news.
func (i *Instance) noteBeat(r fanReply) {
	i.mu.Lock()
	if _, ok := i.table.NameOf(r.to.Addr); !ok {
		i.mu.Unlock()
		return // it left all routes meanwhile
	}
	l := i.link(r.to.Addr)
	news := text(l.beatErr) != text(r.err)
	l.beatErr = r.err
	if r.err == nil {
		l.version, l.beatAt = r.version, i.clock.Now()
	}
	_, refused := codeOf(r.err)
	if news && refused {
		i.tellAll(i.entry(event.Warn, r.to.BrokerName, "heartbeat refused: "+r.err.Error()))
	}
	i.mu.Unlock()
	if i.decisions.On() {
		i.decisions.Told(decision.InstanceHeartbeat, nowhere, r.err == nil, r.to.BrokerName+" at "+r.to.Addr, [6]int64{int64(r.version)})
	}
	i.deliver()
	if news && r.err != nil {
		i.log.Warn("heartbeat", "broker", r.to.BrokerName, "addr", r.to.Addr, "err", r.err)
	}
}

// heartbeat is what brokers are told of us now. Producer groups always hold the inner
// producer, as Java's do.
func (i *Instance) heartbeat() protocol.HeartbeatData {
	h := protocol.HeartbeatData{ClientID: i.cfg.ClientID}
	for _, g := range i.registered() {
		h.ConsumerDataSet = append(h.ConsumerDataSet, protocol.ConsumerData{
			GroupName: g.Group, ConsumeType: g.Type, MessageModel: g.Model,
			ConsumeFromWhere: g.From, SubscriptionDataSet: g.Subscriptions(), UnitMode: g.UnitMode,
		})
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(i.producers)) {
		h.ProducerDataSet = append(h.ProducerDataSet, protocol.ProducerData{GroupName: name})
	}
	return h
}
