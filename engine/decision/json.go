package decision

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"strconv"
	"time"

	"mqscope/engine/mq"
)

// MarshalJSON writes a decision with the fields line, at, member, queue, task, yes, values, text
// and then, in this order and always under these names. What a decision does not have is left
// out; yes is there when the line asks. values are the numbers by their names, in the order of
// the line: flags are true or false, durations are ms under a name that ends in _ms, moments are
// RFC 3339 in UTC, null for never.
func (d Decision) MarshalJSON() ([]byte, error) {
	o := object{}
	o.field("line", d.id())
	o.field("at", d.At.UTC().Format(time.RFC3339Nano))
	if d.Member != "" {
		o.field("member", d.Member)
	}
	if d.Queue != (mq.MessageQueue{}) {
		q := object{}
		q.field("topic", d.Queue.Topic)
		q.field("broker", d.Queue.BrokerName)
		q.field("id", d.Queue.QueueID)
		o.raw("queue", q.end())
	}
	if d.Task != 0 {
		o.field("task", d.Task)
	}
	if d.Line != nil && d.Line.Asks {
		o.field("yes", d.Yes)
	}
	if d.Line != nil && len(d.Line.Values) > 0 {
		values := object{}
		for i, v := range d.Line.Values[:min(len(d.Line.Values), len(d.N))] {
			values.value(v, d.N[i])
		}
		o.raw("values", values.end())
	}
	if d.Text != "" {
		o.field("text", d.Text)
	}
	if d.Then != (Then{}) {
		then := object{}
		then.field("do", d.Then.Do.String())
		if d.Then.Do == PutBack {
			then.value(Value{"delay", Duration}, int64(d.Then.Delay))
		}
		if d.Then.Why != "" {
			then.field("why", d.Then.Why)
		}
		o.raw("then", then.end())
	}
	return o.end(), o.err
}

// object is a JSON object whose fields keep their order.
type object struct {
	b   bytes.Buffer
	err error
}

func (o *object) field(name string, v any) {
	b, err := json.Marshal(v)
	if err != nil && o.err == nil {
		o.err = err
	}
	o.raw(name, b)
}

func (o *object) value(v Value, n int64) {
	switch v.Kind {
	case Flag:
		o.field(v.Name, n != 0)
	case Duration:
		o.raw(v.Name+"_ms", strconv.AppendFloat(nil, float64(n)/1e6, 'f', -1, 64))
	case Moment:
		if n == 0 {
			o.field(v.Name, nil)
			return
		}
		o.field(v.Name, time.Unix(0, n).UTC().Format(time.RFC3339Nano))
	default:
		o.raw(v.Name, strconv.AppendInt(nil, n, 10))
	}
}

func (o *object) raw(name string, v []byte) {
	sep := byte(',')
	if o.b.Len() == 0 {
		sep = '{'
	}
	o.b.WriteByte(sep)
	o.b.Write(strconv.AppendQuote(nil, name))
	o.b.WriteByte(':')
	o.b.Write(v)
}

func (o *object) end() []byte {
	if o.b.Len() == 0 {
		o.b.WriteByte('{')
	}
	o.b.WriteByte('}')
	return o.b.Bytes()
}

func (d *Decision) id() string {
	if d.Line == nil {
		return ""
	}
	return d.Line.ID
}

// AppendTo appends all of a decision as bytes that are equal when, and only when, two decisions
// are: for hashes of traces. It is no format to be read again.
func (d *Decision) AppendTo(b []byte) []byte {
	text := func(s string) {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	text(d.id())
	b = binary.AppendVarint(b, d.At.Unix())
	b = binary.AppendUvarint(b, uint64(d.At.Nanosecond()))
	text(d.Member)
	text(d.Queue.Topic)
	text(d.Queue.BrokerName)
	b = binary.AppendVarint(b, int64(d.Queue.QueueID))
	b = binary.AppendUvarint(b, d.Task)
	yes := byte(0)
	if d.Yes {
		yes = 1
	}
	b = append(b, yes)
	for _, n := range d.N {
		b = binary.AppendVarint(b, n)
	}
	text(d.Text)
	b = append(b, byte(d.Then.Do))
	b = binary.AppendVarint(b, int64(d.Then.Delay))
	text(string(d.Then.Why))
	return b
}
