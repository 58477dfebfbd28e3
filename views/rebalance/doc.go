// Package rebalance shows who has which queue of a topic, and what would change with other
// members or another strategy.
//
// The left side is what is known, the right side what the engine's own allocation says to a
// question, or what a rebalance that was seen did. Nothing of it reaches a broker. The
// package owns memos only: a question is asked once, and only about the topic on screen.
// Java's allocation is AllocateMessageQueueStrategy; it can not be asked such questions.
package rebalance
