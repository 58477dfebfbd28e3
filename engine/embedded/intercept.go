package embedded

import (
	"slices"
	"sync/atomic"
	"time"

	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

// AnyCode intercepts requests of every code.
const AnyCode int32 = -1

// InterceptFunc sees a request before the cluster does and says what becomes of it. It runs
// on the loop: it must not block and must not call the cluster. The request's command may
// be read but not changed or kept.
type InterceptFunc func(r *Request) Verdict

// Verdict says what becomes of an intercepted request. Nil is Pass.
type Verdict interface{ isVerdict() }

type plainVerdict uint8

func (plainVerdict) isVerdict() {}

// Verdicts without a parameter.
const (
	Pass       plainVerdict = iota // as if nobody looked
	Drop                           // as if it never arrived
	DropReply                      // carried out, but the answer is lost
	CloseConn                      // the connection is closed, nothing is carried out
	CloseAfter                     // carried out, then the connection is closed instead of the answer
)

type answerVerdict struct{ cmd *remoting.Command }

type delayVerdict struct {
	by    time.Duration
	reply bool
}

type editVerdict struct{ fn func(resp *remoting.Command) }

func (answerVerdict) isVerdict() {}
func (delayVerdict) isVerdict()  {}
func (editVerdict) isVerdict()   {}

// Answer gives this answer and carries out nothing.
func Answer(cmd *remoting.Command) Verdict { return answerVerdict{cmd} }

// Fail answers with a code and a remark and carries out nothing.
func Fail(code protocol.ResponseCode, remark string) Verdict {
	return Answer(&remoting.Command{Code: int32(code), Remark: remark})
}

// Delay carries the request out d later, as if it had been under way so long.
func Delay(d time.Duration) Verdict { return delayVerdict{by: d} }

// DelayReply carries the request out at once and gives its answer d later.
func DelayReply(d time.Duration) Verdict { return delayVerdict{by: d, reply: true} }

// Edit lets fn change the answer before it goes out; its Body must be replaced, not
// written to. A held pull is edited when it is answered.
func Edit(fn func(resp *remoting.Command)) Verdict { return editVerdict{fn} }

// hooks are the registered intercept functions: replaced as a whole, read by the loop.
type hooks struct {
	list atomic.Pointer[[]*hook]
}

type hook struct {
	code int32
	fn   InterceptFunc
}

func (h *hooks) add(code int32, fn InterceptFunc) (remove func()) {
	k := &hook{code, fn}
	h.change(func(old []*hook) []*hook { return append(slices.Clone(old), k) })
	return func() {
		h.change(func(old []*hook) []*hook {
			return slices.DeleteFunc(slices.Clone(old), func(e *hook) bool { return e == k })
		})
	}
}

func (h *hooks) change(fn func([]*hook) []*hook) {
	for {
		old := h.list.Load()
		var list []*hook
		if old != nil {
			list = *old
		}
		if list = fn(list); h.list.CompareAndSwap(old, &list) {
			return
		}
	}
}

// ask returns the first verdict that is not Pass, in the order of registration.
func (h *hooks) ask(r *Request) Verdict {
	list := h.list.Load()
	if list == nil {
		return Pass
	}
	for _, k := range *list {
		if k.code == r.Cmd.Code || k.code == AnyCode {
			if v := k.fn(r); v != nil && v != Pass {
				return v
			}
		}
	}
	return Pass
}
