// Package script moves a world by a text, line by line, and checks what came of it:
//
//	# comments begin with a number sign
//	step 5                       five decisions; step alone is one
//	task                         to where another turn begins; task 3 is three times
//	until flow.span if span > 10 max 10000
//	run 5s                       virtual time; run alone goes on to a breakpoint, a goal or the end
//	back 3                       and goto 120
//	break queue a/3 after 2      as breakpoints are written on screens
//	change delay a/3 50ms        as step.ParseChange reads it
//	trace off                    prints no decisions from here on; trace on
//	print                        where the world stands; print tasks, queues, trace, broken
//	expect task 3 delayed 50ms   due in 50ms; or a state alone
//	expect queue a/3 next 1200   next, committed, min, max, count, bytes, span, lag; also next >= 1200
//	expect queue a/3 state pulling
//	expect offset a/3 committed 10
//	expect last flow.span        the last decision, also with a condition; last line flow.span
//	expect broken none           or broken I13
//	expect now t+1.5s            also now >= t+1.5s
//	expect step 120
//	expect hash 0x1f00
//	expect queue a/3 if count > 10 && state == 'pulling'
//	expect count > 10            of the queue whose turn it is
//
// What moves a recording is the same but for what that can not do, see Fit; besides it there are
//
//	seek #221                    to an event, or to 12:03:41.220, +5s from here, 42%, ;2 a bookmark
//	expect event 221             also expect event >= 200
//
// Where its decisions are not known, as of what was seen on the wire, step goes on by events.
//
// A queue may be written as topic/broker/3, a/3 or 3 where that means one only. No move goes on
// for more than a million decisions, unless max says so: a script can not hang.
//
// The package owns nothing and has no Java counterpart. What is moved is left to package step.
package script
