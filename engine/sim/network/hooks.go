package network

import (
	"fmt"
	"runtime/debug"
	"slices"

	"mqscope/engine/remoting"
)

// hooked returns req as the client's RPC hooks want it, and done with the hooks before it.
func (n *net) hooked(addr string, req *remoting.Command, done func(remoting.Answer)) (_ *remoting.Command, _ func(remoting.Answer), err error) {
	if len(n.cfg.Hooks) == 0 {
		return req, done, nil
	}
	defer func() {
		if v := recover(); v != nil {
			n.cfg.Log.Warn("rpc hook panicked", "addr", addr, "err", v, "stack", string(debug.Stack()))
			err = fmt.Errorf("remoting: an RPC hook panicked before a request to %s: %v", addr, v)
		}
	}()
	own := *req
	own.Fields = slices.Clone(req.Fields)
	for _, h := range n.cfg.Hooks {
		if h.Before != nil {
			h.Before(addr, &own)
		}
	}
	return &own, func(a remoting.Answer) {
		if a.Err == nil {
			n.runAfter(addr, &own, a.Cmd)
		}
		done(a)
	}, nil
}

// runAfter shows an answer to the hooks. What goes wrong in one does not keep it from its caller.
func (n *net) runAfter(addr string, req, resp *remoting.Command) {
	defer func() {
		if v := recover(); v != nil {
			n.cfg.Log.Warn("rpc hook panicked", "addr", addr, "err", v, "stack", string(debug.Stack()))
		}
	}()
	for _, h := range n.cfg.Hooks {
		if h.After != nil {
			h.After(addr, req, resp)
		}
	}
}
