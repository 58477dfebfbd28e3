package script_test

import (
	"errors"
	"strings"
	"testing"

	"mqscope/engine/step/script"
)

func TestErrorsOfScriptsSayWhereAndWhatToWrite(t *testing.T) {
	for _, tt := range []struct {
		text   string
		column int
		want   string
	}{
		{"jump 3", 1, `there is no statement "jump", write one of back, break`},
		{"step five", 6, `"five" is no number of at least 1, write it as step 5`},
		{"step 0", 6, "at least 1"},
		{"step 9999999999", 6, "no number"},
		{"step 5 6", 8, `"6" is too much`},
		{"  task x", 8, "write it as task 3"},
		{"back -1", 6, "no number"},
		{"goto", 6, "something is missing, write it as goto 120"},
		{"goto 1.5", 6, "no number"},
		{"run 5", 5, "no duration"},
		{"run 0s", 5, "no time to run"},
		{"run 5s 3", 8, "too much"},
		{"until", 7, "write it as until flow.span"},
		{"until flow.spam", 7, "did you mean flow.span?"},
		{"until flow.span if spam > 10 max 10000", 20, "did you mean span?"},
		{"until flow.span max", 21, "max 10000"},
		{"until flow.span max many", 21, "no number of decisions"},
		{"until max 3", 7, "write it as until flow.span"},
		{"break", 7, "something is missing"},
		{"break queue x", 13, "no queue"},
		{"break ü.x", 7, `no line "ü.x"`},
		{"change", 8, "something is missing"},
		{"change delay a/3", 18, "not complete, write it as delay a/3 50ms"},
		{"change   dellay a/3 1s", 10, "did you mean delay?"},
		{"trace maybe", 7, "neither on nor off"},
		{"print maps", 7, "can not be printed"},
		{"expect", 8, "something is missing"},
		{"expect luck", 8, "there is no expectation"},
		{"expect task", 13, "something is missing"},
		{"expect task x delayed", 13, "no task"},
		{"expect task 3", 15, "something is missing"},
		{"expect task 3 asleep", 15, "write one of gone, none, ready, delayed"},
		{"expect task 3 delayed soon", 23, "no duration"},
		{"expect task 3 delayed 50ms 3", 28, "too much"},
		{"expect task 3 if dew > 1", 18, `a task has no value "dew"`},
		{"expect queue a next 3", 14, "no queue"},
		{"expect queue a/3", 18, "something is missing"},
		{"expect queue a/3 nexd 5", 18, "no value of a queue"},
		{"expect queue a/3 next many", 23, "no number"},
		{"expect queue a/3 next > many", 25, "no number"},
		{"expect queue a/3 state > pulling", 26, "is a word"},
		{"expect queue a/3 mine true", 18, "no value of a queue"},
		{"expect queue a/3 next 5 6", 25, "too much"},
		{"expect last", 13, "something is missing"},
		{"expect last flow.spam", 13, "did you mean"},
		{"expect last line queue", 18, ""},
		{"expect broken none at all", 20, "too much"},
		{"expect now 5s", 12, "t+12s"},
		{"expect now >=", 15, "something is missing"},
		{"expect hash xyz", 13, "no number"},
		{"expect count > 'x'", 14, "compare numbers"},
		{"expect cound > 1", 8, "did you mean count?"},
	} {
		_, err := script.Parse("a.step", "# first\n"+tt.text+"\n")
		var at *script.Error
		if !errors.As(err, &at) || at.Line != 2 || at.Column != tt.column || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "a.step:2:") {
			t.Errorf("%q: %v, want column %d and %q", tt.text, err, tt.column, tt.want)
		}
	}
}

func TestAllMistakesOfAScriptAreTold(t *testing.T) {
	_, err := script.Parse("a.step", "step\nstep x\n\nbreak any\r\nprint # fine\n")
	if err == nil || strings.Count(err.Error(), "\n") != 1 || !strings.Contains(err.Error(), "a.step:2:6: ") || !strings.Contains(err.Error(), "a.step:4:11: ") {
		t.Errorf("error is %v", err)
	}
	if _, err := script.Parse("a.step", strings.Repeat("step\n", 300_000)); err == nil {
		t.Error("a script of any length was read")
	}
}

func TestCommentsEndALineButNotAText(t *testing.T) {
	s, err := script.Parse("a.step", "  # all\nuntil any if cause == '# no' # yes\nstep 5#\n")
	if err == nil || !strings.Contains(err.Error(), `a.step:3:6: "5#"`) || strings.Contains(err.Error(), ":2:") {
		t.Errorf("%v, %v", s, err)
	}
}

func FuzzScript(f *testing.F) {
	for _, s := range seeds() {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := script.Parse("f", text)
		if err == nil {
			if s == nil {
				t.Fatal("neither a script nor an error")
			}
			return
		}
		for _, one := range unjoin(err) {
			var at *script.Error
			if !errors.As(one, &at) || at.Line < 1 || at.Column < 1 || at.What == "" {
				t.Fatalf("%q: error without a place: %v", text, one)
			}
		}
	})
}

func unjoin(err error) []error {
	if list, ok := err.(interface{ Unwrap() []error }); ok {
		return list.Unwrap()
	}
	return []error{err}
}

func seeds() []string {
	return []string{
		"# comment\nstep 5\ntask\nuntil flow.span if span > 10 max 10000\nrun 5s\nback 3\ngoto 120\n",
		"break flow.span if span > 1500 && queue == 3 after 2\nchange delay a/3 50ms\nchange send orders/a/3 5\n",
		"expect task 3 delayed 50ms\nexpect queue a/3 next 1200\nexpect queue a/3 state pulling\nexpect offset a/3 committed 10",
		"expect last line flow.span\nexpect last flow.span if span > 1\nexpect broken none\nexpect now t+1.5s\nexpect hash 0x12",
		"expect count > 10 && state == 'pulling'\nexpect queue 3 if due < ms(50)\nprint\nprint tasks\ntrace off",
		"expect now >= t+1s\nexpect step <= 5\nexpect task 3 if due > 0", "until", "until max 3", "step \xff", "expect queue > 3", "'# \"#",
	}
}

func TestANumberSignBehindSeekNamesAnEvent(t *testing.T) {
	s := parse(t, "seek #221 # a comment\nseek +5s # back\n  seek   #5\nseek 2026-01-31 12:03:41\nexpect event >= 3")
	var places []string
	for _, st := range s.Statements[:4] {
		places = append(places, st.Text)
	}
	want := "seek #221|seek +5s|seek   #5|seek 2026-01-31 12:03:41"
	if got := strings.Join(places, "|"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for text, want := range map[string]string{
		"seek # 221":     "a.step:1:6: something is missing, write it as seek #221",
		"seek":           "a.step:1:6: something is missing",
		"step #221":      "",
		"expect event x": `"x" is no number`,
	} {
		_, err := script.Parse("a.step", text)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
