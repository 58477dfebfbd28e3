// Package keymap has every action of the screen as data: id, keys, help, group, where it
// works and what it risks.
//
// It is the only source for dispatch, hint line, help overlay, README table and
// `mqscope keys --markdown`. It owns nothing and runs nothing: who reads keys and carries
// actions out is package tui. Keys are named as Bubble Tea v1 names them, but the package
// does not import it. It has no Java counterpart.
package keymap
