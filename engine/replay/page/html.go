package page

import (
	"bufio"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"io"
	"strings"

	"mqscope/engine/snapshot"
)

//go:embed style.css
var style string

//go:embed script.js
var script string

// printer writes HTML. What goes through f and raw is markup: texts are escaped before, with esc
// or escPlain. An error stays until the end.
type printer struct{ *bufio.Writer }

func (p printer) raw(parts ...string) {
	for _, s := range parts {
		_, _ = p.WriteString(s) // kept by the writer
	}
}

func (p printer) f(format string, args ...any) { _, _ = fmt.Fprintf(p, format, args...) }

// hash allows one style or script, and no other.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// write writes the page.
func (s *story) write(w io.Writer) error {
	p := printer{bufio.NewWriterSize(w, 64<<10)}
	title := "Consumer group " + escPlain(cut(s.group(), mostName))
	p.raw("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
	p.f("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src %s; script-src %s; base-uri 'none'; form-action 'none'\">\n", hash(style), hash(script))
	p.raw("<meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"viewport\" content=\"width=device-width\">\n")
	p.raw("<title>", title, ", ", escPlain(s.day(s.from)), "</title>\n<style>", style, "</style>\n</head>\n<body>\n")
	s.head(p)
	s.summary(p)
	s.timeLine(p)
	s.queues(p)
	s.overTime(p)
	s.members(p)
	s.rebalances(p)
	s.interests(p)
	s.eventTable(p)
	program := s.o.Program
	if program == "" {
		program = "mqscope"
	}
	p.raw("<footer>Made by ", esc(program), " from a recording. This page holds all that it shows and loads nothing.</footer>\n")
	p.raw("<script>", script, "</script>\n</body>\n</html>\n")
	return p.Flush()
}

func (s *story) group() string {
	if s.end.Group.Name != "" {
		return s.end.Group.Name
	}
	return s.info.Header.Group
}

// head says what this is about.
func (s *story) head(p printer) {
	h, r := s.info.Header, s.end.Replay
	p.raw("<header>\n<h1>Consumer group ", esc(cut(s.group(), mostName)), "</h1>\n")
	p.f("<p>What happened from %s to %s (%s): %s, numbered from #%s to #%s; the recording goes to #%s.</p>\n", esc(s.day(s.from)), esc(s.day(s.to)), length(s.to.Sub(s.from)),
		plural(s.total, "event", "events"), number(s.span.From+1), number(s.span.To), number(s.info.Total))
	if r.Inferred {
		p.raw("<p class=\"note\">Inferred from the wire: this was seen from outside, between clients and brokers. What the traffic does not tell is unknown, and shown as <b>?</b>.</p>\n")
	}
	for _, n := range [...]struct{ what, text string }{
		{"The recording is damaged: ", s.info.Damage}, {"The page ends before the span does: ", s.stopped},
		{"What was re-made departs from what was recorded: ", r.Departed},
	} {
		if n.text != "" {
			p.raw("<p class=\"note\">", n.what, esc(n.text), "</p>\n")
		}
	}
	p.raw("<dl>\n")
	fact := func(name, text string) {
		if text != "" {
			p.raw("<div><dt>", name, "</dt><dd>", esc(cut(text, 16*mostWords)), "</dd></div>\n")
		}
	}
	fact("Recording", s.o.File)
	fact("Cluster", h.Cluster)
	fact("Client", r.Client)
	if r.Inferred && r.Client == "" {
		fact("Client", "all of the group")
	} else if !r.Inferred {
		fact("Client", s.end.Group.ClientID)
	}
	fact("Source", sourceWords(h.Source))
	if mode := s.end.Group.Mode(); mode != "?" {
		fact("Mode", mode)
	}
	fact("Strategy", s.end.Group.Strategy)
	fact("Recorded by", h.Program)
	if !h.Created.IsZero() {
		fact("Recording begun", s.day(h.Created))
	}
	fact("Whole recording", s.day(s.info.From)+" to "+s.day(s.info.To))
	fact("Message bodies", h.Bodies)
	fact("Secrets", h.Secrets)
	fact("Subscribed", subscriptions(s.end.Group.Subscriptions))
	p.raw("</dl>\n</header>\n")
}

func sourceWords(source string) string {
	switch source {
	case "engine":
		return "mqscope's own consumer, re-made by its code"
	case "capture":
		return "a packet capture, inferred from the wire"
	case "proxy":
		return "a proxy's traffic, inferred from the wire"
	}
	return source
}

func subscriptions(all []snapshot.Subscription) string {
	const most = 20
	var parts []string
	for i, sub := range all {
		if i == most {
			return strings.Join(parts, ", ") + fmt.Sprintf(" and %d more", len(all)-most)
		}
		text := cut(sub.Topic, mostName)
		if sub.Expression != "" && sub.Expression != "*" {
			text += " (" + cut(sub.Expression, mostName) + ")"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}
