package client

import (
	"context"
	"errors"

	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
	"mqscope/engine/route"
)

// Class says what an error means for whoever might try again.
type Class uint8

const (
	// OK is the class of nil.
	OK Class = iota
	// Canceled: the caller itself gave up.
	Canceled
	// Stopped: this instance or address was closed.
	Stopped
	// Unreachable: nothing was sent; another address may work, this one later.
	Unreachable
	// Lost: the request went out and no answer came: it may have been carried out.
	Lost
	// Busy: the peer, or a queue on this side, asks to slow down.
	Busy
	// Missing: topic, group, subscription or route is not known there (yet): a refresh or a
	// heartbeat may help.
	Missing
	// Refused: no permission; a person must act.
	Refused
	// Invalid: the request itself is at fault and will be again.
	Invalid
	// Broken: the peer answered something that makes no sense.
	Broken
	// Failed: the peer could not do it now.
	Failed
)

// String is a word for logs and screens.
func (c Class) String() string {
	return [...]string{"ok", "canceled", "stopped", "unreachable", "lost", "busy",
		"missing", "refused", "invalid", "broken", "failed"}[c]
}

// Retry tells whether the same request may succeed later.
func (c Class) Retry() bool {
	switch c {
	case Unreachable, Lost, Busy, Missing, Failed, Broken:
		return true
	case OK, Canceled, Stopped, Refused, Invalid:
	}
	return false
}

// Elsewhere tells whether another broker may do what this one did not
// (Java: DefaultMQProducer.retryResponseCodes and the send loop around it).
func (c Class) Elsewhere() bool { return c.Retry() || c == Refused }

// Uncertain tells whether the request may have been carried out all the same.
func (c Class) Uncertain() bool { return c == Lost || c == Broken }

// Classify says what may be tried again after err and why. It is the one place that knows.
func Classify(err error) Class {
	switch {
	case err == nil:
		return OK
	case errors.Is(err, context.Canceled):
		return Canceled
	case errors.Is(err, ErrNotRunning):
		return Stopped
	}
	if code, ok := codeOf(err); ok {
		return classOfCode(code)
	}
	if _, ok := errors.AsType[*route.RejectedError](err); ok {
		return Broken
	}
	switch {
	case errors.Is(err, remoting.ErrTimeout), errors.Is(err, remoting.ErrLost), errors.Is(err, context.DeadlineExceeded):
		return Lost
	case errors.Is(err, remoting.ErrClosed):
		return Stopped
	case errors.Is(err, remoting.ErrUnreachable), errors.Is(err, ErrNoNameServer):
		return Unreachable
	case errors.Is(err, remoting.ErrBusy):
		return Busy
	case errors.Is(err, ErrNoRoute), errors.Is(err, ErrNoBroker), errors.Is(err, ErrNotWritable):
		return Missing
	case errors.Is(err, ErrBadAnswer):
		return Broken
	}
	return Failed
}

func classOfCode(code protocol.ResponseCode) Class {
	switch code {
	case protocol.Success:
		return OK
	case protocol.SystemBusy, protocol.FlowControl, protocol.PollingFull:
		return Busy
	case protocol.NoPermission:
		return Refused
	case protocol.TopicNotExist, protocol.SubscriptionNotExist, protocol.SubscriptionNotLatest,
		protocol.SubscriptionGroupNotExist, protocol.FilterDataNotExist, protocol.FilterDataNotLatest,
		protocol.QueryNotFound, protocol.ConsumerNotOnline, protocol.BrokerNotExist:
		return Missing
	case protocol.MessageIllegal, protocol.SubscriptionParseFailed, protocol.InvalidParameter,
		protocol.RequestCodeNotSupported, protocol.VersionNotSupported:
		return Invalid
	}
	return Failed
}
