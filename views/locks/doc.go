// Package locks is the list of broker locks: who owns each queue of an orderly consumer, and
// for how long still?
//
// A broker tells a client only whether its own request was granted, so what the broker says
// and who believes to own a queue stand side by side. Countdowns are worked out from the
// engine's clock when a frame is drawn. The package owns memos only. Taking and renewing
// locks is the engine's; in the Java world this is RebalanceLockManager at the broker and
// the locked flag of ProcessQueue at the client.
package locks
