package consumer

import (
	"reflect"
	"time"
	"unsafe"

	"mqscope/engine/snapshot"
)

// WithoutDecisions takes the recorder away from all parts of p, before it runs: what a decision
// costs that nobody watches is measured against this.
func WithoutDecisions(p *Push) {
	l := p.loop
	l.decisions, l.schedule.Decisions, l.pull.Decisions, l.rebalance.Decisions = nil, nil, nil, nil
	l.offsets.Record(nil)
	l.pool = newService(l)
}

// Published is the snapshot that a remake has published last.
func Published(r *Remake) *snapshot.Snapshot { return r.loop.out.latest.Load() }

// Bytes of a snapshot are the same for equal ones. What time it was on the wall, no recording has.
func Bytes(s *snapshot.Snapshot) []byte {
	again := *s
	again.Wall = time.Time{}
	return codec().Append(nil, &again)
}

// StateOf are the bytes of all that a remake's loop knows, by field.
func StateOf(r *Remake) map[string][]byte {
	out := map[string][]byte{}
	fields(out, "", reflect.ValueOf(r.loop).Elem())
	return out
}

func fields(out map[string][]byte, prefix string, v reflect.Value) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.Tag.Get("pack") == "-" {
			continue
		}
		at := reflect.NewAt(f.Type, unsafe.Pointer(v.Field(i).UnsafeAddr()))
		if f.Name == "membership" {
			fields(out, "", at.Elem())
			continue
		}
		out[prefix+f.Name] = codec().Append(nil, at.Interface())
		if prefix == "" && f.Type.Kind() == reflect.Pointer && (f.Name == "rebalance" || f.Name == "peers") {
			fields(out, f.Name+".", at.Elem().Elem())
		}
	}
}
