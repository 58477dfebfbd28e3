// Package engine opens a source of snapshots and runs it: a consumer on a cluster that calls a
// listener (Live). One that is asked for messages is opened by package ondemand.
//
// It owns the client instance and the consumer on it, starts them and ends them in order;
// whoever opened a source calls Run and waits. Screens and printers get snapshots and give
// commands back, nothing else. Its Java counterpart is what an application around
// DefaultMQPushConsumer does. Deciding is left to package consumer and its parts, drawing to
// views and tui.
//
// What a source is and is told is in source.go. Live is in live.go; what a person changes of it
// while it runs is in steer.go, who moves its pulls decision by decision in drive.go, what is
// recorded of it in package recorder. A look at a group that was not joined yet is in join.go,
// sending alone in producer.go. Tests on Apache's broker are in onapache.
package engine
