package scenario_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/scenario"
	"mqscope/engine/step"
)

func TestFindKnowsNamesAndNumbersOfLessons(t *testing.T) {
	for i, s := range scenario.Lessons() {
		byName, err := scenario.Find(s.Name)
		if err != nil || byName.Title != s.Title || byName.Lesson != i+1 {
			t.Errorf("%s: %+v, %v", s.Name, byName, err)
		}
	}
	if s, err := scenario.Find("10"); err != nil || s.Name != "changing-delays" {
		t.Errorf("lesson 10: %v, %v", s, err)
	}
	_, err := scenario.Find("frist-pull")
	if err == nil || !strings.Contains(err.Error(), `"frist-pull"`) || !strings.Contains(err.Error(), "first-pull, long-poll") {
		t.Errorf("of a name that is none: %v", err)
	}
	if _, err := scenario.Find("0"); err == nil {
		t.Error("there is a lesson 0")
	}
}

// What a person reads is whole sentences, and each goal tells why.
func TestLessonsSayWhatToWatchAndWhy(t *testing.T) {
	if n := len(scenario.Lessons()); n != 10 {
		t.Fatalf("%d lessons", n)
	}
	names := map[string]bool{}
	for _, s := range scenario.All() {
		if names[s.Name] || s.Name == "" || s.Title == "" {
			t.Errorf("%q: there twice, or without a name or a title", s.Name)
		}
		names[s.Name] = true
		if s.Lesson == 0 {
			continue
		}
		goals := s.Goals()
		if len(s.Text) != 2 || len(goals) < 5 || len(s.Title) > 26 {
			t.Errorf("%s: %d paragraphs, %d goals, a title of %d", s.Name, len(s.Text), len(goals), len(s.Title))
		}
		for _, p := range s.Text {
			if !strings.HasSuffix(p, ".") && !strings.HasSuffix(p, "?") || len(p) > 300 {
				t.Errorf("%s: no sentence, or too long (%d): %s", s.Name, len(p), p)
			}
		}
		for _, g := range goals {
			if g.What == "" || len(g.What) > 34 || !strings.HasSuffix(strings.TrimSuffix(g.Seen, ")"), ".") || len(g.Seen) > 280 {
				t.Errorf("%s: goal %q (%d) is seen as (%d) %q", s.Name, g.What, len(g.What), len(g.Seen), g.Seen)
			}
		}
	}
}

// A goal shows where it was reached, not before, and not any more after a step back.
func TestGoalsComeAndGoWithTheSteps(t *testing.T) {
	s, err := scenario.Find("first-pull")
	if err != nil {
		t.Fatal(err)
	}
	st, err := step.New(scenario.Maker(s, 1))
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if l := st.Snapshot().Sched.Lesson; l.Number != 1 || l.Of != 10 || l.Title != s.Title || len(l.Text) != 2 || l.Text[0] != s.Text[0] || l.Goals[0].Reached {
		t.Errorf("at the beginning: %+v", l)
	}
	for {
		last, _ := st.Last(nil)
		if last.Decision.Line == decision.RebalanceAllocated && last.Decision.N[1] == 3 {
			break
		}
		if _, err := st.One(); err != nil {
			t.Fatal(err)
		}
	}
	at := st.Steps()
	l := st.Snapshot().Sched.Lesson
	if g := l.Goals[0]; !g.Reached || g.Step != at || l.Goals[1].Reached || l.Text[0] != s.Goals()[0].Seen {
		t.Errorf("where it is reached, at step %d: %+v", at, l)
	}
	if err := st.Back(1); err != nil {
		t.Fatal(err)
	}
	if l := st.Snapshot().Sched.Lesson; l.Goals[0].Reached || l.Text[0] != s.Text[1] {
		t.Errorf("one step back: %+v", l)
	}
	if err := st.Goto(at + 1); err != nil {
		t.Fatal(err)
	}
	if g := st.Snapshot().Sched.Lesson.Goals[0]; g.Step != at {
		t.Errorf("come again, at step %d: %+v", at, g)
	}
	if w := st.Snapshot(); w.Source.Name != "first-pull" {
		t.Errorf("the source is called %q", w.Source.Name)
	}
}

func TestTheDemosHaveNoLesson(t *testing.T) {
	for _, name := range []string{"demo", "demo-orderly"} {
		s, err := scenario.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		w, err := scenario.New(s, 7)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		for range 3 {
			if _, err := w.Run(func(*decision.Decision) bool { return w.Steps()%5000 == 0 }); err != nil {
				t.Fatal(err)
			}
		}
		picture := w.Snapshot()
		if picture.Sched.Lesson != nil || len(picture.Queues) < 6 || picture.Counters.Consumed == 0 || len(w.Left()) > 0 {
			t.Errorf("%s: lesson %v, %d queues, %d messages consumed", name, picture.Sched.Lesson, len(picture.Queues), picture.Counters.Consumed)
		}
		if broken := w.Broken(); len(broken) > 0 {
			t.Errorf("%s: broken: %v", name, broken)
		}
	}
}

// A free run stops at each goal, so that a person can read why, and goes on to the next.
func TestARunStopsAtEachGoal(t *testing.T) {
	for _, s := range scenario.Lessons() {
		st, err := step.New(scenario.Maker(s, 1))
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range s.Goals() {
			stop, err := st.Run()
			if err != nil || stop.Why != g.What || !stop.Break {
				t.Errorf("%s: %+v, %v, want a stop at %q", s.Name, stop, err, g.What)
			}
			if l := st.Snapshot().Sched.Lesson; l.Text[0] != g.Seen {
				t.Errorf("%s at %q: %q", s.Name, g.What, l.Text)
			}
		}
		if stop, err := st.Run(); err != nil || stop.Reason != step.TimeUp {
			t.Errorf("%s: behind the last goal: %+v, %v", s.Name, stop, err)
		}
		st.Close()
	}
}

// Who waits for the turn of a task that dies is not taken to the end of the world.
func TestWaitingForATaskEndsWithIt(t *testing.T) {
	s, err := scenario.Find("offset-illegal")
	if err != nil {
		t.Fatal(err)
	}
	st, err := step.New(scenario.Maker(s, 1))
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if stop, err := st.Run(); err != nil || stop.Why != s.Goals()[0].What {
		t.Fatalf("%+v, %v", stop, err)
	}
	task := st.Trace().Task
	if stop, err := st.UntilTask(task); err != nil || !stop.Met || stop.Why != fmt.Sprintf("task %d is over", task) || st.Now().Sub(st.Start()) > 4*time.Second {
		t.Errorf("task %d: %+v, %v, at %v", task, stop, err, st.Now().Sub(st.Start()))
	}
}
