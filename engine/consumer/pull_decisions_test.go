package consumer_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine/client"
	"mqscope/engine/consumer"
	"mqscope/engine/decision"
	"mqscope/engine/embedded"
	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
	"mqscope/engine/schedule"
)

// decided keeps what consumers decide.
type decided struct {
	t    *testing.T
	mu   sync.Mutex
	list []decision.Decision
	seen map[string]bool // IDs of lines, over all scenarios
}

func (s *decided) Decided(d *decision.Decision) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = append(s.list, *d)
	s.seen[d.Line.ID] = true
}

// of returns the decisions of a line, as words. Requests are #T there: queues that are assigned
// together get their numbers in any order.
func (s *decided) of(l *decision.Line) (out []string) {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.list {
		if s.list[i].Line == l {
			words := decision.Words(&s.list[i])
			if l.Group == decision.Pull {
				words = strings.ReplaceAll(words, fmt.Sprintf("#%d", s.list[i].Task), "#T")
			}
			out = append(out, words)
		}
	}
	return out
}

// has checks that a line was recorded with these words.
func (s *decided) has(l *decision.Line, words string) {
	s.t.Helper()
	if all := s.of(l); !slices.Contains(all, words) {
		s.t.Errorf("%s was not recorded as %q but as\n\t%s", l.ID, words, strings.Join(all[:min(len(all), 10)], "\n\t"))
	}
}

// some checks that a line was recorded with words that contain all parts.
func (s *decided) some(l *decision.Line, parts ...string) {
	s.t.Helper()
	all := s.of(l)
	if !slices.ContainsFunc(all, func(w string) bool {
		return !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(w, part) })
	}) {
		s.t.Errorf("%s was not recorded with %q but as\n\t%s", l.ID, parts, strings.Join(all[:min(len(all), 10)], "\n\t"))
	}
}

// turn is one turn of a queue's request in order: the IDs of its lines from the n-th take on, of
// one task.
func (s *decided) turn(q mq.MessageQueue, n int) (ids []string) {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	task, begun := uint64(0), false
	for _, d := range s.list {
		if d.Queue != q || d.Line.Group != decision.Pull {
			continue
		}
		if d.Line == decision.PullTaken {
			if begun {
				break
			}
			n--
			task, begun = d.Task, n < 0
		}
		if begun && d.Task != task {
			break
		}
		if begun {
			ids = append(ids, d.Line.ID)
			if task == 0 || d.Member != me {
				s.t.Errorf("%s is of task %d, member %s", d.Line.ID, d.Task, d.Member)
			}
		}
	}
	return ids
}

// pullTaskScenarios are what reaches all lines of pulls and pull tasks, each in a world of so
// many brokers.
var pullTaskScenarios = []struct {
	name    string
	brokers int
	run     func(w *world, s *decided)
}{
	{"a turn and its answers", 1, turnScenario},
	{"flow control", 1, flowScenario},
	{"broken answers and failures", 1, brokenScenario},
	{"answers at once and offsets to correct", 1, idleScenario},
	{"an illegal offset", 1, illegalScenario},
	{"a queue given up with a pull in flight", 1, inFlightScenario},
	{"in order", 1, lockScenario},
	{"parts", 1, partsScenario},
	{"the pull-task service", 1, taskScenario},
	{"callbacks that fail, overlap and are removed", 1, oddTasksScenario},
}

// TestEveryLineOfPullsAndPullTasksIsReached runs all scenarios. A line that none of them reaches
// is one that nobody can stop at.
func TestEveryLineOfPullsAndPullTasksIsReached(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range pullTaskScenarios {
		t.Run(c.name, func(t *testing.T) {
			inWorld(t, c.brokers, func(w *world) { c.run(w, &decided{t: w.t, seen: seen}) })
		})
	}
	for _, l := range decision.Lines() {
		if (l.Group == decision.Pull || l.Group == decision.PullTask) && !seen[l.ID] {
			t.Errorf("%s is never recorded", l.ID)
		}
	}
}

const me = "192.0.2.10@me"

func turnScenario(w *world, s *decided) {
	w.createTopic(topic, 1)
	w.put(first, 40, "a", 0)
	m := w.join(me, nil, func(c *consumer.Config) { c.Subscriptions[0].Expression = "a || b" })
	m.push.WatchDecisions(s)
	m.after(5 * time.Second)
	want := strings.Fields("pull.taken pull.touched pull.dropped pull.running pull.paused flow.count flow.size flow.span pull.subscribed pull.negative " +
		"pull.send pull.late pull.filtered pull.put pull.answer pull.progress pull.again pull.empty pull.enqueued")
	if got := s.turn(first, 0); !slices.Equal(got, want) {
		s.t.Errorf("the first turn is\n%v, want\n%v", got, want)
	}
	s.has(decision.PullEnqueued, "request #T waits, pulls next from 0 → put back +500ms, why assigned")
	s.has(decision.PullTaken, "take #T from ready, pulls from 32, 0s behind its due time")
	s.has(decision.PullSend, "send PULL from 0 max 32, flags 2, commit none, to broker id 0, hold 15s")
	s.has(decision.PullFiltered, "0 of 32 messages not wanted by the tags")
	s.some(decision.PullPut, "put 32 messages, ", " from offset 0: ", " cached, 0 were already")
	s.some(decision.PullAnswer, "answer FOUND after ", ": 8 messages, next 40, queue has [0, 40)")
	s.has(decision.PullParked, "request #T is out for 200ms: its broker holds it")
	m.push.Pause()
	w.put(first, 1, "a", 0)
	m.after(30 * time.Second)
	s.has(decision.PullPaused, "paused ?  YES → put back +1s, why paused")
	m.push.Resume()
	m.after(time.Second)
	s.some(decision.PullWoken, "request #T is due now, ", " early: resumed by hand")
	m.push.WatchDecisions(nil)
	n := len(s.of(decision.PullTaken))
	m.after(time.Minute)
	if more := len(s.of(decision.PullTaken)); more != n {
		s.t.Errorf("%d turns were told after nobody watched any more", more-n)
	}
}

func flowScenario(w *world, s *decided) {
	w.createTopic(topic, 1)
	w.put(first, 100, "", 0)
	// Off the grid of 50 ms, so that room is there before the request is due, and not at that moment.
	m := w.join(me, takes(320*time.Millisecond), func(c *consumer.Config) {
		c.Pull.Limits.CountPerQueue, c.Threads = 40, 4
	})
	m.push.WatchDecisions(s)
	m.after(2 * time.Second)
	s.some(decision.FlowCount, "count 6", " > 40 ?  YES → put back +50ms, why flow:count")
	m.after(20 * time.Second)
	s.some(decision.PullWoken, "early: room in its ProcessQueue")
}

// brokenScenario has answers that can not be read, in part and as a whole, and errors.
func brokenScenario(w *world, s *decided) {
	w.createTopic(topic, 1)
	w.put(first, 10, "", 0)
	pulls := 0
	w.onPull(first, func(_ *embedded.Request, at int64) embedded.Verdict {
		switch pulls++; {
		case pulls == 1:
			return embedded.Fail(protocol.FlowControl, "slowly")
		case pulls == 2:
			return embedded.Edit(func(resp *remoting.Command) { resp.Body = resp.Body[:len(resp.Body)-10] })
		case pulls < 6:
			return embedded.Edit(func(resp *remoting.Command) { resp.Body = []byte("garbage") })
		}
		return embedded.Pass
	})
	m := w.join(me, nil)
	m.push.WatchDecisions(s)
	m.after(10 * time.Second)
	s.has(decision.PullFailed, "pull from 0 failed, code 215, 1 in a row: the broker limits pulls (FLOW_CONTROL) → put back +20ms, why broker flow")
	s.some(decision.PullRecovered, "pulls work again after 1 failures")
	s.some(decision.PullCut, "answer broken, 9 messages before that are kept, pulls again from 9: ")
	s.some(decision.PullCut, "answer broken, 0 messages before that are kept, pulls again from 9: ")
	s.has(decision.PullUnreadable, "1 answers in a row to the pull from 9 can not be read >= 3 ?  no")
	s.has(decision.PullUnreadable, "3 answers in a row to the pull from 9 can not be read >= 3 ?  YES → put back +30s, why unreadable")
	if got := s.of(decision.PullEnqueued); got[len(got)-1] != "request #T waits, pulls next from 9 → put back +30s, why unreadable" {
		s.t.Errorf("it waits as in %q", got[len(got)-1])
	}
}

func idleScenario(w *world, s *decided) {
	w.createTopic(topic, 1)
	w.onPull(first, func(*embedded.Request, int64) embedded.Verdict {
		return embedded.Answer(&remoting.Command{
			Code: int32(protocol.PullNotFound), Fields: protocol.Encode(&protocol.PullMessageResponse{NextBeginOffset: 0}),
		})
	})
	m := w.join(me, nil)
	m.push.WatchDecisions(s)
	m.after(5 * time.Second)
	s.has(decision.PullHeld, "broker held the pull, 0s >= 1s ?  no")
	s.has(decision.PullIdle, "3 answers in a row at once without news >= 3 ?  YES → put back +1s, why exception")
	s.has(decision.PullCorrected, "0 cached, stored offset raised to 0 ?  yes")
}

func illegalScenario(w *world, s *decided) {
	w.createTopic(topic, 1)
	w.put(first, 10, "", 0)
	w.commit(first, 500)
	m := w.join(me, nil)
	m.push.WatchDecisions(s)
	m.after(5 * time.Second)
	want := strings.Fields("pull.answer pull.illegal-corrects pull.illegal-slave pull.illegal pull.illegal-dropped pull.illegal-frozen pull.died " +
		"pull.illegal-persisted pull.illegal-removed")
	got := s.turn(first, 0)
	if at := slices.Index(got, "pull.answer"); at < 0 || len(got) < at+len(want) || !slices.Equal(got[at:at+len(want)], want) {
		s.t.Errorf("an illegal offset leads to\n%v, want\n%v", got, want)
	}
	s.has(decision.PullIllegal, "offset 500 is illegal, queue has [0, 10): goes on at 10 → the request ends")
	s.has(decision.PullIllegalFrozen, "offset frozen at 10, no listener moves it")
	s.has(decision.PullIllegalPersisted, "offset 10 persisted ?  yes")
	s.has(decision.PullTaken, "take #T from ready, pulls from 10, 0s behind its due time")
}

// inFlightScenario has pulls answered to a queue that was given up, and given back, meanwhile.
func inFlightScenario(w *world, s *decided) {
	w.createTopic(topic, 2)
	one := queueOf("broker-a", 1)
	m := w.join(me, nil)
	m.push.WatchDecisions(s)
	m.after(2 * time.Second)
	other := w.join("192.0.2.20@other", nil) // it is given queue 1
	m.after(3 * time.Second)
	w.put(one, 3, "", 0)
	m.after(20 * time.Second)
	s.has(decision.PullDied, "request #T is over: given up: "+event.RevokedByRebalance.String()+" → the request ends")
	s.has(decision.PullLate, "queue dropped while the pull from 0 was out ?  YES → the rest is left out")
	s.some(decision.PullStale, "answer FOUND to the pull from 0 belongs to no pull that is out → the rest is left out")
	if n := distinct(other); n != 3 {
		s.t.Errorf("the other member got %d messages", n)
	}
}

func lockScenario(w *world, s *decided) {
	w.createTopic(topic, 1)
	w.put(first, 5, "", 0)
	m := w.joinInOrder(me, w.orderBook(), nil)
	m.push.WatchDecisions(s)
	m.after(2 * time.Second)
	want := strings.Fields("pull.taken pull.touched pull.dropped pull.running pull.paused flow.count flow.size pull.locked pull.first-lock pull.start-read pull.enqueued")
	if got := s.turn(first, 0); !slices.Equal(got, want) {
		s.t.Errorf("the first turn is\n%v, want\n%v", got, want)
	}
	s.some(decision.PullLocked, "lock held (granted yes), age ", " ?  yes")
	s.has(decision.PullStartRead, "committed offset read again, none instead of 0 ?  no")
	s.has(decision.PullFirstLock, "first pull with the lock, start offset 0 is read again ?  YES → the rest is left out")
	w.refuseLocks(false)
	for range 60 { // the pull that is held ends, the lock has expired by then
		m.after(time.Second)
		w.put(first, 1, "", 0)
	}
	s.some(decision.PullLocked, "lock held (granted yes), age 3", " <= 30s ?  NO → put back +1s, why not locked")
}

// partsScenario reaches what only a fault of ours, or of the client below, can lead to.
func partsScenario(w *world, s *decided) {
	now := time.Now()
	recorder := decision.NewRecorder(me, time.Now)
	recorder.Watch(s)
	requests := schedule.New()
	requests.Decisions = recorder
	requests.Step(now, event.QueueAssigned{Queue: first, Epoch: 1, Start: 7})
	for _, a := range requests.Step(now.Add(time.Hour), event.Tick{}) {
		if turn, ok := a.(schedule.Turn); ok {
			requests.Taken(turn.Request)
		}
	}
	s.has(decision.PullLost, "no answer for 1h to the pull from 7: taken for lost, pulled again")
	for range 2 {
		requests.Step(now, event.PutBack{Queue: first, Epoch: 1, Next: 9, Delay: time.Second})
	}
	s.has(decision.PullSecond, "request #T is here already: a second one, to pull from 9, is not let in → the rest is left out")
	table := schedule.NewTable(mq.Clustering, 1)
	table.Decisions = recorder
	table.Stop()
	if _, err := table.Changed(now, topic, nil, []mq.MessageQueue{first}); !errors.Is(err, schedule.ErrTableStopped) {
		s.t.Errorf("a stopped table: %v", err)
	}
	s.some(decision.TaskCreateRejected, "the stopped pool rejects it")
}

// scheduledWatched starts a scheduled consumer that is watched from its beginning.
func (w *world) scheduledWatched(s *decided, callback consumer.PullTaskCallback) (*consumer.Scheduled, *running) {
	return start(w, me, func(i *client.Instance) (*consumer.Scheduled, error) {
		c, err := consumer.NewScheduled(consumer.ScheduledConfig{PullConfig: consumer.PullConfig{MemberConfig: consumer.MemberConfig{Group: group}}, Threads: 4}, i)
		if err != nil {
			return nil, err
		}
		c.WatchDecisions(s)
		return c, c.RegisterPullTaskCallback(topic, callback)
	})
}

func taskScenario(w *world, s *decided) {
	w.createTopic(topic, 1)
	w.put(first, 40, "", 0)
	stray := mq.MessageQueue{Topic: "other", BrokerName: "broker-a"}
	w.createTopic("other", 1)
	k := newWorker()
	c, r := w.scheduledWatched(s, k.work)
	r.after(2 * time.Second)
	if err := c.UpdateConsumeOffset(w.ctx, stray, 5); err != nil {
		s.t.Error(err)
	}
	r.after(10 * time.Second)
	r.stop()
	name := fmt.Sprintf("%s/broker-a/0", topic)
	for _, want := range []struct {
		line  *decision.Line
		words string
	}{
		{decision.TaskRegistered, "callback of orders registered, replaces one: no, 1 topics have one"},
		{decision.TaskStart, "start: pool of threads made, 4 threads"},
		{decision.TaskStart, "start: running, 4 threads"},
		{decision.TaskQueueAdded, "queue " + name + " added, offset in memory none"},
		{decision.TaskListener, "queues of orders changed: broadcasting no, 1 of 1 are mine, 1 chosen"},
		{decision.TaskPut, "putTask of orders: 1 queues, 0 tasks in the table"},
		{decision.TaskCreated, "task #1 of " + name + " made, due at once"},
		{decision.TaskPicked, "a thread takes task #1 of " + name + ", 0s behind its due time, 0 of 4 run"},
		{decision.TaskEntered, "doPullTask of " + name + " begins, run 1"},
		{decision.TaskFetchOffset, "offset of " + name + " from the store: 0"},
		{decision.TaskFetchOffset, "offset of " + name + " from memory: 32"},
		{decision.TaskPullSent, "send PULL of " + name + " from 0 max 32, flags 4, to broker id 0, may be held no, timeout 10s"},
		{decision.TaskPullAnswer, "answer FOUND of " + name + " after 0s: 32 messages, next 32, queue has [0, 40), broker id 0 suggested"},
		{decision.TaskUpdateOffset, "offset of " + name + " in memory set from 0 to 32"},
		{decision.TaskDelay, "callback set its next delay to 100ms"},
		{decision.TaskReturned, "doPullTask of #1 over after 0s, run 1"},
		{decision.TaskAgain, "pool takes task #1 again ?  YES → put back +100ms, why pull interval"},
		{decision.TaskPersist, "persist tick: 1 queues are ours, 1 offsets of others"},
		{decision.TaskForgotten, "offset set by hand of a queue that is not ours is forgotten"},
		{decision.TaskPoolStopped, "pool stopped: 1 tasks wait, they run once more: no; 0 callbacks run"},
		{decision.TaskShutdown, "shutdown: offsets persisted, 1 queues"},
		{decision.TaskQueueRemoved, "queue " + name + " " + event.RevokedByShutdown.String() + ": dropped, offset 40 persisted, removed"},
		{decision.TaskShutdown, "shutdown: group left, 0 queues"},
	} {
		s.has(want.line, want.words)
	}
	for _, d := range s.list {
		if slices.Contains([]*decision.Line{decision.TaskFetchOffset, decision.TaskPullSent, decision.TaskPullAnswer}, d.Line) && d.Task != 1 {
			s.t.Errorf("%s is of task %d", d.Line.ID, d.Task)
		}
	}
}

// oddTasksScenario has a callback hang while its queue is taken and given back, then fail, and
// then be removed.
func oddTasksScenario(w *world, s *decided) {
	w.createTopic(topic, 1)
	release := make(chan struct{})
	var calls atomic.Int32
	c, r := w.scheduledWatched(s, func(context.Context, mq.MessageQueue, *consumer.PullTaskContext) error {
		if calls.Add(1) == 1 {
			<-release
			return nil
		}
		return errors.New("boom")
	})
	r.after(2 * time.Second)
	// A member whose client id comes first is given the one queue, and leaves.
	_, other := w.scheduled("192.0.2.0@first", newWorker().work)
	r.after(25 * time.Second)
	s.has(decision.TaskCancelled, "task #1 of orders/broker-a/0 cancelled while in its callback, out of the table")
	other.stop()
	r.after(25 * time.Second)
	s.has(decision.TaskOverlap, "cancelled task #1 of the queue still is in its callback ?  yes")
	s.has(decision.TaskThrew, "it threw, 1 in a row, delay 1s ?  yes: callback: boom")
	s.has(decision.TaskAgain, "pool takes task #2 again ?  YES → put back +1s, why exception")
	close(release)
	c.RemovePullTaskCallback(topic)
	r.after(2 * time.Second)
	s.has(decision.TaskCheck2, "task #1 cancelled meanwhile ?  YES → the task ends")
	s.has(decision.TaskUnregistered, "callback of orders removed, 0 topics have one")
	s.has(decision.TaskCallback, "callback of orders found ?  NO → the task ends")
	s.has(decision.TaskEnded, "task #2 of orders/broker-a/0: no callback, still in the table: yes → the task ends")
	r.stop()
}
