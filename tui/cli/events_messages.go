package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"mqscope/engine/consumer"
	"mqscope/engine/mq"
	"mqscope/engine/recorder"
	"mqscope/engine/recording"
	"mqscope/engine/recording/policy"
	"mqscope/engine/replay"
	"mqscope/engine/replay/remade"
)

// kindMessage is the kind under which the messages are printed that a recorded consumer of ours was
// given: they are no events of its own, and are printed when they are asked for.
const kindMessage = "message"

// wantsMessages tells whether messages are asked for.
func (f *eventFlags) wantsMessages() bool { return slices.Contains(f.kinds, kindMessage) }

// messages prints what is recorded of the messages of one of our consumers.
func (f *eventFlags) messages(name string, info replay.Info, p *eventPrinter) error {
	h := info.Header
	if h.Source != replay.SourceEngine {
		return usage("--kind %s: of traffic seen on the wire no messages are kept, only of a consumer that mqscope record recorded", kindMessage)
	}
	reader, err := consumer.NewMessageReader(h.Meta[remade.MetaTypes])
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	r, err := recording.Open(name)
	if err != nil {
		return err
	}
	defer r.Close() //nolint:errcheck // it was only read
	found := false
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if f.to.set() && f.to.behind(e.Number, e.At, p.start) {
			break
		}
		d, ok, err := reader.Read(e.Record)
		if err != nil {
			return fmt.Errorf("%s: record %d: %w", name, e.Number, err)
		}
		found = found || ok
		row := eventRow{number: e.Number, at: e.At.Local(), kind: kindMessage, group: h.Group, topic: d.Queue.Topic, queue: d.Queue}
		if !ok || !p.wanted(&row) {
			continue
		}
		for _, words := range deliveredWords(&d) {
			if err := p.line(&row, words); err != nil {
				return err
			}
		}
	}
	if !found {
		why := "none came while it was made, or all of them faster than --messages-rate"
		if h.Bodies == recorder.BodiesOfNone {
			why = "it was made with --bodies none"
		}
		return fmt.Errorf("%s: no messages are recorded in it: %s", name, why)
	}
	return nil
}

// deliveredWords are a line for what was left out, and one for each message.
func deliveredWords(d *consumer.Delivered) []string {
	var lines []string
	if l := d.Left; l.Count > 0 {
		lines = append(lines, fmt.Sprintf("offsets %d to %d: %d messages are left out, they came faster than --messages-rate", l.First, l.Last, l.Count))
	}
	for i := range d.Messages {
		words := messageWords(&d.Messages[i])
		if d.Failed {
			words = "failed, sent back: " + words
		}
		lines = append(lines, words)
	}
	return lines
}

// messageWords are a message on one line: untrusted text.
func messageWords(m *consumer.DeliveredMessage) string {
	words := []string{fmt.Sprintf("offset %d", m.Offset), "id " + m.ID()}
	for _, p := range []struct{ label, name string }{{"tag", mq.PropertyTags}, {"keys", mq.PropertyKeys}} {
		if v := m.Property(p.name); v != "" {
			words = append(words, p.label+" "+v)
		}
	}
	if m.Times > 0 {
		words = append(words, "sent back "+count(int(m.Times), "time"))
	}
	return strings.Join(append(words, bodyWords(policy.ReadKept(m.Body))), "  ")
}

// bodyWords are what is known of a body.
func bodyWords(k policy.Kept) string {
	shown := fmt.Sprintf("%x", k.Bytes)
	if utf8.Valid(k.Bytes) {
		shown = string(k.Bytes)
	}
	switch n := int64(len(k.Bytes)); {
	case n == k.Len:
		return "body " + shown
	case n == 0:
		return fmt.Sprintf("body of %d bytes, SHA-256 %x", k.Len, k.Hash)
	}
	return fmt.Sprintf("body of %d bytes, begins %s", k.Len, shown)
}
