package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestTableShowsMediansAndRatios(t *testing.T) {
	result := func(seconds, cpu float64) Result {
		return Result{Messages: 1000, Seconds: seconds, CPU: cpu, Objects: 2, Bytes: 10, StartMs: 1, PeakKB: 2048, PerCall: 1}
	}
	results := map[string][]Result{
		"a": {result(1, 300), result(4, 100), result(2, 200)},
		"b": {result(10, 1000), result(10, 3000)},
	}
	var out bytes.Buffer
	printTable(&out, []string{"a", "b"}, results)
	rows := strings.Split(strings.TrimSpace(out.String()), "\n")
	want := []string{
		"| a | 500 (250 to 1000) | 200 (100 to 300) | 2.00 (2.00 to 2.00) |",
		"| b | 100 (100 to 100) | 2000 (1000 to 3000) |",
		"| times better | 5.0 | 10.0 | 1.0 | 1.0 | – |", // no collections on either side
	}
	if len(rows) != 5 {
		t.Fatalf("%d rows, want 5:\n%s", len(rows), out.String())
	}
	for i, w := range want {
		if !strings.HasPrefix(rows[i+2], w) {
			t.Errorf("row %d is\n%s\nwant it to begin with\n%s", i+3, rows[i+2], w)
		}
	}
}

func TestMeterFindsOutWhatWasNotTheDrain(t *testing.T) {
	s := settings{Messages: 4, Size: 16, Batch: 2, Topic: "t"}
	body := func(n int) []byte { return fillMessage(s, n).Body }
	spoiled := body(3)
	spoiled[15]++
	tests := []struct {
		name  string
		calls [][][]byte
		want  string // in the error; none if empty
	}{
		{name: "each message once", calls: [][][]byte{{body(0), body(1)}, {body(3)}, {body(2)}}},
		{name: "one twice and one never", calls: [][][]byte{{body(0), body(1)}, {body(1), body(2)}}, want: "not each once"},
		{name: "a body with another byte", calls: [][][]byte{{body(0), body(1)}, {body(2), spoiled}}, want: "not each once"},
		{name: "one too many", calls: [][][]byte{{body(0), body(1)}, {body(2), body(3)}, {body(3)}}, want: "handled 5 messages"},
		{name: "more in a call than asked for", calls: [][][]byte{{body(0), body(1), body(2)}, {body(3)}}, want: "3 messages at once"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := newMeter("x", s)
			for _, call := range tt.calls {
				m.call(len(call))
				for _, b := range call {
					m.take(b)
				}
			}
			<-m.done
			_, err := m.result()
			switch {
			case tt.want == "" && err != nil:
				t.Error(err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}
