package decision

import (
	"bytes"
	"encoding/json"
	"regexp"
	"testing"
	"time"

	"mqscope/engine/event"
	"mqscope/engine/mq"
)

var orders3 = mq.MessageQueue{Topic: "orders", BrokerName: "a", QueueID: 3}

func TestWords(t *testing.T) {
	span := &Line{
		ID: "flow.span", Words: "span {span} > {limit}", Asks: true,
		Values: []Value{{"limit", Number}, {"span", Number}},
	}
	facts := func(words, text string, v ...Value) *Line {
		return &Line{ID: "x.y", Words: words, Text: text, Values: v}
	}
	for _, c := range []struct {
		name string
		d    Decision
		want string
	}{
		{"a question that lets the code go on", Decision{Line: span, N: [6]int64{2000, 37}}, "span 37 > 2,000 ?  no"},
		{"a yes after which it goes on", Decision{Line: span, Yes: true}, "span 0 > 0 ?  yes"},
		{
			"a put-back with its delay and cause",
			Decision{Line: span, Yes: true, N: [6]int64{2000, 2004}, Then: Then{PutBack, 50 * time.Millisecond, event.CauseFlowSpan}},
			"span 2,004 > 2,000 ?  YES → put back +50ms, why flow:span",
		},
		{"a no that something follows from", Decision{Line: span, Then: Then{Do: Die}}, "span 0 > 0 ?  NO → the request ends"},
		{"a put-back at once", Decision{Line: facts("answer", ""), Then: Then{Do: PutBack}}, "answer → put back at once"},
		{"the end of a task", Decision{Line: &Line{Words: "ends", Group: PullTask}, Then: Then{Do: Die}}, "ends → the task ends"},
		{"a stop", Decision{Line: facts("cut", ""), Then: Then{Do: Stop}}, "cut → the rest is left out"},
		{"the text as it came", Decision{Line: facts("status {status}", "status"), Text: "\x1b[31m{limit}"}, "status \x1b[31m{limit}"},
		{"a text without a place", Decision{Line: &Line{Words: "sent", Asks: true, Text: "error"}, Text: "reset"}, "sent ?  no: reset"},
		{"queue and task", Decision{Line: facts("take {task} of {queue}", ""), Queue: orders3, Task: 7}, "take #7 of orders/a/3"},
		{"no queue", Decision{Line: facts("of {queue}", "")}, "of -"},
		{"unknown and broken placeholders", Decision{Line: facts("a {b} {c", "")}, "a {b} {c"},
		{"each kind", Decision{
			Line: facts("{a} {b} {c} {d} {e} {f}", "", Value{"a", Offset}, Value{"b", Bytes}, Value{"c", MiB}, Value{"d", Duration}, Value{"e", Moment}, Value{"f", Flag}),
			N:    [6]int64{-2, 1536, 1000, int64(15 * time.Second), 1_700_000_000_123_000_000, 1},
		}, "none 1.5 KiB 1,000 MiB 15s 2023-11-14 22:13:20.123 yes"},
		{"without a line", Decision{}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Words(&c.d); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestFormat(t *testing.T) {
	for _, c := range []struct {
		kind Kind
		n    int64
		want string
	}{
		{Number, 0, "0"},
		{Number, 999, "999"},
		{Number, -1234567, "-1,234,567"},
		{Number, -9223372036854775808, "-9,223,372,036,854,775,808"},
		{Offset, 1231416, "1,231,416"},
		{Bytes, 1023, "1023 B"},
		{Bytes, 1 << 20, "1 MiB"},
		{Bytes, 1<<20 - 1, "1 MiB"},
		{Bytes, 9223372036854775807, "8 EiB"},
		{Duration, 0, "0s"},
		{Duration, 12, "12ns"},
		{Duration, 950_000, "950µs"},
		{Duration, 12_345_678, "12.3ms"},
		{Duration, 999_600_000, "1s"},
		{Duration, int64(14200 * time.Millisecond), "14.2s"},
		{Duration, int64(4*time.Minute + 18*time.Second), "4m18s"},
		{Duration, int64(4 * time.Minute), "4m"},
		{Duration, int64(2*time.Hour + 14*time.Minute), "2h14m"},
		{Duration, int64(76 * time.Hour), "3d04h"},
		{Duration, -int64(time.Second), "-1s"},
		{Moment, 0, "never"},
		{Flag, 0, "no"},
	} {
		if got := c.kind.Format(c.n); got != c.want {
			t.Errorf("kind %d of %d: got %s, want %s", c.kind, c.n, got, c.want)
		}
	}
}

func TestJSON(t *testing.T) {
	l := &Line{ID: "flow.span", Asks: true, Values: []Value{{"span", Number}, {"limit", Number}}}
	for _, c := range []struct {
		d    Decision
		want string
	}{
		{
			Decision{
				Line: l, At: time.Unix(1_700_000_000, 5).UTC(), Member: "me@1", Queue: orders3, Task: 3, Yes: true,
				N: [6]int64{2004, 2000}, Text: "\u202e\"", Then: Then{PutBack, 50 * time.Millisecond, event.CauseFlowSpan},
			},
			`{"line":"flow.span","at":"2023-11-14T22:13:20.000000005Z","member":"me@1",` +
				`"queue":{"topic":"orders","broker":"a","id":3},"task":3,"yes":true,"values":{"span":2004,"limit":2000},` +
				`"text":"` + "\u202e" + `\"","then":{"do":"put back","delay_ms":50,"why":"flow:span"}}`,
		},
		{
			Decision{
				Line: &Line{ID: "a.b", Values: []Value{{"held", Flag}, {"took", Duration}, {"at", Moment}, {"last", Moment}, {"size", Bytes}}},
				N:    [6]int64{1, 1_234_567, 1_700_000_000_000_000_000, 0, 7}, At: time.Unix(0, 0), Then: Then{Do: Stop},
			},
			`{"line":"a.b","at":"1970-01-01T00:00:00Z","values":{"held":true,"took_ms":1.234567,"at":"2023-11-14T22:13:20Z","last":null,"size":7},` +
				`"then":{"do":"stop"}}`,
		},
		{Decision{Line: &Line{ID: "a.b"}, At: time.Unix(0, 0)}, `{"line":"a.b","at":"1970-01-01T00:00:00Z"}`},
	} {
		b, err := json.Marshal(c.d)
		if err != nil {
			t.Fatal(err)
		}
		if string(b) != c.want {
			t.Errorf("got  %s\nwant %s", b, c.want)
		}
		if b, err = json.Marshal(&c.d); err != nil || string(b) != c.want {
			t.Errorf("by its address: %s %v", b, err)
		}
	}
}

// Bytes of decisions are equal when the decisions are, and only then: every field counts.
func TestAppendTo(t *testing.T) {
	l, other := &Line{ID: "a.b"}, &Line{ID: "a.c"}
	base := Decision{Line: l, At: time.Unix(5, 6), Member: "m", Queue: orders3, Task: 1, N: [6]int64{1, 2, 3, 4, 5, 6}, Text: "t"}
	changed := []func(d *Decision){
		func(d *Decision) { d.Line = other },
		func(d *Decision) { d.Line = nil },
		func(d *Decision) { d.At = d.At.Add(1) },
		func(d *Decision) { d.Member = "" },
		func(d *Decision) { d.Member, d.Queue.Topic = "mo", "rders" },
		func(d *Decision) { d.Queue.BrokerName = "b" },
		func(d *Decision) { d.Queue.QueueID++ },
		func(d *Decision) { d.Task++ },
		func(d *Decision) { d.Yes = true },
		func(d *Decision) { d.N[0]++ },
		func(d *Decision) { d.N[5]-- },
		func(d *Decision) { d.Text = "" },
		func(d *Decision) { d.Then.Do = Stop },
		func(d *Decision) { d.Then.Delay = 1 },
		func(d *Decision) { d.Then.Why = "w" },
	}
	same := base
	same.At = base.At.UTC()
	seen := [][]byte{base.AppendTo(nil)}
	if !bytes.Equal(seen[0], same.AppendTo(nil)) {
		t.Error("the time zone shows in the bytes")
	}
	for i, change := range changed {
		d := base
		change(&d)
		b := d.AppendTo(nil)
		for _, s := range seen {
			if bytes.Equal(s, b) {
				t.Errorf("change %d does not show in the bytes", i)
			}
		}
		seen = append(seen, b)
	}
	if b := base.AppendTo([]byte("x")); string(b) != "x"+string(seen[0]) {
		t.Error("it does not append")
	}
}

// Each line says what it has: its placeholders are filled, its numbers fit.
func TestLines(t *testing.T) {
	id := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*\.[a-z0-9]+(-[a-z0-9]+)*$`)
	hole := regexp.MustCompile(`\{([^}]*)\}`)
	seen := map[string]bool{}
	for _, l := range Lines() {
		if !id.MatchString(l.ID) || seen[l.ID] {
			t.Errorf("%q: no ID, or there twice", l.ID)
		}
		seen[l.ID] = true
		if Find(l.ID) != l {
			t.Errorf("%s is not found", l.ID)
		}
		if l.Words == "" || l.Java == "" || len(l.Values) > 6 {
			t.Errorf("%s: words %q, Java %q, %d values", l.ID, l.Words, l.Java, len(l.Values))
		}
		names := map[string]bool{"queue": true, "task": true}
		for _, v := range l.Values {
			if names[v.Name] || v.Name == l.Text {
				t.Errorf("%s has %s twice", l.ID, v.Name)
			}
			names[v.Name] = true
		}
		if l.Text != "" {
			names[l.Text] = true
		}
		for _, m := range hole.FindAllStringSubmatch(l.Words, -1) {
			if !names[m[1]] {
				t.Errorf("%s: there is no %s", l.ID, m[1])
			}
		}
	}
}
