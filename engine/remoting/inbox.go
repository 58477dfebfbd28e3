package remoting

import (
	"context"
	"sync"

	"mqscope/engine/lifecycle"
)

// Response codes that this package answers with on its own (RemotingSysResponseCode).
const (
	codeSystemError  = 1
	codeSystemBusy   = 2
	codeNotSupported = 3
)

// handlers is how many requests of the other side a client handles at a time.
const handlers = 8

// inbox holds requests of servers that wait for a handler, and counts the goroutines that
// handle; those come with the requests and go when none is left.
type inbox struct {
	mu      sync.Mutex
	list    []incoming
	running int
}

type incoming struct {
	link *link
	req  *Command
}

// incoming takes a request off the reader's hands.
func (c *Client) incoming(l *link, req *Command, buf *Buffer) {
	if req.Body == nil {
		buf.Release()
	} // else the bytes go with the request
	if c.cfg.OnRequest == nil {
		c.count.refusedIn.Add(1)
		l.reply(req, &Command{Code: codeNotSupported, Remark: "this client takes no requests"})
		return
	}
	c.inbox.mu.Lock()
	full := len(c.inbox.list) >= c.cfg.Limits.Requests
	more := false
	if !full {
		c.inbox.list = append(c.inbox.list, incoming{l, req})
		if more = c.inbox.running < handlers; more {
			c.inbox.running++
		}
	}
	c.inbox.mu.Unlock()
	if full {
		c.count.refusedIn.Add(1)
		l.reply(req, &Command{Code: codeSystemBusy, Remark: "[OVERLOAD] too many requests wait in this client"})
		return
	}
	if more {
		c.mu.Lock()
		g := c.group
		c.mu.Unlock()
		// The reader that we are on belongs to the group, so the group has not ended.
		g.Go("requests of servers", func(ctx context.Context) error {
			c.handle(ctx)
			return nil
		})
	}
}

// handle answers requests until none is left.
func (c *Client) handle(ctx context.Context) {
	for {
		c.inbox.mu.Lock()
		if len(c.inbox.list) == 0 || ctx.Err() != nil {
			c.inbox.running--
			c.inbox.mu.Unlock()
			return
		}
		in := c.inbox.list[0]
		c.inbox.list = c.inbox.list[1:]
		c.inbox.mu.Unlock()

		var resp *Command
		err := lifecycle.Guard(ctx, "request of a server", func(ctx context.Context) error {
			resp = c.cfg.OnRequest(ctx, in.link.addr, in.req)
			return nil
		})
		if err != nil {
			resp = &Command{Code: codeSystemError, Remark: "the client's handler failed, see its log"}
			logPanic(c.cfg.Log, err, in.link.addr, in.req.Code)
		}
		if resp != nil {
			in.link.reply(in.req, resp)
		}
	}
}
