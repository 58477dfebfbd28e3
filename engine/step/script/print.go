package script

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"
	"unicode"

	"mqscope/engine/decision"
	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
	"mqscope/engine/step"
)

// printer tells what happens, as text or as a JSON object a line.
type printer struct {
	w     io.Writer
	json  bool
	quiet bool
	start time.Time
	// recorded says that what stands for a step is the number of an event.
	recorded bool
	err      error // the first
}

func printable(r rune) bool { return r != unicode.ReplacementChar && unicode.IsGraphic(r) }

func (p *printer) line(format string, args ...any) {
	if p.w == nil || p.err != nil {
		return
	}
	_, p.err = fmt.Fprintln(p.w, safe(fmt.Sprintf(format, args...)))
}

func (p *printer) object(v any) {
	if p.w == nil || p.err != nil {
		return
	}
	e := json.NewEncoder(p.w)
	e.SetEscapeHTML(false)
	p.err = e.Encode(v)
}

// decision is called for each one.
func (p *printer) decision(l snapshot.TraceLine) {
	if p.quiet || p.w == nil {
		return
	}
	d := &l.Decision
	if p.json {
		o := struct {
			Step     uint64            `json:"step,omitempty"`
			Event    uint64            `json:"event,omitempty"`
			T        int64             `json:"t_ns"` // since the beginning
			Decision decision.Decision `json:"decision"`
		}{Step: l.Step, T: int64(d.At.Sub(p.start)), Decision: *d}
		if p.recorded {
			o.Step, o.Event = 0, l.Step
		}
		p.object(o)
		return
	}
	p.row(l.Step, d.At, d.Queue, d.Line.ID, decision.Words(d))
}

// row is a decision or an event in a line.
func (p *printer) row(number uint64, at time.Time, q mq.MessageQueue, kind, words string) {
	about, name := "-", strconv.FormatUint(number, 10)
	if q != (mq.MessageQueue{}) {
		about = step.QueueText(q)
	}
	if p.recorded {
		name = "#" + name
	}
	p.line("%6s  %-12s  %-16s  %-22s  %s", name, "t+"+seconds(at.Sub(p.start)), about, kind, words)
}

// event is called for each one where decisions are not known.
func (p *printer) event(m snapshot.Moment) {
	switch {
	case p.quiet || p.w == nil:
	case p.json:
		p.object(struct {
			Event  uint64 `json:"event"`
			T      int64  `json:"t_ns"` // since the beginning
			Kind   string `json:"kind"`
			Queue  string `json:"queue,omitempty"`
			Where  string `json:"where,omitempty"`
			Client string `json:"client,omitempty"`
			Words  string `json:"words"`
		}{m.Event, int64(m.At.Sub(p.start)), m.Kind, queueOf(m.Queue), m.Where, m.Client, m.Words})
	default:
		p.row(m.Event, m.At, m.Queue, m.Kind, m.Words)
	}
}

func queueOf(q mq.MessageQueue) string {
	if q == (mq.MessageQueue{}) {
		return ""
	}
	return step.QueueText(q)
}

// seconds is a time since the beginning, to the microsecond, so that columns stay as they are.
func seconds(d time.Duration) string { return fmt.Sprintf("%.6fs", d.Seconds()) }

func (p *printer) statement(s *Statement) {
	if p.json {
		p.object(struct {
			Line int    `json:"script_line"`
			Text string `json:"statement"`
		}{s.Line, s.Text})
		return
	}
	p.line("> %s", s.Text)
}

func (p *printer) note(format string, args ...any) {
	if p.json {
		p.object(struct {
			Note string `json:"note"`
		}{fmt.Sprintf(format, args...)})
		return
	}
	p.line("  "+format, args...)
}

func (p *printer) failure(f Failure) {
	if p.json {
		p.object(struct {
			File   string `json:"file"`
			Line   int    `json:"script_line"`
			Failed string `json:"failed"`
			Is     string `json:"is"`
		}{f.File, f.Line, f.Text, f.What})
		return
	}
	p.line("FAILED %s", f)
}

// end tells where the world stands after the last statement.
func (r *runner) end() {
	p, s, failed := r.out, r.stepper, len(r.failed)
	if p.json && s == nil {
		p.object(struct {
			Event  uint64 `json:"event"`
			T      int64  `json:"t_ns"`
			Failed int    `json:"failed_expectations"`
		}{r.reel.Event(), int64(r.reel.Now().Sub(p.start)), failed})
		return
	}
	if p.json {
		p.object(struct {
			Steps  uint64 `json:"steps"`
			T      int64  `json:"t_ns"`
			Hash   string `json:"hash"`
			Failed int    `json:"failed_expectations"`
		}{s.Steps(), int64(s.Now().Sub(p.start)), fmt.Sprintf("%#x", s.Hash()), failed})
		return
	}
	r.where()
	if failed > 0 {
		p.line("%d failed", failed)
	}
}

func (r *runner) where() {
	if s := r.reel; s != nil {
		r.out.note("event %d  t+%s  %s", s.Event(), seconds(s.Now().Sub(r.out.start)), s.Now().Format("2006-01-02 15:04:05.000"))
		return
	}
	s := r.stepper
	r.out.note("step %d  t+%s  hash %#x", s.Steps(), seconds(s.Now().Sub(r.out.start)), s.Hash())
}

// show prints a part of the picture.
func (r *runner) show(what string) {
	p, picture := r.out, r.asDecided()
	switch what {
	case "":
		r.where()
	case "tasks":
		for i := range picture.Sched.Tasks {
			t := &picture.Sched.Tasks[i]
			v := map[string]any{}
			taskValues(v, &t.Task, picture.At)
			v["queue"], v["next"] = step.QueueText(t.Queue), t.Next
			p.values("task", v, fmt.Sprintf("task %d  %s  next %d  %s", t.ID, step.QueueText(t.Queue), t.Next, describe(t, picture)))
		}
	case "queues":
		for i := range picture.Queues {
			p.queue(&picture.Queues[i], picture.At)
		}
	case "trace":
		for _, l := range r.world.Trace().Lines {
			quiet := p.quiet
			p.quiet = false
			p.decision(l)
			p.quiet = quiet
		}
	case "broken":
		for _, b := range picture.Sched.Broken {
			p.note("%s: %s", b.ID, b.What)
		}
		if len(picture.Sched.Broken) == 0 {
			p.note("nothing is broken")
		}
	}
}

func (p *printer) queue(q *snapshot.Queue, now time.Time) {
	v := queueValues(q, now)
	number := func(name string) any {
		if n, ok := v[name]; ok {
			return n
		}
		return "?"
	}
	p.values("queue", v, fmt.Sprintf("queue %s  %s  next %v  committed %v  max %v  count %v  span %v",
		step.QueueText(q.ID), q.State, number("next"), number("committed"), number("max"), number("count"), number("span")))
}

// values are printed as an object or as a line.
func (p *printer) values(kind string, v map[string]any, text string) {
	if p.json {
		p.object(map[string]any{kind: v})
		return
	}
	p.line("  %s", text)
}
