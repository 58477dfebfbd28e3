// Package overlay has what lies over a frame and takes the keys: help, pickers, questions.
//
// Overlays never resize the frame below. Each is a small value with a pure Render and a pure
// Reduce, like a view; package tui keeps the stack of them, feeds them actions and text, and
// does what their Result asks for.
package overlay
