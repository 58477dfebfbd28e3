// Contract: the sysFlag of a pull request and the permission bits of a topic. The sysFlag of
// a message is another set of bits: see package mq.

package protocol

// Bits of PullMessageRequest.SysFlag (Java: PullSysFlag).
const (
	// PullCommitOffset makes the broker commit the request's commitOffset. Leave it out when
	// pulling from a slave.
	PullCommitOffset int32 = 1 << iota
	// PullSuspend lets the broker hold the request until there is something to send.
	PullSuspend
	// PullSubscription says that the request carries the subscription; without it the one of
	// the last heartbeat counts, and a group without one gets SubscriptionNotExist.
	PullSubscription
	// PullClassFilter asks for filtering by a class: brokers of version 5 do not know it.
	PullClassFilter
	// PullLite makes the request a LitePullMessage.
	PullLite
)

// Bits of a topic's perm (Java: PermName).
const (
	PermInherit int32 = 1 << iota
	PermWrite
	PermRead
	PermPriority
)
