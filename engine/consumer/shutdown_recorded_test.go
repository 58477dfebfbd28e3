package consumer_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine/consume"
	"mqscope/engine/consumer"
	"mqscope/engine/decision"
	"mqscope/engine/embedded"
	"mqscope/engine/event"
	traces "mqscope/engine/internal/tape"
	"mqscope/engine/protocol"
	"mqscope/engine/recording"
	"mqscope/engine/snapshot"
)

// leavers are members whose listeners have something when they leave, and the kinds of steps that
// they leave in.
var leavers = map[string]struct {
	change func(w *world) func(*consumer.Config)
	tells  string
	steps  string
}{
	"concurrent": {
		func(*world) func(*consumer.Config) { return func(*consumer.Config) {} },
		"given up",
		"begun drained threads taken given-up done",
	},
	"in order": {
		func(*world) func(*consumer.Config) { return listensInOrder(inOrder(2 * time.Second)) },
		"given up",
		"begun drained threads taken committed given-up unlocked done",
	},
	"in order, hangs": {
		func(*world) func(*consumer.Config) { return listensInOrder(inOrder(20 * time.Second)) },
		"listeners still run after 3s",
		"begun drained threads taken committed given-up unlocked done",
	},
	"broadcasting": {
		func(w *world) func(*consumer.Config) { return broadcasting(w.t.TempDir()) },
		"given up",
		"begun drained threads taken given-up flushed done",
	},
}

func listensInOrder(l ordered) func(*consumer.Config) {
	return func(c *consumer.Config) {
		c.Orderly, c.Listener, c.OrderlyListener = true, nil, consume.OrderlyListener(l)
	}
}

// TestTheLeaveIsRecorded: what a member does to its end is made again, step by step, from the
// beginning and from each place on the way, with the same decisions and pictures.
func TestTheLeaveIsRecorded(t *testing.T) {
	for name, c := range leavers {
		t.Run(name, func(t *testing.T) {
			inWorld(t, 1, func(w *world) {
				live := &traces.Tape{}
				w.sink = live
				w.createTopic(topic, 2)
				m := w.join("192.0.2.10@me", takes(2*time.Second), c.change(w))
				m.after(2 * time.Second)
				w.put(first, 50, "", 0)
				m.after(3 * time.Second)
				m.leave()
				synctest.Wait()
				stopping := m.push.Snapshot()
				if stopping.Source.State != snapshot.Stopping {
					t.Fatalf("it is %v while its listeners are waited for", stopping.Source.State)
				}
				m.shots = append(m.shots, stopping)
				m.push.Note(event.Entry{Level: event.Info, Source: "engine", What: "said early"})
				w.onCode(protocol.UnregisterClient, func(*embedded.Request) embedded.Verdict {
					m.push.Note(event.Entry{Level: event.Info, Source: "engine", What: "said late"})
					return embedded.Pass
				})
				<-m.done
				m.toldInOrder("stopping: waits", "said early", c.tells, "given up: shutdown", "said late")
				m.leavesAgain(c.steps, leaveOf(live.Take()))
				time.Sleep(time.Minute) // no listener is left
			})
		})
	}
}

// TestTheStepsOfALeaveBearTheirTimes: the last commits take a second, and what follows says so.
func TestTheStepsOfALeaveBearTheirTimes(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 2)
		m := w.join("192.0.2.10@me", takes(time.Millisecond), listensInOrder(inOrder(time.Millisecond)))
		m.after(2 * time.Second)
		w.put(first, 50, "", 0)
		m.after(2 * time.Second)
		w.onCode(protocol.UpdateConsumerOffset, func(*embedded.Request) embedded.Verdict {
			time.Sleep(time.Second)
			return embedded.Pass
		})
		m.leave()
		<-m.done
		at := map[string]time.Time{}
		for r, rest := m.playFirst(); len(rest) > 0; rest = rest[1:] {
			if mom, ok := m.playOne(r, rest[0]); ok {
				at[mom.Kind] = mom.At
			}
		}
		if took := at["leave.committed"].Sub(at["leave.taken"]); took < time.Second || at["leave.given-up"].Before(at["leave.committed"]) {
			t.Errorf("committed %v behind taken, which took a second; given up at %v", took, at["leave.given-up"])
		}
	})
}

// toldInOrder looks for the parts in the event stream of the last snapshot.
func (m *member) toldInOrder(parts ...string) {
	m.w.t.Helper()
	s := m.push.Snapshot()
	for _, e := range s.Events.Entries {
		if len(parts) > 0 && strings.Contains(e.What, parts[0]) {
			parts = parts[1:]
		}
	}
	if len(parts) > 0 {
		m.w.t.Errorf("not told in its place: %q\n%s", parts[0], texts(s))
	}
}

// leaveOf are the decisions of a leave.
func leaveOf(list []decision.Decision) (lines []string) {
	for i := range list {
		d := &list[i]
		begun := len(lines) > 0 || d.Line == decision.ShutdownBegin
		if begun && (strings.HasPrefix(d.Line.ID, "shutdown.") || strings.HasPrefix(d.Line.ID, "offset.")) {
			lines = append(lines, d.Line.ID+" "+d.Queue.Path()+" "+decision.Words(d))
		}
	}
	return lines
}

// leavesAgain has the loop leave once more.
func (m *member) leavesAgain(steps string, decided []string) {
	t := m.w.t
	t.Helper()
	r, rest := m.playFirst()
	again := &traces.Tape{}
	r.WatchDecisions(again)
	var kinds []string
	type place struct {
		at      *consumer.Kept
		picture []byte
		rest    []recording.Record
	}
	var places []place
	for len(rest) > 0 {
		mom, ok := m.playOne(r, rest[0])
		rest = rest[1:]
		if step, is := strings.CutPrefix(mom.Kind, "leave."); ok && is {
			kinds = append(kinds, step)
		}
		if len(kinds) > 0 && ok {
			places = append(places, place{r.Keep(), consumer.Bytes(r.Picture()), rest})
		}
	}
	if got := strings.Join(kinds, " "); got != steps {
		t.Errorf("it leaves by %s, want %s", got, steps)
	}
	if got := leaveOf(again.Take()); len(decided) == 0 || !slices.Equal(got, decided) {
		t.Errorf("decided was\n%s\nand is\n%s", strings.Join(decided, "\n"), strings.Join(got, "\n"))
	}
	last, end := m.push.Snapshot(), *r.Picture()
	if end.Source.State != snapshot.Ended || len(owned(&end)) != 2 {
		t.Errorf("in the end it is %v and had %d queues, want 2", end.Source.State, len(owned(&end)))
	}
	// A picture has no number of its own, no recording has the clock on the wall, and who made the last snapshot counted then that nobody had
	// read the one before.
	end.Seq, end.Wall, end.Counters.SnapshotsSkipped = last.Seq, last.Wall, last.Counters.SnapshotsSkipped
	if !bytes.Equal(consumer.Bytes(last), consumer.Bytes(&end)) {
		t.Error("what is shown in the end is not what it was")
	}
	for i, p := range places {
		if err := r.Resume(p.at); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(p.picture, consumer.Bytes(r.Picture())) {
			t.Errorf("after a jump to step %d of %d the picture is another", i, len(places))
		}
		for _, rec := range p.rest {
			m.playOne(r, rec)
		}
		if !bytes.Equal(places[len(places)-1].picture, consumer.Bytes(r.Picture())) {
			t.Errorf("from step %d of %d on it comes to another end", i, len(places))
		}
	}
}

// playFirst begins to make again what was recorded of m.
func (m *member) playFirst() (r *consumer.Remake, rest []recording.Record) {
	t := m.w.t
	t.Helper()
	r, err := consumer.NewRemake(m.push.Setup(), consumer.Types(), false)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(m.tape.list, func(rec recording.Record) bool { return rec.Checkpoint })
	if i < 0 {
		t.Fatalf("%d records, none of them a checkpoint", len(m.tape.list))
	}
	if err := r.Restore(m.tape.list[i]); err != nil {
		t.Fatal(err)
	}
	return r, m.tape.list[i+1:]
}

// playOne goes on by a record, which ends an event if ok.
func (m *member) playOne(r *consumer.Remake, rec recording.Record) (mom snapshot.Moment, ok bool) {
	t := m.w.t
	t.Helper()
	ok, err := r.Take(rec, 0)
	if err != nil || r.Departed() != "" {
		t.Fatalf("%v, %s", err, r.Departed())
	}
	if ok {
		mom, _ = r.Moment(0)
	}
	return mom, ok
}

// TestARecordingMayEndOrBeginWhileAMemberLeaves: it is stopped, or another one begun, while
// listeners are waited for.
func TestARecordingMayEndOrBeginWhileAMemberLeaves(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 2)
		m := w.join("192.0.2.10@me", takes(2*time.Second))
		m.after(2 * time.Second)
		w.put(first, 50, "", 0)
		m.after(3 * time.Second)
		m.leave()
		synctest.Wait()
		before, late := m.tape, &reel{}
		m.push.Record(late)
		<-m.done
		n := len(before.list)
		for _, tape := range []*reel{before, late} {
			m.tape = tape
			r, rest := m.playFirst()
			for _, rec := range rest {
				m.playOne(r, rec)
			}
			want := map[*reel]snapshot.SourceState{before: snapshot.Stopping, late: snapshot.Ended}[tape]
			if s := r.Picture(); s.Source.State != want || n != len(before.list) {
				t.Errorf("%v at the end of a recording of %d records, want %v", s.Source.State, len(tape.list), want)
			}
		}
	})
}

// TestARecordingWithoutTheLeaveIsOneThatWasCut: so were all before leaves were recorded.
func TestARecordingWithoutTheLeaveIsOneThatWasCut(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 2)
		w.put(first, 50, "", 0)
		m := w.join("192.0.2.10@me", nil)
		m.after(10 * time.Second)
		m.stop()
		r, rest := m.playFirst()
		list := r.NewList()
		cut := slices.IndexFunc(rest, func(rec recording.Record) bool {
			mom, ok, err := list.Add(recording.Entry{Record: rec})
			return err == nil && ok && mom.Kind == "leave.begun"
		})
		for _, rec := range rest[:max(cut, 0)] {
			m.playOne(r, rec)
		}
		if s := r.Picture(); cut < 0 || s.Source.State != snapshot.Running || len(s.Queues) < 2 {
			t.Errorf("record %d of %d: %v, %d queues", cut, len(rest), s.Source.State, len(s.Queues))
		}
	})
}
