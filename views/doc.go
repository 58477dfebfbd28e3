// Package views has what every screen is made of: the View contract, Safe text, number
// formats, the Canvas that is drawn on, and the pieces that screens share.
//
// A view is a pure function from a snapshot and a small state to lines of text, and a pure
// reducer from action ids to a new state and intents. It does no I/O, reads no clock, starts
// no goroutine and holds no globals; a view value keeps only memos of derived data (sorted
// rows, cleaned names, column widths) and is used by one goroutine, Bubble Tea's update
// loop. Screens live in packages below this one. Carrying intents out, keys, text inputs and
// timers are left to package tui. It has no Java counterpart.
package views
