package network

import (
	"context"

	"mqscope/engine/lifecycle"
	"mqscope/engine/remoting"
)

// handlers is how many requests of servers are handled at a time, as by a remoting.Client.
const handlers = 8

// inbox holds requests of servers that wait for a handler.
type inbox struct {
	list    []incoming
	running int
}

type incoming struct {
	link *link
	req  *remoting.Command
}

// incoming has a request answered, in the client's group once that runs.
func (n *net) incoming(l *link, req *remoting.Command) {
	switch {
	case n.cfg.OnRequest == nil:
		n.stats.RequestsRefused++
		l.reply(req, &remoting.Command{Code: codeNotSupported, Remark: "this client takes no requests"})
		return
	case len(n.inbox.list) >= n.cfg.Limits.Requests:
		n.stats.RequestsRefused++
		l.reply(req, &remoting.Command{Code: codeSystemBusy, Remark: "[OVERLOAD] too many requests wait in this client"})
		return
	}
	n.inbox.list = append(n.inbox.list, incoming{l, req})
	if n.inbox.running == handlers {
		return
	}
	n.inbox.running++
	if n.group == nil {
		n.handle(context.Background())
		return
	}
	n.group.Go("requests of servers", func(ctx context.Context) error {
		n.handle(ctx)
		return nil
	})
}

// handle answers requests until none is left.
func (n *net) handle(ctx context.Context) {
	defer func() { n.inbox.running-- }()
	for len(n.inbox.list) > 0 && ctx.Err() == nil {
		in := n.inbox.list[0]
		n.inbox.list = n.inbox.list[1:]
		var resp *remoting.Command
		err := lifecycle.Guard(ctx, "request of a server", func(ctx context.Context) error {
			resp = n.cfg.OnRequest(ctx, in.link.address.addr, in.req)
			return nil
		})
		if err != nil {
			n.cfg.Log.Error("handler of a request failed", "addr", in.link.address.addr, "code", in.req.Code, "err", err)
			resp = &remoting.Command{Code: codeSystemError, Remark: "the client's handler failed, see its log"}
		}
		if resp != nil {
			in.link.reply(in.req, resp)
		}
	}
}
