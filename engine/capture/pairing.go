package capture

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"mqscope/engine/remoting"
)

// frame reads one frame; part of framed.
func (e *end) frame(f frame) {
	r, c := e.c.r, e.c
	cmd, err := remoting.DecodeFrame(f.data, r.opts.Limits)
	if err != nil {
		e.trouble(NoteBad, int64(len(f.data)+f.cut)+4, err.Error())
		return
	}
	r.stats.Frames++
	c.orient(e, cmd)
	c.open()
	accessKey := takeSecrets(cmd)
	if cmd.IsResponse() {
		e.answer(cmd, f)
	} else {
		e.request(cmd, f, accessKey)
	}
}

func (e *end) request(cmd *remoting.Command, f frame, accessKey string) {
	r := e.c.r
	r.exchanges++
	x := &Exchange{
		Seq: r.exchanges, Conn: e.c.info, Request: cmd, SentAt: f.at, RequestCut: f.cut,
		FromServer: e.fromServer(), OneWay: cmd.IsOneWay(),
	}
	if x.OneWay {
		r.emit(Item{Kind: Done, Conn: e.c.info, Exchange: x})
		return
	}
	if old := e.waiting[cmd.Opaque]; old != nil {
		r.note(e.c, e.fromServer(), Note{Kind: NoteOpaque, Text: fmt.Sprintf("request %d was sent again before it was answered", cmd.Opaque)})
		e.end(old, "another request took its number")
	}
	if f.lent {
		cmd.Body = bytes.Clone(cmd.Body) // it is wanted again with the answer
	}
	r.emit(Item{Kind: Asked, Conn: e.c.info, Exchange: x})
	if a, ok := e.took(cmd); ok {
		e.answered(x, a.cmd, a.f, accessKey)
		return
	}
	e.wait(x, len(f.data)+requestCost, accessKey)
}

func (e *end) answer(cmd *remoting.Command, f frame) {
	asker := e.other()
	switch w := asker.waiting[cmd.Opaque]; {
	case w != nil:
		asker.answered(asker.waited(w), cmd, f, w.accessKey)
	case asker.behind():
		asker.keepEarly(cmd, f)
	default:
		asker.orphan(cmd, f)
	}
}

// answered completes an exchange that e began.
func (e *end) answered(x *Exchange, cmd *remoting.Command, f frame, accessKey string) {
	cmd.Remark = hide(cmd.Remark, accessKey)
	x.Response, x.AnsweredAt, x.ResponseCut = cmd, f.at, f.cut
	e.c.r.emit(Item{Kind: Done, Conn: e.c.info, Exchange: x})
}

// requestCost is what a request that waits costs beside its frame.
const requestCost = 512

// waiting is a request that has no answer yet; x is nil once it does not wait any more.
type waiting struct {
	e         *end
	x         *Exchange
	size      int
	accessKey string
}

// wait remembers a request until its answer, and gives up the oldest when there are too many.
func (e *end) wait(x *Exchange, size int, accessKey string) {
	r := e.c.r
	if e.waiting == nil {
		e.waiting = make(map[int32]*waiting)
	}
	w := &waiting{e, x, size, accessKey}
	e.waiting[x.Request.Opaque] = w
	r.waiting = append(r.waiting, w)
	r.requests++
	r.waitBytes += size
	for r.requests > r.opts.Requests || r.waitBytes > r.opts.RequestBytes {
		w := r.waiting[0]
		r.waiting[0] = nil
		r.waiting = r.waiting[1:]
		if w.x != nil {
			r.note(w.e.c, w.x.FromServer, Note{Kind: NoteGivenUp, Text: "too many requests wait for answers: the oldest is given up"})
			w.e.end(w, "too many requests waited")
		}
	}
	if len(r.waiting) > 2*r.requests+1024 {
		r.waiting = slices.DeleteFunc(r.waiting, func(w *waiting) bool { return w.x == nil })
	}
}

// waited forgets a request that has its answer, or will not get one.
func (e *end) waited(w *waiting) *Exchange {
	x := w.x
	delete(e.waiting, x.Request.Opaque)
	e.c.r.requests--
	e.c.r.waitBytes -= w.size
	w.x = nil
	return x
}

// lostAnswer is why a request has no answer where the capture does not have all that came back.
const lostAnswer = "its answer may be among what the capture lost"

// end ends a request without an answer.
func (e *end) end(w *waiting, why string) {
	x := e.waited(w)
	x.Why = why
	if lost := e.other().framer.missed; !lost.IsZero() && !lost.Before(x.SentAt) {
		x.Why = lostAnswer
	}
	e.c.r.emit(Item{Kind: Done, Conn: e.c.info, Exchange: x})
}

// endAll ends all requests of the connection in the order in which they were sent.
func (c *conn) endAll(why string) {
	var all []*waiting
	for i := range c.ends {
		for _, w := range c.ends[i].waiting {
			all = append(all, w)
		}
	}
	slices.SortFunc(all, func(x, y *waiting) int { return cmp.Compare(x.x.Seq, y.x.Seq) })
	for _, w := range all {
		w.e.end(w, why)
	}
}
