// Package step moves a world one decision at a time, without knowing what the world is: to the
// next decision, to the end of a task's turn, until a condition holds or a breakpoint stops it,
// and back to any earlier decision.
//
// A World can not be copied and only moves forward, so going back means to make the same world
// again and to run it up to the step that is wanted. A Stepper therefore keeps further worlds of
// the same Maker, paused at earlier steps, and goes on with the nearest. What a person changed is
// a list of steps and changes that each of these worlds repeats at the same steps; hashes of the
// trace that are kept along the way prove that they did.
//
// Conditions of breakpoints and scripts are expressions of github.com/expr-lang/expr (MIT licence,
// no dependencies of its own): it checks names and types before a run, with positions in its
// errors, and evaluates some millions of them a second, which an expression parser of our own
// would have to learn first.
//
// A Live steps a consumer on a live cluster instead, whose time can not stand still: it only goes
// forward, and what can be held are pulls. Breakpoints, conditions and history are the same.
//
// A Reel moves along a recording of a consumer, whose code makes the recorded decisions again, forth and
// back; there nothing can be changed.
//
// A Stepper belongs to one goroutine; a Source runs one on its own and may be used from any, as a
// Live may. The package has no Java counterpart. What a world is made of is left to the simulation, scripts to
// package script, drawing to views.
package step
