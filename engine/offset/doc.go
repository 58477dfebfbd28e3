// Package offset keeps how far a group has consumed each queue.
//
// Broker is the store of a clustering consumer: offsets live in memory and are sent to the
// queue's broker now and then. It is plain state that the loop of package consumer owns and
// steps; what to send comes back as actions. Offsets only grow, unless a repair freezes one.
//
// Java: RemoteBrokerOffsetStore and ControllableOffset. Which offset a new queue starts from
// is left to package rebalance, what may be committed to package processqueue, sending to
// package client.
package offset
