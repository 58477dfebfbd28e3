// Package ledger keeps books of what producers, brokers and listeners did, outside the
// consumer engine, and says whether a consumer kept its promises: at least once, in order,
// no commit past what is unresolved.
//
// Entries come in the order in which things happened: P of producers, B of what brokers
// stored, C of listeners, O of offsets that brokers were told, E of what was skipped or
// broken on purpose. Checks 2 to 5 and 7 look at each entry as it comes; 6 compares two
// moments; 1, 8 and 9 are for the end, when all is quiet. Nothing here decides anything for
// the engine, and nothing of the engine's deciding parts is used.
//
// A message takes four bytes and four bits, whatever happens to it; those that listeners
// have, or failed, take a map entry besides. A Ledger may be used by several goroutines; its
// functions do not block and may be called from the loop of an embedded cluster.
//
// Watch writes the books of an embedded cluster, Begin those of a listener.
package ledger
