package remoting

import (
	"errors"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine/clock"
)

func newTestLink() *link {
	l := Limits{}.withDefaults()
	return (&link{addr: brokerA, clock: clock.System{}, limits: &l, pool: &pool{}, count: &counters{}, idle: time.Minute}).start()
}

func TestEndedLinkSaysWhetherARequestWasSent(t *testing.T) {
	tests := []struct {
		name           string
		end            error
		inFlight, next error
	}{
		{"a lost connection: the call may have been carried out, the next one was not sent", &LostError{brokerA, io.EOF}, ErrLost, ErrUnreachable},
		{"a dial that failed: none was sent", &UnreachableError{Addr: brokerA, Err: io.EOF}, ErrUnreachable, ErrUnreachable},
		{"closed by this side", ErrClosed, ErrClosed, ErrClosed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := newTestLink()
			var got error
			if _, err := l.call(&Command{}, time.Hour, func(a Answer) { got = a.Err }); err != nil {
				t.Fatal(err)
			}
			l.end(tt.end)
			l.end(io.ErrClosedPipe) // a second end changes nothing
			if !errors.Is(got, tt.inFlight) {
				t.Errorf("the call in flight: %v", got)
			}
			_, err := l.call(&Command{}, time.Hour, func(Answer) { t.Error("a call that was refused has ended") })
			if !errors.Is(err, tt.next) || tt.next != ErrLost && errors.Is(err, ErrLost) {
				t.Errorf("the next call: %v", err)
			}
			if err := l.oneWay(&Command{}); !errors.Is(err, tt.next) {
				t.Errorf("the next one-way request: %v", err)
			}
		})
	}
}

// From the moment that the timekeeper finds the link idle no call gets onto it.
func TestIdleLinkIsClosedToCallsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newTestLink()
		a, b := net.Pipe()
		defer a.Close()
		defer b.Close()
		if !l.connected(a) {
			t.Fatal("not connected")
		}
		time.Sleep(time.Minute)
		if _, err := l.expire(); !errors.Is(err, errIdle) {
			t.Fatal(err)
		}
		if _, err := l.call(&Command{}, time.Hour, func(Answer) {}); !errors.Is(err, errIdle) {
			t.Errorf("a call: %v", err)
		}
		if err := l.oneWay(&Command{}); !errors.Is(err, errIdle) {
			t.Errorf("a one-way request: %v", err)
		}
	})
}

func TestWhatWaitsToBeWrittenIsNotIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newTestLink()
		a, b := net.Pipe()
		defer a.Close()
		defer b.Close()
		l.connected(a)
		if err := l.oneWay(&Command{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		if _, err := l.expire(); err != nil {
			t.Error(err)
		}
	})
}
