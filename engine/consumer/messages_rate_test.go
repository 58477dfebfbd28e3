package consumer

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestRateIsWhatIsSpentInTheLongRun: saved up is one second's, and what was spent in advance is
// missing later.
func TestRateIsWhatIsSpentInTheLongRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := Rate(1000).allowance()
		spend := func(piece int, most time.Duration) (all int) {
			for range most / time.Millisecond {
				if a.open(time.Now()) {
					a.spend(piece)
					all += piece
				}
				time.Sleep(time.Millisecond)
			}
			return all
		}
		if all := spend(100, 10*time.Second); all < 10_800 || all > 11_100 {
			t.Errorf("%d were spent in 10 s at 1000 a second, with 1000 saved", all)
		}
		if all := spend(5000, 20*time.Second); all < 20_000 || all > 25_000 {
			t.Errorf("%d were spent in 20 s in pieces of five seconds", all)
		}
		time.Sleep(24 * time.Hour)
		if !a.open(time.Now()) || a.have != 1000 {
			t.Errorf("%v are saved after a day", a.have)
		}
		if a = EveryMessage.allowance(); !a.open(time.Now()) {
			t.Error("all are allowed, and none is")
		}
		if a.spend(1 << 30); !a.open(time.Now()) {
			t.Error("all are allowed, and no more are")
		}
	})
}

func TestRateInWords(t *testing.T) {
	for r, want := range map[Rate]string{0: "at most 256KiB a second", EveryMessage: "every one", 96 << 10: "at most 96KiB a second", 1001: "at most 1001B a second"} {
		if got := r.Words(); got != want {
			t.Errorf("%d: %q, want %q", int64(r), got, want)
		}
	}
}
