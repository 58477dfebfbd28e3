package script

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mqscope/engine/decision"
	"mqscope/engine/snapshot"
	"mqscope/engine/step"
)

// expectShapes are the things that can be expected, and how each is written.
func expectShapes() map[string]string {
	return map[string]string{
		"task": "expect task 3 delayed 50ms", "queue": "expect queue a/3 next 1200", "offset": "expect offset a/3 committed 10",
		"last": "expect last flow.span", "broken": "expect broken none", "now": "expect now t+1.5s",
		"hash": "expect hash 0x1f00", "step": "expect step 120", "event": "expect event 221",
	}
}

// expectation reads a line that begins with expect.
func expectation(line string, words []step.Word) (any, error) {
	if len(words) < 2 {
		return nil, tooFew(words, "expect queue a/3 next 1200")
	}
	shape, known := expectShapes()[words[1].Text]
	switch {
	case !known || len(words) > 2 && isComparison(words[2].Text) && words[1].Text != "now" && words[1].Text != "step" && words[1].Text != "event":
		return bareExpectation(line, words)
	case len(words) < 3:
		return nil, tooFew(words, shape)
	}
	switch words[1].Text {
	case "task":
		return taskExpectation(line, words, shape)
	case "queue", "offset":
		return queueExpectation(line, words, shape)
	case "last":
		return lastExpectation(line, words)
	case "broken":
		if len(words) > 3 {
			return nil, tooMany(words[3], shape)
		}
		id := words[2].Text
		if id == "none" {
			id = ""
		}
		return expectBroken{id}, nil
	case "now":
		return nowExpectation(words, shape)
	}
	return numberExpectation(words, shape)
}

func isComparison(s string) bool {
	return slices.Contains([]string{">", ">=", "<", "<=", "==", "!="}, s)
}

// bareExpectation is a condition on the queue whose turn it is.
func bareExpectation(line string, words []step.Word) (any, error) {
	if len(words) == 2 && !strings.ContainsAny(words[1].Text, "<>=!&|()") && queueKinds()[words[1].Text] == nil {
		return nil, unknown(words[1], "expectation", expectShapes())
	}
	text, column := rest(line, words, 1)
	f, err := step.CompileFacts(text, "a queue", queueKinds())
	return expectFacts{f}, step.Placed(err, 1, column)
}

func taskExpectation(line string, words []step.Word, shape string) (any, error) {
	e := expectTask{}
	var err error
	if e.task, err = strconv.ParseUint(words[2].Text, 10, 64); err != nil || e.task == 0 {
		return nil, mistake(words[2].Column, fmt.Sprintf("%q is no task", words[2].Text), "write its number, as in "+shape)
	}
	switch {
	case len(words) < 4:
		return nil, tooFew(words, shape)
	case words[3].Text == "if":
		text, column := rest(line, words, 4)
		e.facts, err = step.CompileFacts(text, "a task", queueKinds())
		return e, step.Placed(err, 1, column)
	case len(words) > 5:
		return nil, tooMany(words[5], shape)
	}
	e.state = words[3].Text
	if !slices.Contains(taskStates(), e.state) {
		return nil, mistake(words[3].Column, fmt.Sprintf("%q is no state of a task", e.state), "write one of "+strings.Join(taskStates(), ", "))
	}
	if len(words) == 5 {
		d, err := span(words[4])
		if err != nil {
			return nil, err
		}
		e.in = &d
	}
	return e, nil
}

func taskStates() []string {
	list := []string{"gone"}
	for s := snapshot.TaskNone; s <= snapshot.TaskParked; s++ {
		list = append(list, s.String())
	}
	return list
}

func queueExpectation(line string, words []step.Word, shape string) (any, error) {
	e := expectQueue{how: "=="}
	var err error
	if e.queue, err = step.ParseQueue(words[2].Text); err != nil {
		return nil, mistake(words[2].Column, err.Error(), "")
	}
	switch {
	case len(words) > 3 && words[3].Text == "if":
		text, column := rest(line, words, 4)
		e.facts, err = step.CompileFacts(text, "a queue", queueKinds())
		return e, step.Placed(err, 1, column)
	case len(words) < 5:
		return nil, tooFew(words, shape)
	}
	e.name = words[3].Text
	value := words[4]
	if isComparison(value.Text) && len(words) > 5 {
		e.how, value, words = value.Text, words[5], words[1:]
	}
	if len(words) > 5 {
		return nil, tooMany(words[5], shape)
	}
	switch queueKinds()[e.name].(type) {
	case int:
		if e.n, err = strconv.ParseInt(value.Text, 10, 64); err != nil {
			return nil, mistake(value.Column, fmt.Sprintf("%q is no number", value.Text), "write it as "+shape)
		}
	case string:
		e.word = value.Text
		if e.how != "==" && e.how != "!=" {
			return nil, mistake(value.Column, e.name+" is a word", "write it as expect queue a/3 state pulling")
		}
	default:
		return nil, unknown(words[3], "value of a queue", queueKinds())
	}
	return e, nil
}

func lastExpectation(line string, words []step.Word) (any, error) {
	from := 2
	if words[2].Text == "line" && len(words) > 3 {
		if from = 3; decision.Find(words[3].Text) == nil {
			if _, err := step.ParsePlace(words[3].Text); err != nil && strings.Contains(err.Error(), "there is no line") {
				return nil, step.Placed(err, 1, words[3].Column)
			}
			return nil, mistake(words[3].Column, fmt.Sprintf("%q is no line", words[3].Text), "write one as flow.span")
		}
	}
	text, column := rest(line, words, from)
	p, err := step.ParsePlace(text)
	return expectLast{p}, step.Placed(err, 1, column)
}

func nowExpectation(words []step.Word, shape string) (any, error) {
	e := expectNow{how: "=="}
	at := words[2]
	if isComparison(at.Text) {
		if len(words) < 4 {
			return nil, tooFew(words, shape)
		}
		e.how, at, words = at.Text, words[3], words[1:]
	}
	if len(words) > 3 {
		return nil, tooMany(words[3], shape)
	}
	var err error
	e.at, err = step.ParseMoment(at)
	return e, err
}

func numberExpectation(words []step.Word, shape string) (any, error) {
	e := expectNumber{what: words[1].Text, how: "=="}
	n := words[2]
	if isComparison(n.Text) {
		if len(words) < 4 {
			return nil, tooFew(words, shape)
		}
		e.how, n, words = n.Text, words[3], words[1:]
	}
	if len(words) > 3 {
		return nil, tooMany(words[3], shape)
	}
	var err error
	if e.n, err = strconv.ParseUint(n.Text, 0, 64); err != nil {
		return nil, mistake(n.Column, fmt.Sprintf("%q is no number", n.Text), "write it as "+shape)
	}
	return e, nil
}
