// Package ondemand opens sources of consumers that are asked for messages, and that ask: a pull
// consumer, a scheduled one and a lite one, each with an application of our own that takes messages,
// works, and moves offsets on. It is to them what package engine is to a consumer that calls a
// listener, and takes cluster and settings from there.
//
// What all have in common is in source.go; each kind is in a file of its name, and what a pull
// consumer's application does for each queue in pull_work.go.
package ondemand
