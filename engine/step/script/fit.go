package script

import "errors"

// Ground is what a script moves.
type Ground uint8

// The grounds.
const (
	OnWorld  Ground = iota // a world on virtual time
	OnRemade               // a recording whose decisions are made again
	OnSeen                 // a recording of what was seen on the wire
)

// Fit says which statements can not work on such a ground. The error joins one *Error for each.
func (s *Script) Fit(on Ground) error {
	var wrong []error
	for _, st := range s.Statements {
		if why, remedy := unfit(st.do, on); why != "" {
			wrong = append(wrong, &Error{s.File, st.Line, st.Column, st.Text + ": " + why + ": " + remedy})
		}
	}
	return errors.Join(wrong...)
}

func unfit(do any, on Ground) (why, remedy string) {
	if on == OnWorld {
		return unfitForWorld(do)
	}
	switch do := do.(type) {
	case change:
		return "what was recorded can not be changed", "step through a scenario, or leave it out"
	case toStep:
		return "decisions are not counted from the beginning of a recording", "write seek #221 for an event"
	case expectNumber:
		switch do.what {
		case "step":
			return "decisions are not counted from the beginning of a recording", "write expect event 221"
		case "hash":
			return "a recording has hashes of its own, which playing compares", "leave it out"
		}
	}
	if on == OnSeen && needsDecisions(do) {
		return "no decision is known of what was seen on the wire", "write step, seek, run, or expect of a queue, event or now"
	}
	return "", ""
}

func unfitForWorld(do any) (why, remedy string) {
	switch do := do.(type) {
	case seek:
		return "this is no recording", "write goto 120 for a step"
	case expectNumber:
		if do.what == "event" {
			return "this is no recording", "write expect step 120"
		}
	}
	return "", ""
}

// needsDecisions tells of a statement whether decisions, or tasks and invariants, have to be known.
func needsDecisions(do any) bool {
	switch do := do.(type) {
	case turns, until, setBreak, expectTask, expectLast, expectBroken, expectFacts:
		return true
	case show:
		return do.what != "" && do.what != "queues"
	}
	return false
}
