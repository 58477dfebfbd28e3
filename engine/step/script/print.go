package script

import (
	"encoding/json"
	"fmt"
	"io"
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
	err   error // the first
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
		p.object(struct {
			Step     uint64            `json:"step"`
			T        int64             `json:"t_ns"` // since the beginning
			Decision decision.Decision `json:"decision"`
		}{l.Step, int64(d.At.Sub(p.start)), *d})
		return
	}
	about := "-"
	if d.Queue != (mq.MessageQueue{}) {
		about = step.QueueText(d.Queue)
	}
	p.line("%6d  %-12s  %-16s  %-22s  %s", l.Step, "t+"+seconds(d.At.Sub(p.start)), about, d.Line.ID, decision.Words(d))
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
func (p *printer) end(s *step.Stepper, failed int) {
	if p.json {
		p.object(struct {
			Steps  uint64 `json:"steps"`
			T      int64  `json:"t_ns"`
			Hash   string `json:"hash"`
			Failed int    `json:"failed_expectations"`
		}{s.Steps(), int64(s.Now().Sub(p.start)), fmt.Sprintf("%#x", s.Hash()), failed})
		return
	}
	p.where(s)
	if failed > 0 {
		p.line("%d failed", failed)
	}
}

func (p *printer) where(s *step.Stepper) {
	p.note("step %d  t+%s  hash %#x", s.Steps(), seconds(s.Now().Sub(p.start)), s.Hash())
}

// show prints a part of the picture.
func (p *printer) show(what string, s *step.Stepper) {
	picture := asDecided(s)
	switch what {
	case "":
		p.where(s)
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
		for _, l := range s.Trace().Lines {
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
