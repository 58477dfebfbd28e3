// Package sim is a whole world on one thread: name server, brokers, members of a consumer group
// and a producer, all of them the real code, on virtual time.
//
// The members are client instances and consumers of package consumer, the brokers are an
// embedded.State, and what passes between them are real frames (package network). Everything
// takes turns on a stage.Stage, so that a seed gives one run. One member is driven: each of its
// decisions counts as a step of the World, after which the world can stand still.
//
// It owns the stage and everybody on it. Package step moves a World; the scenarios are in package
// scenario. Java has no counterpart.
package sim
