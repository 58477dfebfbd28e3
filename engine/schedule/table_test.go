package schedule

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/mq"
	"mqscope/engine/schedule/scheduletest"
)

var errThrown = errors.New("thrown")

// tell says actions in words, one a line.
func tell(actions []Action) string {
	var out []string
	for _, a := range actions {
		text := fmt.Sprintf("%T %+v", a, a)
		switch a := a.(type) {
		case Enter:
			text = fmt.Sprintf("enter %s run %d late %v overlaps %v", nameOf(a.Task), a.Run, a.Late, a.Overlaps)
		case Cancelled:
			text = "cancelled " + nameOf(a.Task)
		case Created:
			text = "created " + nameOf(a.Task)
		case Picked:
			text = "picked " + nameOf(a.Task)
		case Rescheduled:
			text = fmt.Sprintf("rescheduled %s in %v", nameOf(a.Task), a.Delay)
		case Ended:
			text = fmt.Sprintf("ended %s %v", nameOf(a.Task), a.Why)
		}
		out = append(out, text)
	}
	return strings.Join(out, "\n")
}

// at is a time of the test.
func at(ms int) time.Time { return start.Add(time.Duration(ms) * time.Millisecond) }

func tasksOf(ids ...int32) []mq.MessageQueue { return scheduletest.Queues("A", ids) }

func id(queue int32, n uint64) TaskID { return TaskID{tasksOf(queue)[0], n} }

func changed(t *testing.T, table *Table, ms int, ids ...int32) string {
	t.Helper()
	actions, err := table.Changed(at(ms), "A", nil, tasksOf(ids...))
	if err != nil {
		t.Fatal(err)
	}
	return tell(actions)
}

func TestThePoolHasSoManyThreads(t *testing.T) {
	table := NewTable(mq.Clustering, 2)
	table.Register("A")
	want := `created A/0#1
created A/1#2
created A/2#3
picked A/0#1
enter A/0#1 run 1 late 0s overlaps false
picked A/1#2
enter A/1#2 run 1 late 0s overlaps false`
	if diff := cmp.Diff(want, changed(t, table, 0, 0, 1, 2)); diff != "" {
		t.Error(diff)
	}
	if due, ok := table.NextDue(); ok {
		t.Errorf("due at %v though no thread is free", due)
	}
	want = `rescheduled A/1#2 in 200ms
picked A/2#3
enter A/2#3 run 1 late 70ms overlaps false`
	if diff := cmp.Diff(want, tell(table.Returned(at(70), id(1, 2), DefaultTaskDelay, nil))); diff != "" {
		t.Error(diff)
	}
	if table.Busy() != 2 {
		t.Errorf("%d callbacks run", table.Busy())
	}
}

func TestE24OverlappingRunsOfOneQueueAreSaid(t *testing.T) {
	table := NewTable(mq.Clustering, 20)
	table.Register("A")
	changed(t, table, 0, 0)
	changed(t, table, 10)
	want := `created A/0#2
picked A/0#2
enter A/0#2 run 1 late 0s overlaps true`
	if diff := cmp.Diff(want, changed(t, table, 20, 0)); diff != "" {
		t.Error(diff)
	}
	if n := table.Overlapping(tasksOf(0)[0]); n != 2 {
		t.Errorf("%d callbacks of the queue at once", n)
	}
	if diff := cmp.Diff("ended A/0#1 cancelled after", tell(table.Returned(at(30), id(0, 1), 0, nil))); diff != "" {
		t.Error(diff)
	}
	if task, ok := table.Task(tasksOf(0)[0]); !ok || task.ID.N != 2 || task.State != TaskInCallback || task.Cancelled {
		t.Errorf("the table has %+v", task)
	}
}

func TestAnswersThatBelongToNoCallAreIgnored(t *testing.T) {
	table := NewTable(mq.Clustering, 20)
	table.Register("A")
	changed(t, table, 0, 0)
	if a := table.Returned(at(1), id(7, 1), 0, nil); a != nil {
		t.Errorf("a task that never was: %v", a)
	}
	table.Returned(at(1), id(0, 1), time.Second, nil)
	if a := table.Returned(at(1), id(0, 1), 0, nil); a != nil || table.Busy() != 0 {
		t.Errorf("a second answer: %v, %d busy", a, table.Busy())
	}
}

func TestThrowsAreCountedInARow(t *testing.T) {
	table := NewTable(mq.Clustering, 20)
	table.Register("A")
	changed(t, table, 0, 0)
	now := 0
	for i, c := range []struct {
		err    error
		throws uint64
		delay  time.Duration
	}{{errThrown, 1, time.Second}, {errThrown, 2, time.Second}, {nil, 0, 5 * time.Millisecond}, {errThrown, 1, time.Second}} {
		table.Returned(at(now), id(0, 1), 5*time.Millisecond, c.err)
		task, _ := table.Task(tasksOf(0)[0])
		if task.Throws != c.throws || task.Due.Sub(at(now)) != c.delay {
			t.Errorf("run %d: %d throws, due in %v, want %d and %v", i+1, task.Throws, task.Due.Sub(at(now)), c.throws, c.delay)
		}
		now += int(c.delay / time.Millisecond)
		table.Tick(at(now))
	}
}

// TestI28I29RandomTables steps tables at random and checks what must always hold.
func TestI28I29RandomTables(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		threads := 1 + r.IntN(4)
		table := NewTable(mq.Clustering, threads)
		table.Register("A")
		open := map[TaskID]bool{}
		earliest := map[TaskID]time.Time{} // the next run of a task
		cancelled := map[TaskID]bool{}
		now := 0
		take := func(actions []Action) {
			for _, a := range actions {
				switch a := a.(type) {
				case Created:
					earliest[a.Task] = at(now)
				case Cancelled:
					cancelled[a.Task] = true
				case Rescheduled:
					earliest[a.Task] = at(now).Add(max(0, a.Delay))
				case Enter:
					if at(now).Before(earliest[a.Task]) || open[a.Task] || cancelled[a.Task] {
						t.Fatalf("seed %d at %d: %v entered: earliest %v, open %v, cancelled %v", seed, now, a.Task, earliest[a.Task], open[a.Task], cancelled[a.Task])
					}
					open[a.Task] = true
				case Ended:
					delete(open, a.Task)
				}
			}
		}
		for range 300 {
			now += r.IntN(80)
			switch r.IntN(4) {
			case 0:
				var ids []int32
				for q := range int32(6) {
					if r.IntN(2) == 0 {
						ids = append(ids, q)
					}
				}
				actions, err := table.Changed(at(now), "A", nil, tasksOf(ids...))
				if err != nil {
					t.Fatal(err)
				}
				take(actions)
			case 1:
				take(table.Tick(at(now)))
			default:
				for _, task := range firstOf(open) {
					var err error
					delay := time.Duration(r.IntN(300)-50) * time.Millisecond
					if r.IntN(5) == 0 {
						err, delay = errThrown, time.Second
					}
					delete(open, task)
					actions := table.Returned(at(now), task, delay, err)
					for _, a := range actions {
						if s, ok := a.(Rescheduled); ok && s.Delay != delay {
							t.Fatalf("seed %d: rescheduled in %v, want %v", seed, s.Delay, delay)
						}
					}
					take(actions)
				}
			}
			if len(open) > threads || len(open) != table.Busy() {
				t.Fatalf("seed %d: %d callbacks run on %d threads, the table says %d", seed, len(open), threads, table.Busy())
			}
			for _, q := range table.Queues() {
				task, _ := table.Task(q)
				if task.Cancelled || !task.InTable || cancelled[task.ID] {
					t.Fatalf("seed %d: the table has the cancelled task %v", seed, task.ID)
				}
			}
			if due, ok := table.NextDue(); ok && len(open) < threads && due.Before(at(now)) && r.IntN(4) == 1 {
				take(table.Tick(at(now)))
			}
		}
	}
}

// firstOf is one of the open tasks, the same for the same set.
func firstOf(open map[TaskID]bool) []TaskID {
	var all []TaskID
	for task := range open {
		all = append(all, task)
	}
	slices.SortFunc(all, func(a, b TaskID) int { return strings.Compare(a.String(), b.String()) })
	return all[:min(1, len(all))]
}

func BenchmarkTableTurn(b *testing.B) {
	table := NewTable(mq.Clustering, 20)
	table.Register("A")
	var ids []int32
	for q := range int32(1000) {
		ids = append(ids, q)
	}
	actions, err := table.Changed(at(0), "A", nil, tasksOf(ids...))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	ms := 0
	for b.Loop() {
		ms++
		var next []Action
		for _, a := range actions {
			if e, ok := a.(Enter); ok {
				next = append(next, table.Returned(at(ms), e.Task, time.Millisecond, nil)...)
			}
		}
		actions = append(next, table.Tick(at(ms))...)
	}
}

func TestAPoolThatIsStoppedAtOnceRunsNothingAgain(t *testing.T) {
	table := NewTable(mq.Clustering, 1)
	table.Register("A")
	changed(t, table, 0, 0, 1)
	table.StopNow()
	want := "schedule.RejectedAgain {Task:A/brk-a/0#1 Delay:200ms}\nended A/0#1 rejected"
	if diff := cmp.Diff(want, tell(table.Returned(at(10), id(0, 1), DefaultTaskDelay, nil))); diff != "" {
		t.Error(diff)
	}
	if _, ok := table.NextDue(); ok || len(table.Tick(at(1000))) > 0 {
		t.Error("what waited for its turn gets it")
	}
}
