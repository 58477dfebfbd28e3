// Package conformance has the checks of broker.md §12: what a RocketMQ name server and broker
// answer to given requests, each written once against an address and a dialer.
//
// They run against package embedded always, in virtual time; against Apache's broker where
// package apachetest has it, all but the few that wait for more than a minute; and against a
// cluster whose name server MQSCOPE_NAMESRV names. Where both differ the real one is right. A check
// uses fresh topic and group names and leaves them behind. The package owns no goroutine;
// whoever runs a check provides running clients. It has no Java counterpart.
package conformance
