// Package steptest has a small world for tests of what steps worlds: it is made of a few pull
// tasks that some dice move, and it does the same each time it is made.
//
// It owns nothing and is for tests only; the real world is package sim's.
package steptest
