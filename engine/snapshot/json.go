package snapshot

import (
	"encoding/json"
	"time"
)

// Schema is the version of what Encode writes. It grows when a field changes its meaning or
// goes away; new fields may come without it.
const Schema = 1

// Encode returns s as one JSON object without line breaks: the stable schema that README
// documents. A value that is not known is null and its reason stands under "unknown" of the
// same object; one that is old stands under "stale" with its age in ms. Times are RFC 3339 in
// UTC, durations are ms, sizes are bytes.
func Encode(s *Snapshot) ([]byte, error) {
	o := object{now: s.At}
	o.put("schema", Schema)
	o.put("seq", s.Seq)
	o.time("at", s.At)
	o.put("source", encodeSource(s))
	o.put("group", encodeGroup(s))
	o.put("name_servers", encodeAll(s.Cluster.NameServers, s.At, encodeEndpoint))
	o.put("brokers", encodeAll(s.Cluster.Brokers, s.At, encodeBroker))
	if s.MembersKnown.OK() {
		o.put("members", encodeAll(s.Members, s.At, encodeMember))
	} else {
		o.unknown("members", s.MembersKnown.Reason)
	}
	o.put("topics", encodeAll(s.Topics, s.At, encodeTopic))
	o.put("queues", encodeAll(s.Queues, s.At, func(o *object, q Queue) { encodeQueue(o, q, s.Windows) }))
	o.put("counters", encodeCounters(s))
	if s.Replay.Known {
		o.put("replay", encodeReplay(s))
	}
	if s.Recorder.On || s.Recorder.Err != "" {
		o.put("recorder", encodeRecorder(&s.Recorder))
	}
	return json.Marshal(&o)
}

// object is a JSON object whose fields keep their order.
type object struct {
	now     time.Time
	names   []string
	values  []any
	missing *object
	old     *object
}

func (o *object) put(name string, v any) {
	o.names, o.values = append(o.names, name), append(o.values, v)
}

func (o *object) time(name string, t time.Time) {
	if t.IsZero() {
		o.put(name, nil)
		return
	}
	o.put(name, t.UTC().Format(time.RFC3339Nano))
}

func (o *object) unknown(name, why string) {
	o.put(name, nil)
	if o.missing == nil {
		o.missing = &object{}
	}
	o.missing.put(name, why)
}

// reading puts a Val: its value, or null with the reason.
func reading[T any](o *object, name string, v Val[T]) {
	switch v.State {
	case Unknown:
		o.unknown(name, v.Reason)
		return
	case NotApplicable:
		o.put(name, nil)
		return
	case Stale:
		if o.old == nil {
			o.old = &object{}
		}
		o.old.put(name, o.now.Sub(v.At).Milliseconds())
	}
	if t, ok := any(v.V).(time.Time); ok {
		o.time(name, t)
		return
	}
	o.put(name, v.V)
}

// MarshalJSON implements json.Marshaler.
func (o *object) MarshalJSON() ([]byte, error) {
	names, values := o.names, o.values
	for _, extra := range []struct {
		name string
		of   *object
	}{{"unknown", o.missing}, {"stale", o.old}} {
		if extra.of != nil {
			names, values = append(names, extra.name), append(values, extra.of)
		}
	}
	out := []byte{'{'}
	for i, name := range names {
		if i > 0 {
			out = append(out, ',')
		}
		key, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(values[i])
		if err != nil {
			return nil, err
		}
		out = append(append(append(out, key...), ':'), value...)
	}
	return append(out, '}'), nil
}

func encodeAll[T any](list []T, now time.Time, fill func(*object, T)) []*object {
	out := make([]*object, 0, len(list))
	for _, v := range list {
		o := &object{now: now}
		fill(o, v)
		out = append(out, o)
	}
	return out
}
