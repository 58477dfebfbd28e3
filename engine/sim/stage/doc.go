// Package stage runs code that waits, on one thread and on virtual time.
//
// What elsewhere are goroutines are turns here: coroutines of which one runs at a time, until it
// waits (clock.Wait). When all of them wait the clock jumps to the next thing that is due. Which of
// several turns goes first is drawn from a seed: the same seed gives the same run, to the last
// step. A turn can also halt in the middle; then everything stands still until somebody goes on.
//
// A Stage is a clock.Cooperative, which the engine asks for turns where it would block. It owns
// its turns and its clock; one goroutine at a time may use it.
package stage
