package network

import (
	"cmp"
	"slices"
	"time"

	"mqscope/engine/remoting"
)

// calls are the requests of one side of a connection that wait for their answers.
type calls struct {
	tl   Timeline
	last int32   // opaque given out
	list []*call // by opaque, which is the order of their making
}

type call struct {
	opaque  int32
	started time.Time
	done    func(remoting.Answer)
	cancel  func() // of its timeout
}

// add remembers a call; expire is called when its time is over, the call being gone by then.
func (c *calls) add(timeout time.Duration, done func(remoting.Answer), expire func(*call)) *call {
	c.last++
	n := &call{opaque: c.last, started: c.tl.Now(), done: done}
	c.list = append(c.list, n)
	n.cancel = c.tl.After(timeout, func() {
		if c.take(n.opaque) != nil {
			expire(n)
		}
	})
	return n
}

// take ends the call that opaque names, nil when there is none.
func (c *calls) take(opaque int32) *call {
	i, ok := slices.BinarySearchFunc(c.list, opaque, func(e *call, o int32) int { return cmp.Compare(e.opaque, o) })
	if !ok {
		return nil
	}
	n := c.list[i]
	c.list = slices.Delete(c.list, i, i+1)
	n.cancel()
	return n
}

// takeAll ends all calls and returns them in the order of their making.
func (c *calls) takeAll() []*call {
	all := c.list
	c.list = nil
	for _, n := range all {
		n.cancel()
	}
	return all
}

// known tells whether opaque was ever given out.
func (c *calls) known(opaque int32) bool { return opaque > 0 && opaque <= c.last }

// end tells a call of its end.
func (c *calls) end(n *call, cmd *remoting.Command, err error) {
	n.done(remoting.Answer{Cmd: cmd, Err: err, Took: c.tl.Now().Sub(n.started)})
}
