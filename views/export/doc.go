// Package export writes what is on screen for other programs: a table as CSV, TSV or JSON, a
// frame as text or SVG. It returns bytes; files are left to package tui. Texts of the network
// are untrusted here too: nothing that it writes has a control sequence, a formula or a script.
// It has no Java counterpart.
package export
