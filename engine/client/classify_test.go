package client

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
	"mqscope/engine/route"
)

func TestClassify(t *testing.T) {
	answer := func(c protocol.ResponseCode) error { return &protocol.BrokerError{Code: c} }
	tests := []struct {
		name      string
		err       error
		want      Class
		retry     bool
		elsewhere bool
		uncertain bool
	}{
		{"no error", nil, OK, false, false, false},
		{"the caller gave up", context.Canceled, Canceled, false, false, false},
		{"the instance has ended", ErrNotRunning, Stopped, false, false, false},
		{"the connections have ended", remoting.ErrClosed, Stopped, false, false, false},
		{"the address was given up", &remoting.LostError{Err: remoting.ErrClosed}, Lost, true, true, true},
		{"no connection", &remoting.UnreachableError{Err: errRefused}, Unreachable, true, true, false},
		{"no name server", ErrNoNameServer, Unreachable, true, true, false},
		{"no answer in time", remoting.ErrTimeout, Lost, true, true, true},
		{"the caller's deadline", context.DeadlineExceeded, Lost, true, true, true},
		{"the connection ended", &remoting.LostError{Err: errRefused}, Lost, true, true, true},
		{"too much waits here", remoting.ErrBusy, Busy, true, true, false},
		{"a broker is busy", answer(protocol.SystemBusy), Busy, true, true, false},
		{"a broker slows us down", answer(protocol.FlowControl), Busy, true, true, false},
		{"no permission", answer(protocol.NoPermission), Refused, false, true, false},
		{"a missing topic", answer(protocol.TopicNotExist), Missing, true, true, false},
		{"a missing subscription", answer(protocol.SubscriptionNotExist), Missing, true, true, false},
		{"an old subscription", answer(protocol.SubscriptionNotLatest), Missing, true, true, false},
		{"a missing group", answer(protocol.SubscriptionGroupNotExist), Missing, true, true, false},
		{"no route", ErrNoRoute, Missing, true, true, false},
		{"no address", ErrNoBroker, Missing, true, true, false},
		{"an illegal message", answer(protocol.MessageIllegal), Invalid, false, false, false},
		{"a bad parameter", answer(protocol.InvalidParameter), Invalid, false, false, false},
		{"an unknown request", answer(protocol.RequestCodeNotSupported), Invalid, false, false, false},
		{"an error of the broker", answer(protocol.SystemError), Failed, true, true, false},
		{"a full disk", answer(protocol.ServiceNotAvailable), Failed, true, true, false},
		{"a code nobody knows", answer(4711), Failed, true, true, false},
		{"a rejected route", &route.RejectedError{}, Broken, true, true, true},
		{"an answer that makes no sense", ErrBadAnswer, Broken, true, true, true},
		{"anything else", errors.New("x"), Failed, true, true, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, err := range []error{tt.err, fmt.Errorf("what was tried: %w", tt.err)} {
				if tt.err == nil {
					err = nil
				}
				c := Classify(err)
				if c != tt.want || c.Retry() != tt.retry || c.Elsewhere() != tt.elsewhere || c.Uncertain() != tt.uncertain {
					t.Errorf("%v is %v: retry %v, elsewhere %v, uncertain %v", err, c, c.Retry(), c.Elsewhere(), c.Uncertain())
				}
				if c.String() == "" {
					t.Error("no word for it")
				}
			}
		})
	}
}
