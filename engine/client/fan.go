package client

import (
	"context"

	"mqscope/engine/clock"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
	"mqscope/engine/route"
)

// fanCall is one of several requests that go out at once.
type fanCall struct {
	to  route.Found
	req *remoting.Command
}

// fanReply is how it ended. Answers to these requests have no body that matters.
type fanReply struct {
	to      route.Found
	version int32 // of the peer
	err     error // none when the answer was success
}

// fan sends all calls at once, so that one silent broker delays no other, and returns without
// waiting. each, which may be nil, gets every reply when it comes, on a goroutine of the
// instance; it must not block. The function returned waits until each call has ended or ctx
// has, and need not be called. Its replies come in the order of the calls.
func (i *Instance) fan(calls []fanCall, each func(fanReply)) (wait func(ctx context.Context) []fanReply) {
	type ended struct {
		n     int
		reply fanReply
	}
	results, arrived := make(chan ended, len(calls)), make(chan struct{}, len(calls))
	for n, c := range calls {
		i.net.Go(c.to.Addr, c.req, i.cfg.CallTimeout, func(a remoting.Answer) {
			r := fanReply{to: c.to, err: i.closedWhy(c.to.Addr, a.Err)}
			if a.Err == nil {
				r.version = a.Cmd.Version
				if code := protocol.ResponseCode(a.Cmd.Code); code != protocol.Success {
					r.err = saidNo(code, a.Cmd.Remark, c.to.Addr)
				}
			}
			if each != nil {
				each(r)
			}
			results <- ended{n, r}
			arrived <- struct{}{}
		})
	}
	return func(ctx context.Context) []fanReply {
		replies := make([]fanReply, len(calls))
		for n, c := range calls {
			replies[n] = fanReply{to: c.to, err: context.Canceled}
		}
		for range calls {
			if clock.Wait(ctx, i.clock, clock.Waits{First: arrived}) == clock.Ended {
				return replies
			}
			e := <-results
			replies[e.n] = e.reply
		}
		return replies
	}
}
