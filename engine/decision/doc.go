// Package decision has decisions as values: what was asked, with which numbers, what came out
// and what follows. The code that decides records them itself, with the very value that it goes
// on by, so a trace can not tell another story than what was done.
//
// A Line is a place in that code, in words; the stop points of a step-through debugger are all
// lines. A part of the engine has a *Recorder, which is nil or has no Sink while nobody watches:
// a decision then costs one comparison. The package owns nothing.
package decision
