// Package transport draws what a recording that is played has below every screen: some of the
// events around the position, and a bar with the line of time.
//
// It is a views.Dock, no screen of its own: package tui gives it to the frame, and its keys work
// on all screens. It owns cleaned names only. There is no Java counterpart.
package transport
