package views

import (
	"math"
	"testing"
	"time"

	"mqscope/engine/snapshot"
	"mqscope/themes"
)

func TestCount(t *testing.T) {
	tests := []struct {
		name  string
		n     int64
		exact bool
		want  string
	}{
		{"zero", 0, false, "0"},
		{"plain up to 9,999", 9_999, false, "9,999"},
		{"three digits above", 12_345, false, "12.3k"},
		{"rounding reaches the next unit", 999_950, false, "1.00M"},
		{"millions", 4_560_000, false, "4.56M"},
		{"giga", 1_200_000_000, false, "1.20G"},
		{"the largest", math.MaxInt64, false, "9.22E"},
		{"negative is evidence", -123, false, "-123"},
		{"large negative", -45_678, false, "-45.7k"},
		{"exact keeps every digit", 1_234_567, true, "1,234,567"},
		{"the largest exact", math.MaxInt64, true, "9,223,372,036,854,775,807"},
		{"the smallest exact", math.MinInt64, true, "-9,223,372,036,854,775,808"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Count(tt.n, tt.exact).String(); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestCountNeverWidensWithinAUnit(t *testing.T) {
	for n := int64(10_000); n < 1<<58; n = n*13/10 + 1 {
		if w := Count(n, false).Width(); w < 4 || w > 5 {
			t.Fatalf("%d is written as %s", n, Count(n, false))
		}
	}
}

func TestDuration(t *testing.T) {
	g := themes.Unicode()
	for want, d := range map[string]time.Duration{
		"0s": 0, "950µs": 950 * time.Microsecond, "12.3ms": 12300 * time.Microsecond, "12ms": 12 * time.Millisecond,
		"120ms": 120 * time.Millisecond, "4.2s": 4200 * time.Millisecond, "41s": 41 * time.Second, "4m18s": 258 * time.Second,
		"2h14m": 2*time.Hour + 14*time.Minute + 59*time.Second, "3d04h": 76 * time.Hour, "-2s": -2 * time.Second,
		"106751d23h": math.MaxInt64, "-106751d23h": math.MinInt64, "59s": 59400 * time.Millisecond, "10s": 9999 * time.Millisecond,
	} {
		if got := Duration(d, g).String(); got != want {
			t.Errorf("%d is written as %s, want %s", d, got, want)
		}
	}
	if got := Duration(time.Microsecond, themes.ASCII()).String(); got != "1us" {
		t.Errorf("in ASCII a microsecond is %s", got)
	}
}

func TestBytes(t *testing.T) {
	for want, n := range map[string]int64{
		"0B": 0, "412B": 412, "1.2KiB": 1229, "402KiB": 412_000, "42MiB": 44_040_192, "1.0TiB": 1 << 40, "8.0EiB": math.MaxInt64, "-412B": -412,
	} {
		if got := Bytes(n, false).String(); got != want {
			t.Errorf("%d is written as %s, want %s", n, got, want)
		}
	}
	if got := Bytes(44_040_192, true).String(); got != "44,040,192B" {
		t.Errorf("exact bytes are %s", got)
	}
}

func TestRate(t *testing.T) {
	for want, v := range map[string]float64{
		"0/s": 0, "0.3/s": 0.3, "29/s": 29, "4,100/s": 4100, "84.0M/s": 8.4e7, "-80/s": -80, "?/s": math.NaN(),
	} {
		if got := PerSecond(v, false).String(); got != want {
			t.Errorf("%v is written as %s, want %s", v, got, want)
		}
	}
}

func TestOffsetsStayExactAsLongAsTheyCan(t *testing.T) {
	g := themes.Unicode()
	const n = math.MaxInt64
	for w, want := range map[int]string{
		26: "9,223,372,036,854,775,807", 25: "9,223,372,036,854,775,807", 20: "9223372036854775807", 19: "9223372036854775807", 8: "…775,807",
	} {
		if got := Offset(n, w, g).String(); got != want {
			t.Errorf("in %d cells: %s, want %s", w, got, want)
		}
	}
}

func TestAgo(t *testing.T) {
	g, now := themes.Unicode(), time.Unix(1_000_000, 0)
	for want, d := range map[string]time.Duration{
		"0.4s ago": 400 * time.Millisecond, "41s ago": 41 * time.Second, "0.0s ago": -time.Millisecond, "clock skew -2s": -2 * time.Second,
	} {
		if got := Ago(now, now.Add(-d), g).String(); got != want {
			t.Errorf("%v before now: %s, want %s", d, got, want)
		}
	}
}

func TestUntil(t *testing.T) {
	g, now := themes.Unicode(), time.Unix(1_000_000, 0)
	for want, d := range map[string]time.Duration{
		"+31ms": 31*time.Millisecond + 200*time.Microsecond, "due": -time.Second, "+2.3s": 2300 * time.Millisecond,
	} {
		if got := Until(now, now.Add(d), g).String(); got != want {
			t.Errorf("%v from now: %s, want %s", d, got, want)
		}
	}
}

// TestStatesOfAValueDifferInPlainText: unknown is not zero, stale is not fresh.
func TestStatesOfAValueDifferInPlainText(t *testing.T) {
	now := time.Unix(100, 0)
	seen := map[string]bool{}
	for _, v := range []snapshot.Val[int64]{
		snapshot.Of(int64(0), now), snapshot.Of(int64(0), now).Aged(now.Add(time.Hour), time.Second), snapshot.UnknownBecause[int64]("x"), snapshot.NA[int64](),
	} {
		text := Value(v, themes.Text, Exact).Text.String()
		if seen[text] {
			t.Errorf("two states are written as %q", text)
		}
		seen[text] = true
	}
	for want, got := range map[string]string{
		"7,489":  Lag(snapshot.Of(int64(7489), now), false, themes.Unicode()).Text.String(),
		"-123▲":  Lag(snapshot.Of(int64(-123), now), false, themes.Unicode()).Text.String(),
		"≥12.4M": AtLeast(snapshot.Of(int64(12_400_000), now), 3, false, themes.Unicode()).Text.String(),
		"?":      AtLeast(snapshot.UnknownBecause[int64]("x"), 3, false, themes.Unicode()).Text.String(),
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestSumsKeepDoubts(t *testing.T) {
	now := time.Unix(100, 0)
	known := snapshot.Of(int64(5), now)
	stale := known.Aged(now.Add(time.Hour), time.Second)
	tests := []struct {
		name    string
		parts   []snapshot.Val[int64]
		state   snapshot.State
		v       int64
		missing int
	}{
		{"known parts add up", []snapshot.Val[int64]{known, known}, snapshot.Known, 10, 0},
		{"a stale part makes the sum stale", []snapshot.Val[int64]{known, stale}, snapshot.Stale, 10, 0},
		{"an unknown part is counted, not added", []snapshot.Val[int64]{known, {}}, snapshot.Known, 5, 1},
		{"nothing known gives no sum", []snapshot.Val[int64]{{}, {}}, snapshot.Unknown, 0, 2},
		{"what has no meaning is no part", []snapshot.Val[int64]{known, snapshot.NA[int64]()}, snapshot.Known, 5, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var sum snapshot.Val[int64]
			missing := 0
			for _, p := range tt.parts {
				sum, missing = AddVal(sum, p, missing)
			}
			if sum.State != tt.state || sum.V != tt.v || missing != tt.missing {
				t.Errorf("got %v %d, %d missing", sum.State, sum.V, missing)
			}
		})
	}
}

func TestDrain(t *testing.T) {
	tests := []struct {
		name    string
		waiting int64
		in, out float64
		want    string
	}{
		{"what waits leaves at the difference of rates", 720, 8, 10, "~6m00s"},
		{"a backlog that does not shrink never drains", 720, 10, 10, "never"},
		{"a backlog that grows never drains", 720, 12, 10, "never"},
		{"nothing waits", 0, 10, 10, "0s"},
		{"no rate, no answer", 720, math.NaN(), 10, "?"},
		{"beyond any horizon is never", math.MaxInt64, 0, 1, "never"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := DrainSpan(Drain(tt.waiting, tt.in, tt.out))(themes.Unicode()).Text.String(); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestMarksDifferInSignAndWord(t *testing.T) {
	signs, words := map[themes.Glyph]bool{}, map[Lit]bool{}
	for m := snapshot.MarkOK; m <= snapshot.MarkUnknown; m++ {
		signs[MarkGlyph(m, themes.ASCII())], words[MarkWord(m)] = true, true
	}
	if len(signs) != 6 || len(words) != 6 {
		t.Errorf("%d signs and %d words for 6 marks", len(signs), len(words))
	}
	if Worse(snapshot.MarkOK, snapshot.MarkUnknown) != snapshot.MarkUnknown {
		t.Error("unknown counts as healthy")
	}
	if Worse(snapshot.MarkUnknown, snapshot.MarkBad) != snapshot.MarkBad {
		t.Error("unknown hides what is bad")
	}
}
