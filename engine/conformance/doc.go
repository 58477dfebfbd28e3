// Package conformance has the checks of broker.md §12: what a RocketMQ name server and broker
// answer to given requests, each written once against an address and a dialer.
//
// They run against package embedded always, in virtual time, and against a real cluster when
// MQSCOPE_NAMESRV names its name server. Where both differ the real one is right. A check
// uses fresh topic and group names and leaves them behind. The package owns no goroutine;
// whoever runs a check provides running clients. It has no Java counterpart.
package conformance
