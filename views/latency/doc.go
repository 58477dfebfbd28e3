// Package latency shows the round trips of pulls over time: is pulling slow, where, since
// when?
//
// Brokers are rows, which open to their queues; a column is a stretch of time, a sign how
// long pulls took then. Answers that a broker held back to wait for messages are not
// slowness and are left out unless asked for. The package owns memos only; round trips are
// collected by the engine. Java has no counterpart: its statistics keep averages.
package latency
