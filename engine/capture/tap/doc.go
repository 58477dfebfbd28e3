// Package tap sees what a program's own connections carry, and has it made sense of as that of
// anybody's: a consumer that has no recording of its own is recorded so.
//
// A Tap stands between a program and the function that it dials with. Connections copy what they
// read and write into a bounded queue; the goroutine of Run takes it out and gives what packages
// capture and infer conclude to a sink. What the queue has no room for is a gap, which is marked:
// the connections never wait. There is no Java counterpart.
package tap
