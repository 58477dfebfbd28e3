package step

import (
	"fmt"
	"strconv"
	"strings"

	"mqscope/engine/mq"
)

// maxMessages is how many messages one change may send.
const maxMessages = 100_000

// form is one kind of change: how it is written, and how what is behind its name is read.
type form struct {
	name, shape string
	read        func(args []Word) (Change, error)
}

func forms() []form {
	return []form{
		{"delay", "delay a/3 50ms", func(a []Word) (Change, error) {
			q, err := queueOf(a[0])
			if err != nil {
				return nil, err
			}
			d, err := parseSpan(a[1])
			return DelayTask{q, d}, err
		}},
		{"fail-pull", "fail-pull a/3", func(a []Word) (Change, error) { q, err := queueOf(a[0]); return FailPull{q}, err }},
		{"answer", "answer a/3 OFFSET_ILLEGAL", func(a []Word) (Change, error) {
			q, err := queueOf(a[0])
			if err != nil {
				return nil, err
			}
			if strings.Trim(a[1].Text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") != "" {
				return nil, mistake(a[1].Column, fmt.Sprintf("%q is no status", a[1].Text), "write one as NO_NEW_MSG or OFFSET_ILLEGAL")
			}
			return AnswerPull{q, a[1].Text}, nil
		}},
		{"join", "join m2", func(a []Word) (Change, error) { return MemberJoins{a[0].Text}, nil }},
		{"leave", "leave m2", func(a []Word) (Change, error) { return MemberLeaves{a[0].Text}, nil }},
		{"expire-lock", "expire-lock a/3", func(a []Word) (Change, error) { q, err := queueOf(a[0]); return ExpireLock{q}, err }},
		{"release-lock", "release-lock a/3", func(a []Word) (Change, error) { q, err := queueOf(a[0]); return ReleaseLock{q}, err }},
		{"hang", "hang a/3 5s", func(a []Word) (Change, error) {
			q, err := queueOf(a[0])
			if err != nil {
				return nil, err
			}
			d, err := parseSpan(a[1])
			return HangHandler{q, d}, err
		}},
		{"fail-handler", "fail-handler a/3", func(a []Word) (Change, error) { q, err := queueOf(a[0]); return FailHandler{q}, err }},
		{"advance", "advance 10s", func(a []Word) (Change, error) { d, err := parseSpan(a[0]); return AdvanceClock{d}, err }},
		{"pause-pulls", "pause-pulls", func([]Word) (Change, error) { return PausePulls{}, nil }},
		{"resume-pulls", "resume-pulls", func([]Word) (Change, error) { return ResumePulls{}, nil }},
		{"send", "send orders/a/3 5", readSend},
	}
}

// ParseChange reads a change, as in "delay a/3 50ms".
func ParseChange(text string) (Change, error) {
	words := Words(text)
	list := forms()
	var names []string
	for _, f := range list {
		if len(words) > 0 && words[0].Text == f.name {
			args := words[1:]
			want := len(Words(f.shape)) - 1
			if len(args) < want {
				return nil, mistake(after(words), "the change is not complete", "write it as "+f.shape)
			}
			if len(args) > want {
				return nil, mistake(args[want].Column, fmt.Sprintf("%q is too much", args[want].Text), "write it as "+f.shape)
			}
			c, err := f.read(args)
			if err != nil {
				return nil, err
			}
			return c, nil
		}
		names = append(names, f.name)
	}
	if len(words) == 0 {
		return nil, mistake(1, "there is no change", "write one of "+strings.Join(names, ", "))
	}
	return nil, unknown(words[0], "change", names)
}

// unknown says what a word could have been.
func unknown(w Word, kind string, names []string) error {
	what := fmt.Sprintf("there is no %s %q", kind, w.Text)
	if near := nearest(w.Text, names); near != "" {
		return mistake(w.Column, what, "did you mean "+near+"?")
	}
	return mistake(w.Column, what, "write one of "+strings.Join(names, ", "))
}

func queueOf(w Word) (mq.MessageQueue, error) {
	q, err := ParseQueue(w.Text)
	if err != nil {
		return q, mistake(w.Column, err.Error(), "")
	}
	return q, nil
}

func readSend(a []Word) (Change, error) {
	n, err := strconv.Atoi(a[1].Text)
	if err != nil || n < 1 || n > maxMessages {
		return nil, mistake(a[1].Column, fmt.Sprintf("%q is no number of messages", a[1].Text), fmt.Sprintf("write 1 to %d", maxMessages))
	}
	if q, err := ParseQueue(a[0].Text); err == nil {
		return SendMessages{q.Topic, q, n}, nil
	}
	if err := mq.ValidateTopic(a[0].Text); err != nil {
		return nil, mistake(a[0].Column, fmt.Sprintf("%q is neither a queue nor a topic", a[0].Text), "write orders/a/3, a/3, 3 or orders")
	}
	return SendMessages{Topic: a[0].Text, N: n}, nil
}
