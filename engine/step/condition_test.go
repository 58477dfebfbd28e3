package step_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/step"
	"mqscope/engine/step/steptest"
)

func moment(d decision.Decision) *step.Moment {
	if d.At.IsZero() {
		d.At = steptest.Start.Add(2 * time.Second)
	}
	return &step.Moment{Decision: &d, Task: d.Task, Start: steptest.Start}
}

func spanOf(n int64) decision.Decision {
	return decision.Decision{Line: decision.FlowSpan, Member: "me", Queue: steptest.Queue(3), Task: 4, Yes: n > 2000,
		N:    [6]int64{n, 2000},
		Then: decision.Then{Do: decision.PutBack, Delay: 50 * time.Millisecond, Why: event.CauseFlowSpan}}
}

func TestConditions(t *testing.T) {
	returned := decision.Decision{Line: decision.ConsumeReturned, Text: "RECONSUME_LATER", N: [6]int64{7, 1, int64(3 * time.Second)}}
	read := decision.Decision{Line: decision.OffsetRead, Queue: steptest.Queue(0), N: [6]int64{-1, 12, 1, 0, 1}}
	touched := decision.Decision{Line: decision.PullTouched, Queue: steptest.Queue(0), N: [6]int64{steptest.Start.Add(time.Second).UnixNano()}}
	for _, tt := range []struct {
		text string
		d    decision.Decision
		want bool
	}{
		{"span > 1500 && queue == 3", spanOf(1600), true},
		{"span > 1500 && queue == 3", spanOf(1500), false},
		{"span > limit", spanOf(2001), true},
		{"line == 'flow.span' and group == 'pull'", spanOf(0), true},
		{"topic == 'orders' && broker == 'a' && member == 'me'", spanOf(0), true},
		{"task in [3, 4]", spanOf(0), true},
		{"task == 5", spanOf(0), false},
		{"yes", spanOf(2001), true},
		{"not yes", spanOf(2000), true},
		{"cause == 'flow:span' && delay == ms(50) && then == 'put back'", spanOf(0), true},
		{"delay >= s(0.05) && delay < us(50001)", spanOf(0), true},
		{"now == s(2)", spanOf(0), true},
		{"cause startsWith 'flow:'", spanOf(0), true},
		{"cause matches '^flow:(count|span)$'", spanOf(0), true},
		{"1 < 2", spanOf(9), true},
		{"span > 1 || true", returned, false}, // it has no span
		{"not (span > 1)", returned, false},
		{"yes", returned, false},       // asks nothing
		{"delay > 0", returned, false}, // goes on
		{"queue >= 0", returned, false},
		{"task >= 0", returned, false},
		{"status == 'RECONSUME_LATER' && text == status", returned, true},
		{"took > ms(2999)", returned, true},
		{"found && frozen && late == 0", read, true},
		{"stored < 0", read, false}, // none is no number
		{"stored < 0 || offset == 12", read, false},
		{"offset == 12", read, true},
		{"now == s(1)", touched, true}, // a value of the line goes before what is there everywhere
		{"span % (limit - 2000) == 1", spanOf(9), false},
	} {
		c, err := step.CompileCondition(tt.text, nil)
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		if got := c.Holds(moment(tt.d)); got != tt.want {
			t.Errorf("%s is %v for %s, want %v", tt.text, got, decision.Words(&tt.d), tt.want)
		}
		if tt.want && !c.Possible(tt.d.Line) {
			t.Errorf("%s is said to be impossible for %s", tt.text, tt.d.Line.ID)
		}
	}
}

func TestEachLineCanBeAskedForAllItsValues(t *testing.T) {
	for _, l := range decision.Lines() {
		for _, v := range l.Values {
			text := v.Name + " == " + v.Name
			if c, err := step.CompileCondition(text, l); err != nil || !c.Possible(l) {
				t.Errorf("%s: %s: %v", l.ID, text, err)
			}
			if _, err := step.CompileCondition(text, nil); err != nil {
				t.Errorf("any: %s: %v", text, err)
			}
		}
		if l.Text != "" {
			if _, err := step.CompileCondition(l.Text+" contains 'x'", l); err != nil {
				t.Errorf("%s: %s: %v", l.ID, l.Text, err)
			}
		}
	}
}

func TestErrorsOfConditionsSayWhereAndWhatToWrite(t *testing.T) {
	for _, tt := range []struct {
		text   string
		column int
		want   string
	}{
		{"", 1, "empty"},
		{"spann > 1500", 1, `flow.span has no value "spann", did you mean span?`},
		{"span > 1500 && zzzzz == 3", 16, "write one of line, group"},
		{"span > 'x'", 6, "compare numbers with numbers"},
		{"span = 3", 6, "= compares nothing, write =="},
		{"span >", 7, "not complete"},
		{"span + 1", 1, "not true or false"},
		{"'é' == cause && span.x", 22, "no parts"},
		{"span > 1500 && all([1], # > 0)", 16, "all()"},
		{"len(cause) > 3", 1, ""},
		{"now() > 1", 1, ""},
		{"let x = 1; x > 0", 5, "without variables"},
		{"$env == nil", 1, "$env"},
		{"cause matches '('", 7, "regexp"},
		{"max(span, 1) > 3", 1, ""},
		{"span(1) > 3", 1, "only us(), ms() and s()"},
		{"ms('x') > 1", 4, ""},
		{"span >\n 1 && foo", 7, ""},
	} {
		_, err := step.CompileCondition(tt.text, decision.FlowSpan)
		var at *step.TextError
		if !errors.As(err, &at) {
			t.Errorf("%q: error is %v", tt.text, err)
			continue
		}
		if at.Column != tt.column || !strings.Contains(err.Error(), tt.want) || at.What == "" {
			t.Errorf("%q: %v, want column %d and %q", tt.text, err, tt.column, tt.want)
		}
		if strings.Contains(tt.text, "\n") && at.Line != 2 {
			t.Errorf("%q: %v, want line 2", tt.text, err)
		}
	}
}

func FuzzCondition(f *testing.F) {
	for _, s := range []string{"span > 1500 && queue == 3", "cause == 'flow:span'", "task in [1,2]", "delay < ms(50)", "span ?? 1", "1..9", "a.b", "not yes", "((", "\xff", "all(1..9, # > 0)", "span > 1e9", "-9223372036854775808 < span"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := step.CompileCondition(text, nil)
		if err != nil {
			var at *step.TextError
			if !errors.As(err, &at) || at.Line < 1 || at.Column < 1 {
				t.Fatalf("%q: error without a place: %v", text, err)
			}
			return
		}
		d := spanOf(1600)
		c.Holds(moment(d))
	})
}
