// Package observer has what connections carry made sense of beside them: they put copies or lent
// buffers into a bounded queue and go on, and the goroutine of Run takes them out and gives what
// packages capture and infer conclude to a sink. What the queue has no room for is a gap, which is
// marked: no connection ever waits. The proxy watches so what it passes on, and package tap what a
// program's own connections carry. There is no Java counterpart.
package observer
