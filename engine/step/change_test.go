package step_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
	"mqscope/engine/step"
	"mqscope/engine/step/steptest"
)

type snapshotMark = snapshot.StepMark

func TestChangesHaveOneText(t *testing.T) {
	q := steptest.Queue(3)
	short := mq.MessageQueue{BrokerName: "a", QueueID: 3}
	for text, want := range map[string]step.Change{
		"delay a/3 50ms":            step.DelayTask{Queue: short, By: 50 * time.Millisecond},
		"fail-pull orders/a/3":      step.FailPull{Queue: q},
		"answer a/3 OFFSET_ILLEGAL": step.AnswerPull{Queue: short, Status: "OFFSET_ILLEGAL"},
		"join m2":                   step.MemberJoins{Name: "m2"},
		"leave m2":                  step.MemberLeaves{Name: "m2"},
		"expire-lock 0":             step.ExpireLock{},
		"release-lock a/3":          step.ReleaseLock{Queue: short},
		"hang a/3 5s":               step.HangHandler{Queue: short, For: 5 * time.Second},
		"fail-handler 3":            step.FailHandler{Queue: mq.MessageQueue{QueueID: 3}},
		"advance 1h0m10s":           step.AdvanceClock{By: time.Hour + 10*time.Second},
		"pause-pulls":               step.PausePulls{},
		"resume-pulls":              step.ResumePulls{},
		"send orders/a/3 5":         step.SendMessages{Topic: "orders", Queue: q, N: 5},
		"send a/3 5":                step.SendMessages{Queue: short, N: 5},
		"send 0 5":                  step.SendMessages{N: 5},
		"send orders 5":             step.SendMessages{Topic: "orders", N: 5},
	} {
		got, err := step.ParseChange(text)
		if err != nil || got != want {
			t.Errorf("%q is %#v, %v", text, got, err)
			continue
		}
		if got.String() != text {
			t.Errorf("%q is written as %q", text, got)
		}
	}
}

func TestErrorsOfChangesSayWhereAndWhatToWrite(t *testing.T) {
	for _, tt := range []struct {
		text   string
		column int
		want   string
	}{
		{"", 1, "write one of delay"},
		{"dellay a/3 1s", 1, "did you mean delay?"},
		{"delay a/3", 11, "write it as delay a/3 50ms"},
		{"delay a/3 50", 11, "no duration"},
		{"delay a/3 -1s", 11, "no duration"},
		{"delay x 1s", 7, "no queue"},
		{"delay -1 1s", 7, "no queue"},
		{"delay a/99999999999 1s", 7, "no queue"},
		{"join a b", 8, "too much"},
		{"answer 3 illegal", 10, "no status"},
		{"send orders none", 13, "number of messages"},
		{"send 3 0", 8, "number of messages"},
		{"send or.ders 3", 6, "neither a queue nor a topic"},
		{"  advance  x", 12, "no duration"},
	} {
		_, err := step.ParseChange(tt.text)
		var at *step.TextError
		if !errors.As(err, &at) || at.Column != tt.column || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want column %d and %q", tt.text, err, tt.column, tt.want)
		}
	}
}

func TestQueuesMayBeWrittenShort(t *testing.T) {
	q := func(topic, broker string, id int32) mq.MessageQueue {
		return mq.MessageQueue{Topic: topic, BrokerName: broker, QueueID: id}
	}
	list := []mq.MessageQueue{q("orders", "a", 0), q("orders", "a", 1), q("orders", "b", 1), q("%RETRY%g", "a", 0)}
	for text, want := range map[string]string{
		"0":            "orders/a/0",
		"a/1":          "orders/a/1",
		"%RETRY%g/a/0": "%RETRY%g/a/0",
		"new/c/7":      "new/c/7",
		"1":            "error: 1 may be orders/a/1 or orders/b/1, write one of them",
		"7":            "error: there is no queue 7, write one as orders/a/0",
		"c/1":          "error: there is no queue c/1, write one as orders/a/0",
	} {
		part, err := step.ParseQueue(text)
		if err != nil {
			t.Fatal(err)
		}
		found, err := step.Resolve(part, list)
		got := step.QueueText(found)
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}

func FuzzChange(f *testing.F) {
	for _, s := range []string{"delay a/3 50ms", "fail-pull a/3", "answer a/3 OFFSET_ILLEGAL", "join m2", "leave m2", "expire-lock a/3", "hang a/3 5s", "fail-handler a/3", "advance 10s", "send orders/a/3 5", "send 0 1", "pause-pulls", "send %RETRY%g 1", "delay /3 1s"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := step.ParseChange(text)
		if err != nil {
			var at *step.TextError
			if !errors.As(err, &at) || at.Line < 1 || at.Column < 1 {
				t.Fatalf("%q: error without a place: %v", text, err)
			}
			return
		}
		again, err := step.ParseChange(c.String())
		if err != nil || again != c {
			t.Fatalf("%q is written as %q: %v", text, c, err)
		}
	})
}
