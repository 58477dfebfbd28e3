package script

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/step"
)

// Limits of what a script may ask for.
const (
	maxText      = 1 << 20
	maxDecisions = 1_000_000 // of one move that does not say its own
	maxNumber    = 1_000_000_000
)

// Script is a text that was read.
type Script struct {
	File       string
	Statements []Statement
}

// Statement is one line of a script.
type Statement struct {
	Line, Column int
	Text         string // without comment
	do           any    // one of the types below
}

type (
	steps  struct{ n uint64 }
	turns  struct{ n uint64 }
	back   struct{ n uint64 }
	toStep struct{ step uint64 }
	runFor struct{ d time.Duration } // 0 is to the end
	until  struct {
		place *step.Place
		most  uint64
	}
	setBreak struct{ text string }
	seek     struct{ text string }
	change   struct{ change step.Change }
	trace    struct{ on bool }
	show     struct{ what string }

	expectTask struct {
		task  uint64
		state string
		in    *time.Duration
		facts *step.Facts
	}
	expectQueue struct {
		queue mq.MessageQueue
		name  string // of a number, or state
		how   string
		n     int64
		word  string
		facts *step.Facts
	}
	expectLast   struct{ place *step.Place }
	expectBroken struct{ id string } // none is empty
	expectNow    struct {
		how string
		at  time.Duration
	}
	expectNumber struct { // hash, step or event
		what, how string
		n         uint64
	}
	expectFacts struct{ facts *step.Facts }
)

// Error is a mistake in a script.
type Error struct {
	File         string
	Line, Column int
	What         string // and what to write instead
}

// Error says where, what and what to write instead.
func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.What)
}

// Parse reads a script. The error joins one *Error for each line that is wrong.
func Parse(file, text string) (*Script, error) {
	if len(text) > maxText {
		return nil, &Error{file, 1, 1, "the script is larger than 1 MiB, write a shorter one"}
	}
	s := &Script{File: file}
	var wrong []error
	for i, line := range strings.Split(text, "\n") {
		line = withoutComment(strings.TrimSuffix(line, "\r"))
		words := step.Words(line)
		if len(words) == 0 {
			continue
		}
		do, err := statement(line, words)
		if err != nil {
			wrong = append(wrong, placed(file, i+1, err))
			continue
		}
		s.Statements = append(s.Statements, Statement{Line: i + 1, Column: words[0].Column, Text: strings.TrimSpace(line), do: do})
	}
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	return s, nil
}

func placed(file string, line int, err error) error {
	var at *step.TextError
	if errors.As(err, &at) {
		return &Error{file, line, at.Column, at.Text()}
	}
	return &Error{file, line, 1, err.Error()}
}

// withoutComment cuts a line at a number sign that begins a word outside of quotes.
func withoutComment(line string) string {
	quote, begins := rune(0), true
	for i, r := range line {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '#' && begins && !namesEvent(line[:i], line[i+1:]):
			return line[:i]
		case r == '\'' || r == '"':
			quote = r
		}
		begins = r == ' ' || r == '\t'
	}
	return line
}

// namesEvent tells a number sign that begins the name of an event from one that begins a comment.
func namesEvent(before, after string) bool {
	return strings.TrimSpace(before) == "seek" && after != "" && after[0] >= '0' && after[0] <= '9'
}
