// Package engine opens a source of snapshots and runs it: a consumer on a cluster that calls a
// listener (Live), or one that is asked for messages (OnDemand).
//
// It owns the client instance and the consumer on it, starts them and ends them in order;
// whoever opened a source calls Run and waits. Screens and printers get snapshots and give
// commands back, nothing else. Its Java counterpart is what an application around
// DefaultMQPushConsumer does. Deciding is left to package consumer and its parts, drawing to
// views and tui.
package engine
