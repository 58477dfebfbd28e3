package redact

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"mqscope/engine/internal/pack"
	"mqscope/engine/recording"
	"mqscope/engine/recording/policy"
)

var errNotDescribed = errors.New("the recording does not describe it: its header was changed, or it was written by a mqscope before 1.0")

// maxWhole bounds a checkpoint in parts.
const maxWhole = 256 << 20

// record returns what becomes of a record. Parts of a checkpoint are held back until its last
// one: then all of them come.
func (r *redactor) record(e recording.Entry) ([]recording.Record, error) {
	l := r.layout
	one := e.Record
	switch {
	case one.Kind == l.described && l.described != 0:
		if err := r.describe(string(one.Payload)); err != nil {
			return nil, err
		}
		return []recording.Record{one}, nil
	case l.whole != "" && (one.Kind == l.first || one.Kind == l.part):
		return r.takePart(one)
	case l.numbers[one.Kind]:
		return []recording.Record{one}, nil
	case l.roots[one.Kind] == "":
		return nil, fmt.Errorf("it is of kind %d, which this version of mqscope does not know: there may be secrets in it", one.Kind)
	}
	var err error
	one.Payload, err = r.rewrite(l.roots[one.Kind], one.Payload, 0)
	return []recording.Record{one}, err
}

// rewrite is a value without what is taken out of it; at most so many bytes may be behind it, and are left out.
func (r *redactor) rewrite(root string, payload []byte, behind int) ([]byte, error) {
	if r.codec == nil {
		return nil, errNotDescribed
	}
	out, rest, err := r.codec.Rewrite(r.out[:0], payload, root, r.visit)
	if err != nil {
		return nil, err
	}
	if len(rest) > behind {
		return nil, fmt.Errorf("%s: %d bytes too many", root, len(rest))
	}
	r.out = out
	return out, nil
}

// takePart puts parts together, and gives as many back: the numbers of records stay.
func (r *redactor) takePart(one recording.Record) ([]recording.Record, error) {
	if len(one.Payload) == 0 || one.Kind == r.layout.first != (len(r.parts) == 0) {
		return nil, errors.New("the parts of a checkpoint are not in order")
	}
	total := 0
	for _, p := range r.parts {
		total += len(p.Payload)
	}
	if total > maxWhole {
		return nil, fmt.Errorf("a checkpoint of more than %d bytes", maxWhole)
	}
	one.Payload = slices.Clone(one.Payload)
	r.parts = append(r.parts, one)
	if one.Payload[0] != 0 {
		return nil, nil
	}
	var whole []byte
	for _, p := range r.parts {
		whole = append(whole, p.Payload[1:]...)
	}
	whole, err := r.rewrite(r.layout.whole, whole, r.layout.behind)
	if err != nil {
		return nil, err
	}
	parts := r.parts
	r.parts = nil
	each := (len(whole) + len(parts) - 1) / len(parts)
	for i := range parts {
		n := min(each, len(whole))
		parts[i].Payload = append(parts[i].Payload[:1:1], whole[:n]...)
		whole = whole[n:]
	}
	return parts, nil
}

// visit decides about a leaf.
func (r *redactor) visit(l *pack.Leaf) ([]byte, pack.Verdict) {
	switch {
	case l.Tag == "body":
		with := r.policy.Again(nil, l.Value)
		if bytes.Equal(with, l.Value) {
			return nil, pack.Keep
		}
		r.counts.Bodies++
		return with, pack.Replace
	case l.Name != "" && len(l.Value) > 0 && (policy.Secret(l.Name) || l.Tag == "properties" && r.policy.Denies(l.Name)):
		r.counts.Properties++
		return nil, pack.Drop
	case l.Bytes:
		return nil, pack.Keep
	case l.Tag == "properties" && bytes.IndexByte(l.Value, 1) >= 0: // as messages have them
		with, n := r.policy.Properties(string(l.Value))
		r.counts.Properties += n
		return changed(with, n)
	}
	with, n := policy.Scrub(string(l.Value))
	r.counts.Secrets += n
	return changed(with, n)
}

func changed(with string, n int) ([]byte, pack.Verdict) {
	if n == 0 {
		return nil, pack.Keep
	}
	return []byte(with), pack.Replace
}

func (r *redactor) text(text string) string {
	clean, n := policy.Scrub(text)
	r.counts.Secrets += n
	return clean
}

// meta is what becomes of a value of the header.
func (r *redactor) meta(name, value string) (with string, keep bool, err error) {
	switch {
	case slices.Contains(r.layout.shapes, name), name == Done, name == How:
		return value, true, nil
	case r.layout.packed[name] != "":
		out, err := r.rewrite(r.layout.packed[name], []byte(value), 0)
		return string(out), true, err
	case policy.Secret(name):
		r.counts.Properties++
		return "", false, nil
	}
	return r.text(value), true, nil
}
