// Package policy decides what of secrets and message bodies gets into a recording, a log or
// whatever else leaves the process. It has rules only: who writes a file asks it.
//
// Names that a secret has (access keys, signatures, tokens, passwords …) are never written with
// their value, whatever a person asks for; properties are denied by pattern in addition; of a body
// all, the first bytes or only a hash is kept. Free text is searched for what looks like a secret,
// which finds a lot and not all: it is the last line, not the first. There is no Java counterpart.
package policy
