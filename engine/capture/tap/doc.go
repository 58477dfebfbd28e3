// Package tap sees what a program's own connections carry, and has it made sense of as that of
// anybody's: a consumer that has no recording of its own is recorded so.
//
// A Tap stands between a program and the function that it dials with. Connections give copies of
// what they read and write to an observer.Observer, which looks at it and lets nobody wait. There is
// no Java counterpart.
package tap
