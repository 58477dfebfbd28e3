// Package pull decides how one pull goes: whether it may be made now, what the request says,
// and what follows from the answer.
//
// A Pull is plain state, owned and stepped by the loop of package consumer. For each queue
// it remembers the broker that the last answer recommended and what kind of answers came in
// a row, so that no answer of a broker can make a queue pull in a tight loop.
//
// Java: DefaultMQPushConsumerImpl.pullMessage with its PullCallback, and the decisions of
// PullAPIWrapper. When a pull has its turn is left to package schedule, the call and the
// choice of a connection to package client, messages to package processqueue.
package pull
