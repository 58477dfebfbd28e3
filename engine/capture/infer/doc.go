// Package infer makes sense of what a client and its brokers said to each other: who are the
// members of a group, who pulls which queue, what was delivered and committed, who holds
// which lock.
//
// An Inferer turns the items of package capture into events, one small struct each, and a
// State folds events into a picture, event by event, so that it can be asked for any time.
// All of it was seen from outside: every event has the provenance "inferred", and what the
// traffic does not tell is unknown, with the reason. Nothing here waits, reads a clock or
// depends on the order of a map; the same items give the same events.
//
// A client is named by its client id once its heartbeat, or another request that carries it,
// was seen on the connection; before that by its address in brackets. A broker whose name
// neither a request nor a route told is named by its address.
//
// The Java counterparts of what is inferred are ConsumerManager, RebalanceLockManager and
// ConsumerOffsetManager of a broker, and RebalanceImpl and ProcessQueue of a client.
package infer
