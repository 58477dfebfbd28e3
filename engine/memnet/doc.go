// Package memnet is a network inside the process: listen, dial, and the faults that tests
// and the demo need (refuse, cut, black hole, delay).
//
// A Network owns its addresses and connections behind mutexes; it starts no goroutine and
// needs no one to run it. Everything waits on channels and timers only, so a Network made
// inside a testing/synctest bubble works there on the bubble's time. Connections behave
// like TCP: writes need not meet a read (up to 256 KiB are buffered each way), order is
// kept, a peer's Close is seen after what was written before it. It has no Java
// counterpart. What the bytes mean is left to package remoting.
package memnet
