// Package network carries frames between client.Instances and an embedded cluster's State on
// virtual time.
//
// A Cluster owns the State and steps it; Connect makes the Network that stands in for the
// connections of one instance. Commands are written as frames and read again, so that both
// sides see what they would see of each other over a wire, at the times that latency gives. All
// of it happens in calls of its methods and in functions that it gives its Timeline: on one
// thread, in an order that only the calls and the seed decide. It has no Java counterpart; it
// stands for remoting's Client and Server and for the kernel between them.
//
// What is left to others: when virtual time passes, and faults, which are set by Intercept,
// StopBroker and StopNameServer. Left out: servers that close connections which are silent for
// two minutes, as clients do so themselves, and limits on what waits for a client.
package network
