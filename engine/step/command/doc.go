// Package command has what a person may ask of a consumer that is stepped, as values: a screen
// makes them, engine.Source.Do takes them, and whoever steps carries them out. A source that
// is not stepped says in an event that it knows no such command.
//
// The package owns nothing. Java has no counterpart.
package command
