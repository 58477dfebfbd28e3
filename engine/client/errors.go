package client

import (
	"errors"
	"fmt"
	"strings"

	"mqscope/engine/protocol"
	"mqscope/engine/recording/policy"
	"mqscope/engine/remoting"
)

// What callers may branch on. Answers of brokers are *protocol.BrokerError, failures of
// connections wrap the errors of package remoting.
var (
	// ErrNotRunning: Run has not begun or has ended.
	ErrNotRunning = errors.New("the client instance is not running")
	// ErrAlreadyRun: an Instance, and a consumer on it, run once; make a new one.
	ErrAlreadyRun = errors.New("it was run before: make a new one")
	// ErrDuplicateGroup: an instance has one consumer per group.
	ErrDuplicateGroup = errors.New("the group is registered on this instance already: give one of the two another instance or group name")
	// ErrNoRoute: the name server does not know the topic.
	ErrNoRoute = errors.New("the topic has no route")
	// ErrNoBroker: no address of the broker is known.
	ErrNoBroker = errors.New("no address of the broker is known")
	// ErrNoNameServer: none of the name servers gave any answer.
	ErrNoNameServer = errors.New("no name server answered")
	// ErrNotWritable: no queue of the topic may be written.
	ErrNotWritable = errors.New("no queue of the topic may be written")
	// ErrOutcomeUnknown: the request may have been carried out although no answer came.
	ErrOutcomeUnknown = errors.New("the outcome is unknown")
	// ErrBadAnswer: an answer says success but lacks what it should bring.
	ErrBadAnswer = errors.New("the answer makes no sense")
)

// answered returns nil for success and a *protocol.BrokerError for any other code.
func answered(cmd *remoting.Command, addr string) error {
	if code := protocol.ResponseCode(cmd.Code); code != protocol.Success {
		err := saidNo(code, cmd.Remark, addr)
		if strings.Contains(cmd.Remark, noFilter) {
			return fmt.Errorf("%w: set enablePropertyFilter=true at the broker, or select by tags", err)
		}
		return err
	}
	return nil
}

// saidNo is an answer that says no. Brokers that refuse a signature quote the access key, and more.
func saidNo(code protocol.ResponseCode, remark, addr string) *protocol.BrokerError {
	remark, _ = policy.Scrub(remark)
	return &protocol.BrokerError{Code: code, Remark: remark, Addr: addr}
}

// noFilter is in the remark of a broker that is asked to filter by what it has switched off
// (Java: PullMessageProcessor, ClientManageProcessor.checkClientConfig).
const noFilter = "does not support consumer to filter message by"

// codeOf is the response code inside err; ok is false when err is not an answer.
func codeOf(err error) (protocol.ResponseCode, bool) {
	if be, ok := errors.AsType[*protocol.BrokerError](err); ok {
		return be.Code, true
	}
	return 0, false
}

func badAnswer(addr string, err error) error {
	return fmt.Errorf("%w: %s: %w", ErrBadAnswer, addr, err)
}

// joined is errors.Join in one line.
func joined(errs []error) error {
	if len(errs) < 2 {
		return errors.Join(errs...)
	}
	args := make([]any, len(errs))
	for i, err := range errs {
		args[i] = err
	}
	return fmt.Errorf(strings.Repeat("%w; ", len(errs)-1)+"%w", args...)
}
