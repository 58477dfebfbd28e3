package infer_test

import (
	"math"
	"testing"
	"time"

	"mqscope/engine/capture/infer"
	"mqscope/engine/capture/infer/infertest"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/snapshot"
)

// story is what was inferred from one capture.
type story struct {
	t      testing.TB
	events []infer.Event
	end    *infer.State
	start  time.Time // of the first frame, as in the README beside the captures
}

func read(t testing.TB, name string) *story {
	t.Helper()
	told := infertest.Read(t, name)
	s := &story{t: t, events: told.Events, end: told.Inferer.State(), start: told.Start}
	if k := told.Inferer.Kept(); k > 0 {
		t.Errorf("%d pulls are kept behind the end", k)
	}
	for i, e := range s.events {
		if e.Seq != uint64(i+1) {
			t.Fatalf("event %d has number %d", i+1, e.Seq)
		}
		if u, ok := e.Fact.(infer.Unreadable); ok {
			t.Errorf("%+v", u)
		}
	}
	return s
}

// facts are the events of one kind that ok takes, with their times in seconds.
func facts[T any](s *story, ok func(T) bool) (found []T, at []float64) {
	for _, e := range s.events {
		if f, is := e.Fact.(T); is && (ok == nil || ok(f)) {
			found, at = append(found, f), append(at, e.At.Sub(s.start).Seconds())
		}
	}
	return found, at
}

func count[T any](s *story, ok func(T) bool) int {
	found, _ := facts(s, ok)
	return len(found)
}

// at is the picture so many seconds after the first frame.
func (s *story) at(seconds float64) *infer.State {
	return infer.At(s.events, s.start.Add(time.Duration(seconds*float64(time.Second))))
}

func (s *story) want(what string, got, want int) {
	s.t.Helper()
	if got != want {
		s.t.Errorf("%s: %d, want %d", what, got, want)
	}
}

// about wants moments near those of the README, which has one digit.
func (s *story) about(what string, got []float64, want ...float64) {
	s.t.Helper()
	ok := len(got) == len(want)
	for i := range got {
		ok = ok && math.Abs(got[i]-want[i]) < 0.15
	}
	if !ok {
		s.t.Errorf("%s at %.1f, want %.1f", what, got, want)
	}
}

func order(id int32) mq.MessageQueue {
	return mq.MessageQueue{Topic: "orders", BrokerName: "broker-a", QueueID: id}
}

func retry(group string) mq.MessageQueue {
	return mq.MessageQueue{Topic: mq.RetryTopic(group), BrokerName: "broker-a"}
}

// committed wants the last commits of the four queues, an empty window and lag of them.
func (s *story) committed(group string, want ...int64) {
	s.t.Helper()
	for id, offset := range want {
		q := s.end.Groups[group].Queues[order(int32(id))]
		if q == nil || q.Committed.State != snapshot.Known || q.Committed.V != offset {
			s.t.Errorf("%s: queue %d: %+v, want %d committed", group, id, q, offset)
			continue
		}
		if q.Window.State != snapshot.Known || q.Window.V != 0 {
			s.t.Errorf("%s: queue %d: window %+v, want 0", group, id, q.Window)
		}
	}
}

func found(p infer.PullDone) bool { return p.Status == mq.Found }
func noNew(p infer.PullDone) bool { return p.Status == mq.NoNewMsg }

// owners is who pulls the four queues, by the last letters of the client ids.
func owners(s *infer.State, group string) (text [4]string) {
	if s.Groups[group] == nil {
		return text
	}
	for id := range text {
		q := s.Groups[group].Queues[order(int32(id))]
		if q == nil {
			continue
		}
		for _, p := range q.Pullers {
			text[id] += p.Client[max(0, len(p.Client)-5):]
		}
	}
	return text
}

func TestProduce(t *testing.T) {
	s := read(t, "produce")
	s.want("messages stored", count[infer.Stored](s, nil), 120)
	for id := range int32(4) { // each had 150 messages before
		if end := s.end.Ends[order(id)].Max; end.State != snapshot.Known || end.V != 180 {
			t.Errorf("end of queue %d: %+v, want 180", id, end)
		}
	}
}

func TestPushConcurrent(t *testing.T) {
	s := read(t, "push-concurrent")
	s.want("pulls with messages", count(s, found), 84)
	s.want("messages sent back", count[infer.SentBack](s, nil), 21)
	s.want("messages stored in between", count[infer.Stored](s, nil), 60)
	s.committed("g_push", 195, 195, 195, 195)
	q := s.end.Groups["g_push"].Queues[retry("g_push")]
	s.want("committed in the retry queue", int(q.Committed.V), 21)
	s.want("delivered again", q.Delivered, 21)
	_, at := facts(s, func(m infer.MemberSeen) bool { return m.New })
	s.about("members join", at, 0.2, 11.0)
	_, at = facts[infer.MemberLeft](s, nil)
	s.about("members leave", at, 22.9, 28.3)
	_, at = facts[infer.MembersChanged](s, nil)
	s.about("members are notified", at, 0.2, 11.0, 11.0, 22.9)
	for _, c := range []struct {
		at   float64
		want [4]string
	}{
		{0.5, [4]string{}}, {5, [4]string{"c4864", "c4864", "c4864", "c4864"}},
		{12, [4]string{"c4864", "c4864", "c5012", "c5012"}}, {22, [4]string{"c4864", "c4864", "c5012", "c5012"}},
		{23.2, [4]string{"c4864", "c4864", "", ""}}, {24, [4]string{"c4864", "c4864", "c4864", "c4864"}}, {29, [4]string{}},
	} {
		if got := owners(s.at(c.at), "g_push"); got != c.want {
			t.Errorf("at %v: queues pulled by %q, want %q", c.at, got, c.want)
		}
	}
	g := s.at(12).Groups["g_push"]
	s.want("members at 12", len(g.Members), 2)
	s.want("members told at 12", len(g.Listed), 2)
	if w := s.at(1.5).Groups["g_push"].Queues[order(0)]; w.Window.V == 0 || w.Next.V <= w.Committed.V {
		t.Errorf("at 1.5: %+v, want messages that were delivered and not committed", w)
	}
}

func TestPushTags(t *testing.T) {
	s := read(t, "push-tags")
	s.committed("g_tags", 195, 195, 194, 194)
	m, _ := facts[infer.MemberSeen](s, nil)
	var expression string
	for _, sub := range m[0].Subscriptions {
		if sub.Topic == "orders" {
			expression = sub.SubString
		}
	}
	if expression != "TagA || TagB" {
		t.Errorf("expression %q", expression)
	}
	for id, delivered := range []int{0, 1, 2, 3} {
		q := s.end.Groups["g_tags"].Queues[order(int32(delivered))]
		if q.Delivered >= 195 || q.Next.V != 195 {
			t.Errorf("queue %d: %d delivered, next %d: offsets should advance over filtered messages", id, q.Delivered, q.Next.V)
		}
	}
	if lag := s.end.Lag("g_tags", order(2)); lag.V != 1 {
		t.Errorf("lag of queue 2: %+v, want 1", lag)
	}
}

func TestPushOrderly(t *testing.T) {
	s := read(t, "push-orderly")
	s.want("lock batches", count[infer.Locked](s, nil), 18)
	s.want("unlock batches", count[infer.Unlocked](s, nil), 5)
	s.want("send-backs of g_ord", s.end.Groups["g_ord"].SentBack, 21)
	s.committed("g_ord", 205, 205, 205, 205)
	s.committed("g_ord2", 205, 205, 205, 205)
	of := func(m infer.MemberSeen) bool { return m.New && m.Group == "g_ord2" }
	_, at := facts(s, of)
	s.about("members of g_ord2 join", at, 12.4, 22.4, 37.0)
	_, at = facts(s, func(m infer.MemberLeft) bool { return m.Group == "g_ord2" })
	s.about("members of g_ord2 leave", at, 20.5, 52.5, 63.1)
	for _, c := range []struct {
		at   float64
		want [4]string
	}{
		{19, [4]string{"c5402", "c5402", "c5402", "c5402"}}, {21, [4]string{}},
		{30, [4]string{"c5507", "c5507", "c5507", "c5507"}}, {45, [4]string{"c5507", "c5507", "c6001", "c6001"}},
		{60, [4]string{"c6001", "c6001", "c6001", "c6001"}},
	} {
		if got := owners(s.at(c.at), "g_ord2"); got != c.want {
			t.Errorf("at %v: queues pulled by %q, want %q", c.at, got, c.want)
		}
		for id := range int32(4) {
			var holder string
			if l := s.at(c.at).Groups["g_ord2"].Queues[order(id)].Lock.Client; l != "" {
				holder = l[len(l)-5:]
			}
			if holder != c.want[id] {
				t.Errorf("at %v: lock of queue %d is held by %q, want %q", c.at, id, holder, c.want[id])
			}
		}
	}
	held, _ := facts(s, noNew)
	for _, p := range held {
		if !p.Held || p.RoundTrip < 15*time.Second || p.RoundTrip > 21*time.Second {
			t.Errorf("pull without messages, held: %v, took %v: want it held for 15 s, and until the broker looks, every 5 s", p.Held, p.RoundTrip)
		}
	}
	if l := s.at(45).Groups["g_ord2"].Queues[order(0)].Lock; l.Renewals == 0 || !l.Renewed.After(l.Since) {
		t.Errorf("lock of queue 0 was not renewed: %+v", l)
	}
}

func TestPushBroadcast(t *testing.T) {
	s := read(t, "push-broadcast")
	s.want("commits", count[infer.Committed](s, nil)+count[infer.NoCommit](s, nil), 0)
	s.want("member lists", count[infer.MembersListed](s, nil), 0)
	for _, q := range s.end.Groups["g_bc"].SortedQueues() {
		if q.Committed.State != snapshot.NotApplicable || q.Window.State != snapshot.NotApplicable {
			t.Errorf("%v: %+v %+v, want not applicable", q.Queue, q.Committed, q.Window)
		}
		if lag := s.end.Lag("g_bc", q.Queue); lag.State != snapshot.NotApplicable {
			t.Errorf("lag %+v", lag)
		}
		if q.Delivered == 0 {
			t.Errorf("%v: nothing delivered", q.Queue)
		}
	}
}

func TestPull(t *testing.T) {
	s := read(t, "pull")
	s.want("pulls with messages", count(s, found), 12)
	bad, _ := facts(s, func(p infer.PullDone) bool { return p.Status == mq.OffsetIllegal })
	if len(bad) != 1 || bad[0].Offset != 1_048_576 || bad[0].Code != protocol.PullOffsetMoved {
		t.Errorf("%+v, want one pull from an illegal offset", bad)
	}
	s.want("commits", count(s, func(c infer.Committed) bool { return c.How != infer.ByAnswer }), 0)
}

func TestSchedule(t *testing.T) {
	s := read(t, "schedule")
	s.want("pulls with messages", count(s, found), 28)
	s.want("pulls without", count(s, noNew), 48)
	s.want("pulls that were held", count(s, func(p infer.PullDone) bool { return p.Held }), 0)
	s.committed("g_sched", 205, 205, 205, 205)
	// After a pull without messages the next one of the queue comes a second later.
	done := make(map[mq.MessageQueue]time.Time)
	for _, e := range s.events {
		switch f := e.Fact.(type) {
		case infer.PullDone:
			delete(done, f.Queue)
			if noNew(f) {
				done[f.Queue] = e.At
			}
		case infer.PullSent:
			if last, ok := done[f.Queue]; ok && e.At.Sub(last) < 950*time.Millisecond {
				t.Errorf("%v was pulled again after %v", f.Queue, e.At.Sub(last))
			}
		}
	}
}

func TestLite(t *testing.T) {
	s := read(t, "lite")
	sent, _ := facts(s, func(p infer.PullSent) bool { return !p.Lite })
	s.want("pulls that are not lite", len(sent), 0)
	s.want("pulls with messages", count(s, found), 84)
	s.committed("g_lite", 205, 205, 205, 205)
}

func TestAdmin(t *testing.T) {
	s := read(t, "admin")
	for code, toClient := range map[protocol.RequestCode]bool{
		protocol.GetConsumerConnectionList: false, protocol.GetConsumeStats: false, protocol.GetTopicStatsInfo: false,
		protocol.GetConsumerRunningInfo: true,
	} {
		got := count(s, func(c infer.Called) bool {
			return c.Request == code && c.ToClient == toClient && c.Answered && c.Code == protocol.Success
		})
		if got == 0 {
			t.Errorf("no answered %v, to the client: %v", code, toClient)
		}
	}
	resets, _ := facts[infer.ResetOrdered](s, nil)
	if len(resets) != 1 || resets[0].Group != "g_adm2" || len(resets[0].Offsets) != 4 || resets[0].Offsets[3].Offset != 205 {
		t.Errorf("resets %+v, want one of four queues to 205", resets)
	}
	s.want("pulls that learn of the reset", count(s, func(p infer.PullDone) bool { return p.Status == mq.OffsetIllegal }), 4)
	_, at := facts(s, func(m infer.MemberSeen) bool { return m.New })
	s.about("members join", at, 1.7, 47.2)
	s.committed("g_adm2", 205, 205, 205, 205)
	s.want("members at the end", len(s.end.Groups["g_adm2"].Members), 1)
	s.want("pulls of the tool", count(s, func(a infer.Released) bool { return a.Why == "it unregistered" }), 1)
}

func TestConsumeDirectly(t *testing.T) {
	s := read(t, "consume-directly")
	for _, toClient := range []bool{false, true} {
		got := count(s, func(c infer.Called) bool {
			return c.Request == protocol.ConsumeMessageDirectly && c.ToClient == toClient && c.Result == protocol.ResultSuccess
		})
		s.want("messages consumed directly", got, 1)
	}
	if count(s, func(c infer.Called) bool { return c.Request == protocol.QueryMessage }) == 0 {
		t.Error("nobody looked the message up")
	}
}

func TestPop(t *testing.T) {
	s := read(t, "pop")
	popped, _ := facts[infer.Popped](s, nil)
	open := count(s, func(c infer.Called) bool { return c.Request == protocol.PopMessage && !c.Answered })
	s.want("pops", len(popped)+open, 28)
	s.want("acknowledgements", count[infer.Acked](s, nil), 820)
	s.want("changes of the invisible time", count[infer.Deferred](s, nil), 21)
	var messages int
	for _, p := range popped {
		messages += p.Count
	}
	if messages < 820 {
		t.Errorf("%d messages popped, 820 acknowledged", messages)
	}
	if count(s, func(a infer.BrokerAssigned) bool { return a.Topic == "orders" && a.Pop && a.Queues[0].QueueID == -1 }) == 0 {
		t.Error("no assignment that says to pop")
	}
	q := s.end.Groups["g_pop"].Queues[mq.MessageQueue{Topic: "orders", BrokerName: "broker-a", QueueID: -1}]
	if q == nil || q.Committed.OK() || q.Committed.Reason == "" {
		t.Errorf("%+v, want nothing known of commits, with a reason", q)
	}
}

// TestStateCanBeAskedForAnyTime compares a picture that went on with one that is made anew.
func TestStateCanBeAskedForAnyTime(t *testing.T) {
	s := read(t, "push-concurrent")
	state := infer.NewState()
	for i, e := range s.events {
		state.Step(e)
		if i%50 != 0 {
			continue
		}
		kept := state.Clone()
		again := infer.NewState()
		for _, e := range s.events[:i+1] {
			again.Step(e)
		}
		if got, want := owners(kept, "g_push"), owners(again, "g_push"); got != want || kept.Seq != again.Seq {
			t.Fatalf("after event %d: %q, want %q", e.Seq, got, want)
		}
	}
}
