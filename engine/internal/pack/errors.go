package pack

import "fmt"

// Error says which field of which type could not be packed or unpacked, and why.
type Error struct {
	Where   string // Type.Field.Field
	Problem string
}

func (e *Error) Error() string {
	if e.Where == "" {
		return "pack: " + e.Problem
	}
	return "pack: " + e.Where + ": " + e.Problem
}

func problem(format string, args ...any) *Error { return &Error{Problem: fmt.Sprintf(format, args...)} }

// maxWhere bounds what a path says of values that are nested deeply.
const maxWhere = 200

// in says that the error was found inside name.
func (e *Error) in(name string) *Error {
	switch {
	case e.Where == "":
		e.Where = name
	case len(e.Where) < maxWhere:
		e.Where = name + "." + e.Where
	}
	return e
}

func cut() *Error { return &Error{Problem: "the bytes end too early"} }

// wrapped is an error that came back: its text, and what is still known of what it wrapped.
type wrapped struct {
	text string
	err  error
}

func (w *wrapped) Error() string { return w.text }
func (w *wrapped) Unwrap() error { return w.err }

// joined is one that wrapped several.
type joined struct {
	text string
	errs []error
}

func (j *joined) Error() string   { return j.text }
func (j *joined) Unwrap() []error { return j.errs }
