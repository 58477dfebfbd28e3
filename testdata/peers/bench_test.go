package main

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestMain lets the test binary be the processes of a bench, too.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-") {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestAllRowsAreMeasured(t *testing.T) {
	var out bytes.Buffer
	s := settings{Broker: "embedded", Rows: "catchup,latency,start,idle", Contestants: "mqscope", Rounds: 2, Patience: time.Minute, Raw: true}
	s.job.knobs(flag.NewFlagSet("", flag.ContinueOnError)) // their defaults
	s.Count, s.Skip, s.Rates = 3000, 1000, "100x200ms,1000x100ms"
	s.IdleQueues, s.Settle, s.Idle = 16, 200*time.Millisecond, 200*time.Millisecond
	if err := bench(t.Context(), s, &out); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	text := out.String()
	for _, mode := range []string{"concurrent", "orderly"} {
		for _, want := range []string{
			"| catch-up, " + mode + ": CPU ns a message | ", "| store to handler, " + mode + ", 1000/s: p99 ms | ",
			"| start to first message, " + mode + ": ms | ", "| idle, " + mode + ": % of a core | ",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("the table lacks %q:\n%s", want, text)
			}
		}
	}
	if got, want := strings.Count(text, `"Event":"peers`), 2*2*3+2; got != want { // idle has one turn
		t.Errorf("%d turns were told, want %d:\n%s", got, want, text)
	}
}

func TestAChildThatFailsIsToldOf(t *testing.T) {
	s := settings{Broker: "127.0.0.1:1", Rows: "start", Contestants: "mqscope", Rounds: 1, Patience: 300 * time.Millisecond}
	s.job.knobs(flag.NewFlagSet("", flag.ContinueOnError))
	err := bench(t.Context(), s, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "row start") || !strings.Contains(err.Error(), "setup") {
		t.Errorf("error %v, want one that names the row and the process", err)
	}
}

func TestATurnIsTakenAgainOnce(t *testing.T) {
	down := errors.New("down")
	for _, tt := range []struct {
		name  string
		fails int
		want  error
		tried []string
	}{
		{name: "a turn that succeeds", tried: []string{"g"}},
		{name: "one that fails once", fails: 1, tried: []string{"g", "g_again"}},
		{name: "one that fails always", fails: 9, want: down, tried: []string{"g", "g_again"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b, j := &turns{}, job{Group: "g"}
			var tried []string
			err := b.again(t.Context(), &j, func() error {
				if tried = append(tried, j.Group); len(tried) <= tt.fails {
					return down
				}
				return nil
			})
			if err != tt.want || !slices.Equal(tried, tt.tried) || b.failed != len(tried)-1 {
				t.Errorf("error %v after %q, %d failures counted; want %v after %q", err, tried, b.failed, tt.want, tt.tried)
			}
		})
	}
}

func TestTableShowsMediansAndRatios(t *testing.T) {
	catchUp := func(seconds, cpu, objects float64) report {
		return report{Measured: 1000, Seconds: seconds, CPU: cpu, Objects: objects}
	}
	var all results
	for who, reports := range map[string][]report{
		"a": {catchUp(1, 300, 2), catchUp(4, 100, 2), catchUp(2, 200, 2)},
		"b": {catchUp(10, 1000, 8), catchUp(10, 3000, 8)},
		"c": {catchUp(1, 200, 0)},
	} {
		for _, r := range reports {
			for _, f := range figures("catchup", "orderly", r, nil) {
				all.add(who, f)
			}
		}
	}
	slices.SortFunc(all.kinds, func(x, y figure) int { return strings.Compare(x.title, y.title) }) // the map's order is chance
	var out bytes.Buffer
	all.print(&out, []string{"a", "b", "c"})
	want := `|  | a | b | times | c | times |
| --- | ---: | ---: | ---: | ---: | ---: |
| catch-up, orderly: CPU ns a message | 200 (100 to 300) | 2000 (1000 to 3000) | 10.0 | 200 | 1.0 |
| catch-up, orderly: messages/s | 500 (250 to 1000) | 100 (100 to 100) | 5.0 | 1000 | 0.5 |
| catch-up, orderly: objects a message | 2.00 (2.00 to 2.00) | 8.00 (8.00 to 8.00) | 4.0 | – | – |
`
	if got := out.String(); got != want {
		t.Errorf("table\n%s\nwant\n%s", got, want)
	}
}

func TestLatenciesAreToldByRate(t *testing.T) {
	r := report{Latencies: []int64{5e6, 1e6, 3e6, 40e6, 20e6}}
	phases := []phase{{rate: 10, count: 3}, {rate: 200, count: 2}}
	var got []string
	for _, f := range figures("latency", "orderly", r, phases) {
		got = append(got, f.title+" "+f.text(f.value))
	}
	want := []string{
		"store to handler, orderly, 10/s: p50 ms 3.00", "store to handler, orderly, 10/s: p99 ms 5.00", "store to handler, orderly, 10/s: max ms 5.00",
		"store to handler, orderly, 200/s: p50 ms 20.00", "store to handler, orderly, 200/s: p99 ms 40.00", "store to handler, orderly, 200/s: max ms 40.00",
	}
	if !slices.Equal(got, want) {
		t.Errorf("figures %q, want %q", got, want)
	}
}

func TestPercentileIsTheNearestRank(t *testing.T) {
	hundred := make([]int64, 100)
	for i := range hundred {
		hundred[i] = int64(i + 1)
	}
	for _, tt := range []struct {
		list []int64
		p    float64
		want int64
	}{
		{hundred, 50, 50}, {hundred, 99, 99}, {hundred, 100, 100}, {hundred, 0, 1}, {hundred, 99.5, 100},
		{hundred[:1], 50, 1}, {hundred[:2], 50, 1}, {hundred[:3], 50, 2}, {hundred[:50], 99, 50},
	} {
		if got := percentile(tt.list, tt.p); got != tt.want {
			t.Errorf("percentile %v of %d values is %d, want %d", tt.p, len(tt.list), got, tt.want)
		}
	}
}

func TestAJobSurvivesItsArguments(t *testing.T) {
	j := job{
		Do: "latency", Who: "java", NameServer: "127.0.0.1:1", Topic: "t", WarmTopic: "w", Group: "g", Orderly: true,
		First: 1, Skip: 2, Count: 3, Rate: 4, Size: 5, Queues: 6, IdleQueues: 7, Batch: 8, Pull: 9,
		Settle: time.Second, Idle: time.Minute, Rates: "1x1s", CPUProfile: "/tmp/a b",
	}
	back, err := parseJob(j.args())
	if err != nil || back != j {
		t.Errorf("came back as %+v, %v; want %+v", back, err, j)
	}
	if _, err := parseJob([]string{"nonsense=1", "size=x"}); err == nil || !strings.Contains(err.Error(), "nonsense=1") || !strings.Contains(err.Error(), "size=x") {
		t.Errorf("error %v, want one that names both arguments", err)
	}
}

func TestRatesAreRead(t *testing.T) {
	got, err := job{Rates: "10x4s,2000x1500ms"}.phases()
	if want := []phase{{10, 40}, {2000, 3000}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("phases %v, %v; want %v", got, err, want)
	}
	for _, bad := range []string{"", "10", "10x", "x3s", "0x3s", "10x1ms", "10x4s,,"} {
		if got, err := (job{Rates: bad}).phases(); err == nil {
			t.Errorf("%q is read as %v", bad, got)
		}
	}
}

func TestKnobsOutOfRangeAreAllNamed(t *testing.T) {
	s := settings{job: job{Rates: "fast"}, Rows: "catchup,lunch", Contestants: "mqscope,us"}
	err := s.check([]string{"more"})
	for _, want := range []string{"more", "-rounds", "-n is 0", "-size is 0", "-queues", "-idle-queues", "-batch", "-pull", "lunch", "us", "fast"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v: it does not name %s", err, want)
		}
	}
}

func TestMeterFindsOutWhatWasNotTheDrain(t *testing.T) {
	j := job{Count: 4, Size: 24, Batch: 2, Queues: 1, Orderly: true}
	type message struct {
		n      int
		offset int64
		spoil  bool
	}
	tests := []struct {
		name  string
		calls [][]message
		want  string // in the error; none if empty
	}{
		{name: "each message once", calls: [][]message{{{n: 1}, {n: 0, offset: 1}}, {{n: 3, offset: 2}}, {{n: 2, offset: 3}}}},
		{name: "one twice and one never", calls: [][]message{{{n: 0}, {n: 1, offset: 1}}, {{n: 1, offset: 2}, {n: 2, offset: 3}}}, want: "was to come once"},
		{name: "a body with another byte", calls: [][]message{{{n: 0}, {n: 1, offset: 1}}, {{n: 2, offset: 2}, {n: 3, offset: 3, spoil: true}}}, want: "1 bodies"},
		{name: "one too many", calls: [][]message{{{n: 0}, {n: 1, offset: 1}}, {{n: 2, offset: 2}, {n: 3, offset: 3}}, {{n: 3, offset: 4}}}, want: "handled 5 messages"},
		{name: "more in a call than asked for", calls: [][]message{{{n: 0}, {n: 1, offset: 1}, {n: 2, offset: 2}}, {{n: 3, offset: 3}}}, want: "3 messages at once"},
		{name: "out of order", calls: [][]message{{{n: 0}, {n: 1, offset: 2}}, {{n: 2, offset: 1}, {n: 3, offset: 3}}}, want: "1 messages came after a later one"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := newMeter(j)
			for _, call := range tt.calls {
				m.call(len(call))
				for _, msg := range call {
					b := body(j.Size, msg.n, 0)
					if msg.spoil {
						b[j.Size-1]++
					}
					m.take(0, msg.offset, b)
				}
			}
			<-m.done
			err := m.check(true)
			switch {
			case tt.want == "" && err != nil:
				t.Error(err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestMeterTimesWhatCameAfterTheSkipped(t *testing.T) {
	m := newMeter(job{Do: "latency", Skip: 1, Count: 2, Size: 16, Batch: 1, Queues: 1})
	m.take(0, 0, body(16, 0, 0))
	<-m.warm
	for n := 1; n <= 2; n++ {
		m.take(0, int64(n), body(16, n, time.Now().Add(-time.Hour).UnixNano()))
	}
	<-m.done
	for n, d := range m.latencies {
		if got := time.Duration(d); got < time.Hour || got > 2*time.Hour {
			t.Errorf("message %d took %v, want an hour and a little", n, got)
		}
	}
}
