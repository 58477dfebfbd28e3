package pull

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/mq"
)

// told keeps decisions.
type told struct{ list []decision.Decision }

func (s *told) Decided(d *decision.Decision) { s.list = append(s.list, *d) }

// take returns what was decided since the last call, as words.
func (s *told) take(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, d := range s.list {
		if d.Queue != queueID || d.Task != 5 || d.Member != "me" || !d.At.Equal(start) {
			t.Errorf("%s is of %v, task %d, member %s, at %v", d.Line.ID, d.Queue, d.Task, d.Member, d.At)
		}
		out = append(out, d.Line.ID+": "+decision.Words(&d))
	}
	s.list = nil
	return out
}

func watched(cfg Config) (*Pull, *told) {
	p, s := New(cfg), &told{}
	p.Decisions = decision.NewRecorder("me", func() time.Time { return start })
	p.Decisions.Watch(s)
	return p, s
}

// of5 is a turn of task 5 that passes all checks.
func of5(change ...func(*Turn)) Turn {
	return turnAt(100, append([]func(*Turn){func(t *Turn) { t.Task = 5 }}, change...)...)
}

func ordered(l Lock) func(*Turn) {
	return func(t *Turn) { t.Ordered, t.Lock, t.Load.Span = true, &l, 5000 }
}

const (
	passDropped = "pull.dropped: queue dropped ?  no"
	passRunning = "pull.running: consumer runs ?  yes"
	passPaused  = "pull.paused: paused ?  no"
	passCount   = "flow.count: count 0 > 1,000 ?  no"
	passSize    = "flow.size: bytes 0 MiB > 100 MiB ?  no"
	passSpan    = "flow.span: span 0 > 2,000 ?  no"
	passLock    = "pull.locked: lock held (granted yes), age 2s <= 30s ?  yes"
	passSub     = "pull.subscribed: topic subscribed ?  yes"
	passAt      = "pull.negative: offset 100 < 0 ?  no"
	sendMaster  = "pull.send: send PULL from 100 max 32, flags 2, commit none, to broker id 0, hold 15s"
)

// Each check is recorded, in Java's order, also when it passes, and nothing behind the one that
// does not.
func TestEachCheckOfATurnIsRecorded(t *testing.T) {
	held := Lock{Held: true, StartKnown: true, Granted: true, Age: 2 * time.Second, Trust: 30 * time.Second}
	for _, c := range []struct {
		name string
		turn Turn
		want []string
		does Action
	}{
		{
			"a pull is sent", of5(),
			[]string{passDropped, passRunning, passPaused, passCount, passSize, passSpan, passSub, passAt, sendMaster},
			sendOf(100, func(s *Send) { s.Task = 5 }),
		},
		{
			"an offset goes along", of5(func(t *Turn) { t.CommitOffset = 90 }),
			[]string{passDropped, passRunning, passPaused, passCount, passSize, passSpan, passSub, passAt,
				"pull.send: send PULL from 100 max 32, flags 3, commit 90, to broker id 0, hold 15s"},
			sendOf(100, func(s *Send) { s.Task, s.SysFlag, s.Commit = 5, 3, 90 }),
		},
		{
			"dropped", of5(func(t *Turn) { t.Dropped = true }),
			[]string{"pull.dropped: queue dropped ?  YES → the request ends"},
			Die{Queue: queueID, Epoch: 7},
		},
		{
			"not running", of5(func(t *Turn) { t.Running = false }),
			[]string{passDropped, "pull.running: consumer runs ?  NO → put back +1s, why not running"},
			backOf(100, time.Second, event.CauseNotRunning),
		},
		{
			"paused", of5(func(t *Turn) { t.Paused = true }),
			[]string{passDropped, passRunning, "pull.paused: paused ?  YES → put back +1s, why paused"},
			backOf(100, time.Second, event.CausePaused),
		},
		{
			"too many", of5(func(t *Turn) { t.Load = Load{Count: 1037, Bytes: 500 << 20, Span: 9000} }),
			[]string{passDropped, passRunning, passPaused, "flow.count: count 1,037 > 1,000 ?  YES → put back +50ms, why flow:count"},
			backOf(100, 50*time.Millisecond, event.CauseFlowCount),
		},
		{
			"too much", of5(func(t *Turn) { t.Load = Load{Count: 1000, Bytes: 101<<20 + 5, Span: 9000} }),
			[]string{passDropped, passRunning, passPaused, "flow.count: count 1,000 > 1,000 ?  no",
				"flow.size: bytes 101 MiB > 100 MiB ?  YES → put back +50ms, why flow:size"},
			backOf(100, 50*time.Millisecond, event.CauseFlowSize),
		},
		{
			"too far apart", of5(func(t *Turn) { t.Load = Load{Count: 37, Bytes: 101<<20 - 1, Span: 2004} }),
			[]string{passDropped, passRunning, passPaused, "flow.count: count 37 > 1,000 ?  no", "flow.size: bytes 100 MiB > 100 MiB ?  no",
				"flow.span: span 2,004 > 2,000 ?  YES → put back +50ms, why flow:span"},
			backOf(100, 50*time.Millisecond, event.CauseFlowSpan),
		},
		{
			"in order there is no limit to the span", of5(ordered(held)),
			[]string{passDropped, passRunning, passPaused, passCount, passSize, passLock,
				"pull.first-lock: first pull with the lock, start offset 100 is read again ?  no", passSub, passAt, sendMaster},
			sendOf(100, func(s *Send) { s.Task = 5 }),
		},
		{
			"in order without a lock", of5(ordered(Lock{Trust: 30 * time.Second})),
			[]string{passDropped, passRunning, passPaused, passCount, passSize,
				"pull.locked: lock held (granted no), age 0s <= 30s ?  NO → put back +1s, why not locked"},
			backOf(100, time.Second, CauseNotLocked),
		},
		{
			"in order, the first time with the lock", of5(ordered(Lock{Held: true, Granted: true, Age: 2 * time.Second, Trust: 30 * time.Second})),
			[]string{passDropped, passRunning, passPaused, passCount, passSize, passLock,
				"pull.first-lock: first pull with the lock, start offset 100 is read again ?  YES → the rest is left out"},
			Recheck{Queue: queueID, Epoch: 7, Next: 100, Task: 5},
		},
		{
			"no subscription", of5(func(t *Turn) { t.Subscribed = false }),
			[]string{passDropped, passRunning, passPaused, passCount, passSize, passSpan,
				"pull.subscribed: topic subscribed ?  NO → put back +1s, why no subscription"},
			backOf(100, time.Second, event.CauseNoSubscription),
		},
		{
			"below 0", of5(func(t *Turn) { t.Next = -3 }),
			[]string{passDropped, passRunning, passPaused, passCount, passSize, passSpan, passSub,
				"pull.negative: offset -3 < 0 ?  YES → put back +1s, why exception"},
			backOf(-3, time.Second, event.CauseException),
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, s := watched(Config{})
			actions := p.Step(start, c.turn)
			if diff := cmp.Diff(c.want, s.take(t)); diff != "" {
				t.Errorf("decisions (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.does, actions[0]); diff != "" {
				t.Errorf("action (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWhatFollowsFromAnAnswerIsRecorded(t *testing.T) {
	const onAt132 = "pull.progress: next 132 >= 101 ?  yes"
	noNews := done(mq.NoNewMsg, 100, atOnce)
	for _, c := range []struct {
		name    string
		answers []event.PullDone
		want    []string // of the last one
	}{
		{"messages", []event.PullDone{done(mq.Found, 132, count(32))}, []string{
			"pull.answer: answer FOUND after 15s: 32 messages, next 132, queue has [50, 500), broker id 0 suggested", onAt132,
			"pull.again: messages brought again, first 100 < 100 ?  no",
			"pull.empty: no message left of the answer, 0 filtered out ?  no",
		}},
		{"messages again", []event.PullDone{done(mq.Found, 132, count(64), func(d *event.PullDone) { d.First, d.Suggest = 68, 1 })}, []string{
			"pull.answer: answer FOUND after 15s: 64 messages, next 132, queue has [50, 500), broker id 1 suggested", onAt132,
			"pull.again: messages brought again, first 68 < 100 ?  yes",
			"pull.empty: no message left of the answer, 0 filtered out ?  no",
		}},
		{"all filtered out", []event.PullDone{done(mq.Found, 132, func(d *event.PullDone) { d.Filtered = 32 })}, []string{
			"pull.answer: answer FOUND after 15s: 0 messages, next 132, queue has [50, 500), broker id 0 suggested", onAt132,
			"pull.empty: no message left of the answer, 32 filtered out ?  yes",
		}},
		{"no way on", []event.PullDone{done(mq.Found, 100)}, []string{
			"pull.answer: answer FOUND after 15s: 0 messages, next 100, queue has [50, 500), broker id 0 suggested",
			"pull.progress: next 100 >= 101 ?  NO → put back +1s, why exception",
		}},
		{"no news, held", []event.PullDone{done(mq.NoNewMsg, 100)}, []string{
			"pull.answer: answer NO_NEW_MSG after 15s: 0 messages, next 100, queue has [50, 500), broker id 0 suggested",
			"pull.progress: next 100 >= 100 ?  yes", "pull.held: broker held the pull, 15s >= 1s ?  yes",
		}},
		{"no news, at once", []event.PullDone{noNews}, []string{
			"pull.answer: answer NO_NEW_MSG after 1ms: 0 messages, next 100, queue has [50, 500), broker id 0 suggested",
			"pull.progress: next 100 >= 100 ?  yes", "pull.held: broker held the pull, 1ms >= 1s ?  no",
			"pull.idle: 1 answers in a row at once without news >= 3 ?  no",
		}},
		{"no news, at once, again and again", []event.PullDone{noNews, noNews, noNews}, []string{
			"pull.answer: answer NO_NEW_MSG after 1ms: 0 messages, next 100, queue has [50, 500), broker id 0 suggested",
			"pull.progress: next 100 >= 100 ?  yes", "pull.held: broker held the pull, 1ms >= 1s ?  no",
			"pull.idle: 3 answers in a row at once without news >= 3 ?  YES → put back +1s, why exception",
		}},
		{"none that matches, further on", []event.PullDone{done(mq.NoMatchedMsg, 400, atOnce)}, []string{
			"pull.answer: answer NO_MATCHED_MSG after 1ms: 0 messages, next 400, queue has [50, 500), broker id 0 suggested",
			"pull.progress: next 400 >= 100 ?  yes",
		}},
		{"an illegal offset", []event.PullDone{done(mq.OffsetIllegal, 300, func(d *event.PullDone) { d.Min = 300 })}, []string{
			"pull.answer: answer OFFSET_ILLEGAL after 15s: 0 messages, next 300, queue has [300, 500), broker id 0 suggested",
			"pull.illegal-corrects: correction 300 of offset 100 corrects something ?  yes",
			"pull.illegal-slave: a slave (answer no, asked id 0, suggests 0) corrects backwards, from 100 to 300 ?  no",
			"pull.illegal: offset 100 is illegal, queue has [300, 500): goes on at 300 → the request ends",
		}},
		{"a correction of nothing", []event.PullDone{done(mq.OffsetIllegal, -1)}, []string{
			"pull.answer: answer OFFSET_ILLEGAL after 15s: 0 messages, next none, queue has [50, 500), broker id 0 suggested",
			"pull.illegal-corrects: correction -1 of offset 100 corrects something ?  NO → put back +1s, why exception",
		}},
		{"a correction by a slave", []event.PullDone{done(mq.OffsetIllegal, 50, func(d *event.PullDone) { d.Slave = true })}, []string{
			"pull.answer: answer OFFSET_ILLEGAL after 15s: 0 messages, next 50, queue has [50, 500), broker id 0 suggested",
			"pull.illegal-corrects: correction 50 of offset 100 corrects something ?  yes",
			"pull.illegal-slave: a slave (answer yes, asked id 0, suggests 0) corrects backwards, from 100 to 50 ?  YES → put back +1s, why exception",
		}},
		{"a failure", []event.PullDone{failed(0, errBoom)}, []string{
			"pull.answer: answer FAILED after 15s: 0 messages, next 0, queue has [none, none), broker id 0 suggested",
			"pull.failed: pull from 100 failed, code 0, 1 in a row: pull failed: connection reset → put back +1s, why exception",
		}},
		{"flow control of the broker", []event.PullDone{failed(0, errBoom), failed(215, errBoom)}, []string{
			"pull.answer: answer FAILED after 15s: 0 messages, next 0, queue has [none, none), broker id 0 suggested",
			"pull.failed: pull from 100 failed, code 215, 2 in a row: the broker limits pulls (FLOW_CONTROL) → put back +20ms, why broker flow",
		}},
		{"an end of failures", []event.PullDone{failed(0, errBoom), failed(0, errBoom), done(mq.Found, 132, count(1))}, []string{
			"pull.answer: answer FOUND after 15s: 1 messages, next 132, queue has [50, 500), broker id 0 suggested",
			"pull.recovered: pulls work again after 2 failures", onAt132,
			"pull.again: messages brought again, first 100 < 100 ?  no",
			"pull.empty: no message left of the answer, 0 filtered out ?  no",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, s := watched(Config{})
			var got []string
			for _, answer := range c.answers {
				p.Step(start, of5())
				s.take(t)
				p.Step(start, answer)
				got = s.take(t)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("decisions (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAnswersThatNobodyWaitsForAreRecorded(t *testing.T) {
	p, s := watched(Config{})
	p.Step(start, of5())
	p.Step(start, done(mq.Found, 132, count(32)))
	s.take(t)
	p.Step(start, done(mq.Found, 132, count(32)))
	want := "pull.stale: answer FOUND to the pull from 100 belongs to no pull that is out → the rest is left out"
	if got := strings.Join(s.take(t), "\n"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	stranger := done(mq.NoNewMsg, 132)
	stranger.Queue.QueueID++
	p.Step(start, stranger)
	if len(s.list) != 1 || s.list[0].Line != decision.PullStale || s.list[0].Task != 0 {
		t.Errorf("an answer about a queue that is not known: %v", s.list)
	}
}

// The same is done whether somebody watches or not.
func TestWatchingChangesNothing(t *testing.T) {
	turns := []Turn{of5(), of5(func(t *Turn) { t.Paused = true }), of5(func(t *Turn) { t.Next = -1 })}
	answers := []event.PullDone{done(mq.Found, 132, count(3)), failed(215, errBoom), done(mq.OffsetIllegal, 50)}
	watchedPull, _ := watched(Config{})
	unwatched, none := New(Config{}), New(Config{})
	unwatched.Decisions = decision.NewRecorder("me", time.Now)
	for _, turn := range turns {
		for _, answer := range answers {
			a := append(slices.Clone(watchedPull.Step(start, turn)), watchedPull.Step(start, answer)...)
			for _, p := range []*Pull{unwatched, none} {
				if diff := cmp.Diff(a, append(slices.Clone(p.Step(start, turn)), p.Step(start, answer)...)); diff != "" {
					t.Errorf("actions (-watched +not):\n%s", diff)
				}
			}
		}
	}
}
