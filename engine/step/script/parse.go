package script

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"mqscope/engine/step"
)

// words are the statements and how each is written.
func shapes() map[string]string {
	return map[string]string{
		"step": "step 5", "task": "task", "until": "until flow.span", "run": "run 5s", "back": "back 3", "goto": "goto 120", "seek": "seek #221",
		"break": "break flow.span if span > 10", "change": "change delay a/3 50ms", "expect": "expect queue a/3 next 1200",
		"print": "print tasks", "trace": "trace off",
	}
}

func mistake(column int, what, remedy string) error {
	return &step.TextError{Line: 1, Column: column, What: what, Remedy: remedy}
}

// tooMany and tooFew are mistakes in the number of words.
func tooMany(w step.Word, shape string) error {
	return mistake(w.Column, fmt.Sprintf("%q is too much", w.Text), "write it as "+shape)
}

func tooFew(words []step.Word, shape string) error {
	last := words[len(words)-1]
	return mistake(last.Column+utf8.RuneCountInString(last.Text)+1, "something is missing", "write it as "+shape)
}

// rest is the text from a word on, and its column.
func rest(line string, words []step.Word, i int) (string, int) {
	if i >= len(words) {
		return "", len([]rune(line)) + 2
	}
	text := strings.TrimRight(string([]rune(line)[words[i].Column-1:]), " \t")
	return text, words[i].Column
}

// statement reads one line that has words.
func statement(line string, words []step.Word) (any, error) {
	first := words[0].Text
	shape, known := shapes()[first]
	switch {
	case !known:
		return nil, unknown(words[0], "statement", shapes())
	case first == "expect":
		return expectation(line, words)
	case first == "until":
		return untilStatement(line, words)
	case first == "seek":
		if len(words) < 2 {
			return nil, tooFew(words, shape)
		}
		text, _ := rest(line, words, 1)
		return seek{text}, nil
	case first == "break", first == "change":
		text, column := rest(line, words, 1)
		if len(words) < 2 {
			return nil, tooFew(words, shape)
		}
		if first == "break" {
			_, err := step.ParseBreakpoint(text)
			return setBreak{text}, step.Placed(err, 1, column)
		}
		c, err := step.ParseChange(text)
		return change{c}, step.Placed(err, 1, column)
	case len(words) > 2:
		return nil, tooMany(words[2], shape)
	case len(words) == 1:
		return alone(words, shape)
	}
	return withArgument(first, words[1], shape)
}

// alone is a statement that stands alone.
func alone(words []step.Word, shape string) (any, error) {
	switch words[0].Text {
	case "step":
		return steps{1}, nil
	case "task":
		return turns{1}, nil
	case "back":
		return back{1}, nil
	case "run":
		return runFor{}, nil
	case "print":
		return show{}, nil
	}
	return nil, tooFew(words, shape)
}

func withArgument(first string, w step.Word, shape string) (any, error) {
	switch first {
	case "run":
		d, err := span(w)
		if err == nil && d == 0 {
			err = mistake(w.Column, "0s is no time to run", "write it as run 5s")
		}
		return runFor{d}, err
	case "print":
		if !slices.Contains([]string{"tasks", "queues", "trace", "broken"}, w.Text) {
			return nil, mistake(w.Column, fmt.Sprintf("%q can not be printed", w.Text), "write print, or print tasks, queues, trace or broken")
		}
		return show{w.Text}, nil
	case "trace":
		if w.Text != "on" && w.Text != "off" {
			return nil, mistake(w.Column, fmt.Sprintf("%q is neither on nor off", w.Text), "write it as "+shape)
		}
		return trace{w.Text == "on"}, nil
	}
	n, err := strconv.ParseUint(w.Text, 10, 64)
	if err != nil || n > maxNumber || n == 0 && first != "goto" {
		return nil, mistake(w.Column, fmt.Sprintf("%q is no number of at least 1", w.Text), "write it as "+cmpShape(first, shape))
	}
	switch first {
	case "step":
		return steps{n}, nil
	case "task":
		return turns{n}, nil
	case "back":
		return back{n}, nil
	}
	return toStep{n}, nil
}

func cmpShape(first, shape string) string {
	if first == "task" {
		return "task 3"
	}
	return shape
}

func untilStatement(line string, words []step.Word) (any, error) {
	u := until{most: maxDecisions}
	end := len(words)
	if end > 2 && words[end-2].Text == "max" {
		n, err := strconv.ParseUint(words[end-1].Text, 10, 64)
		if err != nil || n == 0 || n > maxNumber {
			return nil, mistake(words[end-1].Column, fmt.Sprintf("%q is no number of decisions", words[end-1].Text), "write it as max 10000")
		}
		u.most, end = n, end-2
		line = string([]rune(line)[:words[end].Column-1])
	} else if end > 1 && words[end-1].Text == "max" {
		return nil, tooFew(words, "max 10000")
	}
	if end < 2 {
		return nil, tooFew(words[:1], "until flow.span")
	}
	text, column := rest(line, words[:end], 1)
	var err error
	u.place, err = step.ParsePlace(text)
	return u, step.Placed(err, 1, column)
}

// unknown says what a word could have been.
func unknown[V any](w step.Word, kind string, known map[string]V) error {
	var names []string
	for name := range known {
		names = append(names, name)
	}
	slices.Sort(names)
	return mistake(w.Column, fmt.Sprintf("there is no %s %q", kind, w.Text), "write one of "+strings.Join(names, ", "))
}

func span(w step.Word) (time.Duration, error) {
	d, err := time.ParseDuration(w.Text)
	if err != nil || d < 0 {
		return 0, mistake(w.Column, fmt.Sprintf("%q is no duration", w.Text), "write one as 50ms, 5s or 1m")
	}
	return d, nil
}
