package remoting

import (
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
)

// RPCHook sees what goes over the wire, to sign it or to count it (Java: RPCHook). Neither
// function may block.
type RPCHook struct {
	// Before may change a request, a copy of its own with fields of its own, before it goes to
	// addr. It runs on the caller's goroutine; a panic of it is the call's error.
	Before func(addr string, req *Command)
	// After sees the answer, whatever its code, before the caller does. It is not called for
	// requests without an answer. It runs on a goroutine of the client.
	After func(addr string, req, resp *Command)
}

// Hooked returns req as hooks want it, and done with the hooks before it.
func Hooked(hooks []RPCHook, log *slog.Logger, addr string, req *Command, done func(Answer)) (_ *Command, _ func(Answer), err error) {
	if len(hooks) == 0 {
		return req, done, nil
	}
	defer func() {
		if v := recover(); v != nil {
			tellPanic(log, addr, v)
			err = fmt.Errorf("remoting: an RPC hook panicked before a request to %s: %v", addr, v)
		}
	}()
	own := *req
	own.Fields = slices.Clone(req.Fields)
	for _, h := range hooks {
		if h.Before != nil {
			h.Before(addr, &own)
		}
	}
	if done == nil {
		return &own, nil, nil
	}
	return &own, func(a Answer) {
		if a.Err == nil {
			runAfter(hooks, log, addr, &own, a.Cmd)
		}
		done(a)
	}, nil
}

// runAfter shows an answer to hooks. What goes wrong in one does not keep it from its caller.
func runAfter(hooks []RPCHook, log *slog.Logger, addr string, req, resp *Command) {
	defer func() {
		if v := recover(); v != nil {
			tellPanic(log, addr, v)
		}
	}()
	for _, h := range hooks {
		if h.After != nil {
			h.After(addr, req, resp)
		}
	}
}

func tellPanic(log *slog.Logger, addr string, v any) {
	log.Warn("rpc hook panicked", "addr", addr, "err", v, "stack", string(debug.Stack()))
}
