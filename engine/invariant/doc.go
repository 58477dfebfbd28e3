// Package invariant checks, decision by decision, what must hold of a consumer whatever happens.
//
// It sees decisions only and judges each by those before it of the same queue or task. What has
// to be looked up in the consumer itself, as which tasks there are, package consumer checks. A
// Checker owns what it remembers; who feeds it decides what a breach stops. Java checks none of
// this; the numbers are those of the list of invariants that the README names.
package invariant
