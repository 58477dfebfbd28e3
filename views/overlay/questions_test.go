package overlay

import (
	"strings"
	"testing"

	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/views"
	"mqscope/views/viewtest"
)

func TestQuestionsNameScopeAndEffect(t *testing.T) {
	clean := views.NewCleaner()
	paused := viewtest.Normal()
	paused.Mode.Paused = true
	tests := []struct {
		name string
		q    Question
		send views.Lit
		want []string
	}{
		{"pausing", PauseConsumption(viewtest.Normal(), clean), "Pause", []string{"Pause consumption of group order-svc @ prod-sh", "13 queues are no longer pulled", "the same key resumes"}},
		{"resuming", PauseConsumption(paused, clean), "Resume", []string{"Resume consumption of group order-svc @ prod-sh", "13 queues are pulled again"}},
		{"quitting", QuitDriving(viewtest.Normal(), clean), "Quit", []string{"leave group order-svc @ prod-sh", "offsets are committed", "delivered again"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := tt.q.What.String()
			for _, e := range tt.q.Effects {
				text += "\n" + e.String()
			}
			for _, want := range tt.want {
				if !strings.Contains(text, want) {
					t.Errorf("want %q in\n%s", want, text)
				}
			}
			if tt.q.Send != tt.send || tt.q.Risk != keymap.Consumer {
				t.Errorf("button %q, risk %v", tt.q.Send, tt.q.Risk)
			}
		})
	}
}

func TestHostileNamesStayHarmlessInQuestions(t *testing.T) {
	for _, q := range []Question{PauseConsumption(viewtest.Hostile(), views.NewCleaner()), QuitDriving(viewtest.Hostile(), views.NewCleaner())} {
		if strings.ContainsAny(q.What.String(), "\x1b\a\r\n") {
			t.Errorf("got %q", q.What)
		}
	}
}

func TestCopiesHaveNoControls(t *testing.T) {
	raw := "a\x1b]52;c;x\x07\xff"
	c := views.CopyText{Raw: raw, Shown: views.NewCleaner().Cell(raw), Hidden: true}
	for way, want := range map[string]string{CopyEscaped: `a␛]52;c;x␇\xff`, CopyHex: "611b5d35323b633b7807ff", CopyBase64: "YRtdNTI7Yzt4B/8="} {
		if got := CopyAs(way, c); got != want {
			t.Errorf("%s is %q, want %q", way, got, want)
		}
	}
	for _, o := range CopyPick().Options {
		if strings.ContainsAny(CopyAs(o.ID, c), "\x1b\a") {
			t.Errorf("%s copies a control", o.ID)
		}
	}
}

func TestACountOfOneReadsRight(t *testing.T) {
	s := viewtest.Normal()
	s.Queues = s.Queues[:1]
	s.Queues[0].State = snapshot.Pulling
	if got := PauseConsumption(s, views.NewCleaner()).Effects[0].String(); !strings.HasPrefix(got, "1 queue is no longer pulled") {
		t.Errorf("got %q", got)
	}
}
