package consumer

import (
	"fmt"
	"strconv"
	"time"
)

// Rate is how many bytes of messages are recorded a second at most, 0 being DefaultRate. Where
// messages come faster, those of whole pulls are left out, and the recording says which. So recording
// costs what it costs at that rate, however fast a consumer catches up. What is saved up while fewer
// come is the bytes of one second.
type Rate int64

const (
	// DefaultRate is some 750 messages a second of which 256 bytes of the body are kept: at any speed the
	// consumer spends a few per cent more with it, not twice as much.
	DefaultRate Rate = 256 << 10
	// EveryMessage leaves out none.
	EveryMessage Rate = -1
)

// String is what a person would write, and the header of a recording has.
func (r Rate) String() string {
	switch r {
	case EveryMessage:
		return "all"
	case 0:
		r = DefaultRate
	}
	for _, u := range []struct {
		name string
		n    Rate
	}{{"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if r%u.n == 0 {
			return strconv.FormatInt(int64(r/u.n), 10) + u.name
		}
	}
	return fmt.Sprintf("%dB", int64(r))
}

// Words says it in words, for the header of a recording.
func (r Rate) Words() string {
	if r == EveryMessage {
		return "every one"
	}
	return "at most " + r.String() + " a second"
}

func (r Rate) allowance() allowance {
	if r == 0 {
		r = DefaultRate
	}
	return allowance{per: float64(r), have: float64(r)}
}

// allowance is what may be spent.
type allowance struct {
	per  float64 // a second; below 0: any
	have float64 // below 0: was spent in advance
	at   time.Time
}

// refillEvery is how often what has become free is added at most: each pull asks.
const refillEvery = 10 * time.Millisecond

// open tells whether anything may be spent at a time, which may be a little before that of the last call.
func (a *allowance) open(now time.Time) bool {
	if a.per < 0 {
		return true
	}
	if a.at.IsZero() {
		a.at = now
	}
	if by := now.Sub(a.at); by >= refillEvery {
		a.at, a.have = now, min(a.per, a.have+a.per*by.Seconds())
	}
	return a.have > 0
}

func (a *allowance) spend(n int) {
	if a.per >= 0 {
		a.have -= float64(n)
	}
}
