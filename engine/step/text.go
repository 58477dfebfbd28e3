package step

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"mqscope/engine/mq"
)

// TextError is a mistake in what a person wrote.
type TextError struct {
	Line, Column int // from 1 on, counted in characters
	What         string
	Remedy       string // what to write instead
}

// Error says where, what and what to write instead.
func (e *TextError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Text())
}

// Text says what, and what to write instead, without the place.
func (e *TextError) Text() string {
	if e.Remedy == "" {
		return e.What
	}
	return e.What + ", " + e.Remedy
}

// At returns the error as one of a text that begins at a line and a column of a larger one.
func (e *TextError) At(line, column int) *TextError {
	moved := *e
	if e.Line == 1 {
		moved.Column += column - 1
	}
	moved.Line += line - 1
	return &moved
}

// Placed is err as a TextError within a larger text, err itself when it has no place.
func Placed(err error, line, column int) error {
	var at *TextError
	if errors.As(err, &at) {
		return at.At(line, column)
	}
	return err
}

func mistake(column int, what, remedy string) *TextError {
	return &TextError{Line: 1, Column: column, What: what, Remedy: remedy}
}

// Word is a piece of text without spaces and where it begins, from column 1 on.
type Word struct {
	Text   string
	Column int
	from   int // byte
}

// Words takes a line apart at its spaces.
func Words(text string) (list []Word) {
	column, start := 0, -1
	var at Word
	for i, r := range text {
		column++
		switch {
		case unicode.IsSpace(r) && start >= 0:
			at.Text = text[start:i]
			list, start = append(list, at), -1
		case !unicode.IsSpace(r) && start < 0:
			start, at = i, Word{Column: column, from: i}
		}
	}
	if start >= 0 {
		at.Text = text[start:]
		list = append(list, at)
	}
	return list
}

// after is the column behind the last of some words, where one is missing.
func after(words []Word) int {
	if len(words) == 0 {
		return 1
	}
	last := words[len(words)-1]
	return last.Column + utf8.RuneCountInString(last.Text) + 1
}

// ParseQueue reads topic/broker/3, or with parts left out a/3 and 3. A part that is left out is
// empty in the result: it fits any.
func ParseQueue(text string) (mq.MessageQueue, error) {
	var q mq.MessageQueue
	parts := strings.Split(text, "/")
	id, err := strconv.ParseInt(parts[len(parts)-1], 10, 32)
	if err != nil || id < 0 || len(parts) > 3 {
		return q, fmt.Errorf("%q is no queue, write topic/broker/3, a/3 or 3", text)
	}
	q.QueueID = int32(id)
	if len(parts) > 1 {
		if q.BrokerName = parts[len(parts)-2]; q.BrokerName == "" {
			return q, fmt.Errorf("%q has no broker, write topic/broker/3, a/3 or 3", text)
		}
	}
	if len(parts) > 2 {
		if q.Topic = parts[0]; q.Topic == "" {
			return q, fmt.Errorf("%q has no topic, write topic/broker/3, a/3 or 3", text)
		}
	}
	return q, nil
}

// QueueText writes what ParseQueue reads.
func QueueText(q mq.MessageQueue) string {
	text := strconv.Itoa(int(q.QueueID))
	if q.BrokerName != "" {
		text = q.BrokerName + "/" + text
	}
	if q.Topic != "" {
		text = q.Topic + "/" + text
	}
	return text
}

// Fits tells whether q is one that a queue with parts left out stands for.
func Fits(part, q mq.MessageQueue) bool {
	return part.QueueID == q.QueueID && q != mq.MessageQueue{} &&
		(part.BrokerName == "" || part.BrokerName == q.BrokerName) &&
		(part.Topic == "" || part.Topic == q.Topic)
}

// Resolve finds the one queue of a list that part stands for. Where several topics have such a
// queue, that of a topic which is no retry topic is meant.
func Resolve(part mq.MessageQueue, list []mq.MessageQueue) (mq.MessageQueue, error) {
	var found []mq.MessageQueue
	for _, q := range list {
		if Fits(part, q) && (part.Topic != "" || !mq.IsRetryTopic(q.Topic)) {
			found = append(found, q)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return part, fmt.Errorf("%s may be %s or %s, write one of them", QueueText(part), QueueText(found[0]), QueueText(found[1]))
	case part.Topic != "" && part.BrokerName != "":
		return part, nil // it may come
	case len(list) == 0:
		return part, fmt.Errorf("no queue is known that %s could be, write topic/broker/%d", QueueText(part), part.QueueID)
	}
	return part, fmt.Errorf("there is no queue %s, write one as %s", QueueText(part), QueueText(list[0]))
}

// parseSpan reads a duration that is not negative.
func parseSpan(w Word) (time.Duration, error) {
	d, err := time.ParseDuration(w.Text)
	if err != nil || d < 0 {
		return 0, mistake(w.Column, fmt.Sprintf("%q is no duration", w.Text), "write one as 50ms, 5s or 1m")
	}
	return d, nil
}

// ParseMoment reads t+1.5s, which is that long after the beginning.
func ParseMoment(w Word) (time.Duration, error) {
	text, ok := strings.CutPrefix(w.Text, "t+")
	d, err := time.ParseDuration(text)
	if !ok || err != nil || d < 0 {
		return 0, mistake(w.Column, fmt.Sprintf("%q is no time", w.Text), "write it from the beginning on, as t+12s")
	}
	return d, nil
}

// MomentText writes what ParseMoment reads.
func MomentText(d time.Duration) string { return "t+" + d.String() }

// nearest is the name that is most like text, "" when none is.
func nearest(text string, names []string) (best string) {
	least := 1 + len(text)/4
	for _, name := range names {
		if d := distance(text, name); d <= least {
			best, least = name, d-1
		}
	}
	return best
}

// distance is how many letters differ (Levenshtein).
func distance(a, b string) int {
	if len(a) > 100 || len(b) > 100 {
		return 100
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := corner
			if a[i] != b[j] {
				cost++
			}
			corner = row[j+1]
			row[j+1] = min(cost, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
