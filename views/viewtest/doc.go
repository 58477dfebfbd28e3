// Package viewtest has what the tests of screens share: snapshots of the cases that every
// screen must show well, golden files, and the properties that hold for every frame.
//
// Only tests import it. Its snapshots are fixed: clock, numbers and names are always the
// same, and random ones follow from a seed.
package viewtest
