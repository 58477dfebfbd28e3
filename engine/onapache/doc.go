// Package onapache has the tests of sources on Apache's name server and broker, beside members that
// run Apache's Java client, and nothing else: who owns which queue, orders and locks, resets, what
// the admin tool sees, each kind of consumer. What they need is in package apachetest, which says
// where they run and where they are skipped; what is recorded of our members is made again behind
// each test.
package onapache
