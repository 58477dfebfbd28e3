package views

import (
	"testing"
	"time"
)

func TestSinceCountsFromTheStart(t *testing.T) {
	start := time.Date(2026, 3, 9, 12, 0, 0, 0, time.UTC)
	for d, want := range map[time.Duration]string{
		0:                              "t+0.000s",
		12_340 * time.Millisecond:      "t+12.340s",
		999_999 * time.Nanosecond:      "t+0.000s",
		62_340 * time.Millisecond:      "t+1m02.340s",
		26*time.Hour + 249*time.Second: "t+26h04m09.000s",
		-1500 * time.Millisecond:       "t-1.500s",
		1<<63 - 1:                      "t+2562047h47m16.854s",
		-1 << 63:                       "t-1281023h53m38.427s",
	} {
		if got := Since(start, start.Add(d)); got.String() != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}
