package pull

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/event"
	"mqscope/engine/mq"
)

var errBoom = errors.New("connection reset")

// done answers a pull at offset 100 of a queue that has [50, 500).
func done(status mq.PullStatus, next int64, change ...func(*event.PullDone)) event.PullDone {
	d := event.PullDone{
		Queue: queueID, Epoch: 7, Status: status, Offset: 100, Next: next, Min: 50, Max: 500,
		Took: 15 * time.Second,
	}
	for _, c := range change {
		c(&d)
	}
	return d
}

func count(n int) func(*event.PullDone) {
	return func(d *event.PullDone) { d.Count, d.First = n, d.Offset }
}

func failed(code int32, err error) event.PullDone {
	return done(mq.PullFailed, 0, func(d *event.PullDone) { d.Code, d.Err, d.Min, d.Max = code, err, -1, -1 })
}

func atOnce(d *event.PullDone) { d.Took = time.Millisecond }

func correctTo(offset int64) CorrectOffset {
	return CorrectOffset{Queue: queueID, Epoch: 7, Offset: offset}
}

// pulled sends a pull at 100 and returns what follows from the answer.
func pulled(t *testing.T, p *Pull, answer event.PullDone) []Action {
	t.Helper()
	sent := p.Step(start, turnAt(100))
	if _, ok := sent[0].(Send); !ok || len(sent) != 1 {
		t.Fatalf("no pull was sent: %v", sent)
	}
	return p.Step(start, answer)
}

// again is what follows from an answer that leads nowhere: it is told, and asked for once more.
func again(what string) []Action {
	return []Action{entryOf(event.Warn, what), backOf(100, time.Second, event.CauseException)}
}

// outcome is the answer to a pull at 100 and what follows from it.
type outcome struct {
	name   string
	cfg    Config
	answer event.PullDone
	want   []Action
}

func checkOutcomes(t *testing.T, tests []outcome) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, pulled(t, New(tt.cfg), tt.answer)); diff != "" {
				t.Errorf("actions (-want +got):\n%s", diff)
			}
		})
	}
}

// What follows FOUND (Java: PullCallback.onSuccess of DefaultMQPushConsumerImpl.pullMessage).
func TestS2FoundSaysWhereToGoOn(t *testing.T) {
	const none = event.CauseNone
	checkOutcomes(t, []outcome{
		{name: "messages are followed by the next pull at once", answer: done(mq.Found, 132, count(32)), want: []Action{backOf(132, 0, none)}},
		{
			name:   "messages are followed by the pull interval",
			cfg:    Config{Interval: 300 * time.Millisecond},
			answer: done(mq.Found, 132, count(32)),
			want:   []Action{backOf(132, 300*time.Millisecond, event.CauseInterval)},
		},
		{
			name:   "FB10: messages that were all filtered out raise the offset, and the interval does not count",
			cfg:    Config{Interval: 300 * time.Millisecond},
			answer: done(mq.Found, 132, func(d *event.PullDone) { d.Filtered = 32 }),
			want:   []Action{correctTo(132), backOf(132, 0, none)},
		},
		{
			name: "FOUND that does not go on waits instead of spinning", answer: done(mq.Found, 100),
			want: again("answer FOUND to the pull at 100 says to go on at 100: stays at 100"),
		},
		{
			name: "FOUND that goes back does not deliver the same messages again and again", answer: done(mq.Found, 68, count(32)),
			want: again("answer FOUND to the pull at 100 says to go on at 68: stays at 100"),
		},
	})
}

// Messages from before the offset that was asked for are told of when that begins, and taken
// (Java: firstMsgOffset, which starts at Long.MAX_VALUE and is compared with the offset asked for).
func TestMessagesThatAreBroughtAgainAreTold(t *testing.T) {
	p := New(Config{})
	old := done(mq.Found, 132, count(64), func(d *event.PullDone) { d.First = 68 })
	on := backOf(132, 0, event.CauseNone)
	want := []Action{entryOf(event.Warn, "answer to the pull at 100 begins at offset 68: the broker brings messages again"), on}
	if diff := cmp.Diff(want, pulled(t, p, old)); diff != "" {
		t.Errorf("the first time (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]Action{on}, pulled(t, p, old)); diff != "" {
		t.Errorf("the second time (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]Action{on}, pulled(t, p, done(mq.Found, 132, count(32)))); diff != "" {
		t.Errorf("as it should be (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, pulled(t, p, old)); diff != "" {
		t.Errorf("once more (-want +got):\n%s", diff)
	}
	nothing := done(mq.Found, 132, func(d *event.PullDone) { d.Filtered = 32 })
	if diff := cmp.Diff([]Action{correctTo(132), on}, pulled(t, p, nothing)); diff != "" {
		t.Errorf("without a message that is wanted (-want +got):\n%s", diff)
	}
}

// What follows the other statuses.
func TestS3AnswerByStatus(t *testing.T) {
	const none = event.CauseNone
	checkOutcomes(t, []outcome{
		{
			name: "P13: no matching message raises the offset", answer: done(mq.NoMatchedMsg, 400, atOnce),
			want: []Action{correctTo(400), backOf(400, 0, none)},
		},
		{
			name: "no new message is followed by the next pull at once", answer: done(mq.NoNewMsg, 100),
			want: []Action{correctTo(100), backOf(100, 0, none)},
		},
		{
			name: "FB5: an illegal offset is repaired", answer: done(mq.OffsetIllegal, 50, func(d *event.PullDone) { d.Min, d.Max = 10, 50 }),
			want: []Action{RepairOffset{Queue: queueID, Epoch: 7, Asked: 100, Next: 50, Min: 10, Max: 50}},
		},
		{
			name: "FB5: an offset below the minimum is repaired", answer: done(mq.OffsetIllegal, 300, func(d *event.PullDone) { d.Min = 300 }),
			want: []Action{RepairOffset{Queue: queueID, Epoch: 7, Asked: 100, Next: 300, Min: 300, Max: 500}},
		},
		{
			name: "FB5: the queue is empty and is read from its beginning", answer: done(mq.OffsetIllegal, 0, func(d *event.PullDone) { d.Min, d.Max = 0, 0 }),
			want: []Action{RepairOffset{Queue: queueID, Epoch: 7, Asked: 100, Next: 0}},
		},
		{
			name: "a correction that corrects nothing is not followed but asked again", answer: done(mq.OffsetIllegal, 100),
			want: again("offset 100 is illegal, the queue has [50, 500), but the broker's correction is 100: asked again"),
		},
		{
			name: "P02: a negative correction is not followed", answer: done(mq.OffsetIllegal, -1, func(d *event.PullDone) { d.Min, d.Max = -1, -1 }),
			want: again("offset 100 is illegal, its bounds were not told, but the broker's correction is -1: asked again"),
		},
		{
			name: "NO_NEW_MSG never takes a queue back", answer: done(mq.NoNewMsg, 0),
			want: again("answer NO_NEW_MSG to the pull at 100 says to go back to 0: stays at 100"),
		},
	})
}

// How long a failed pull waits, and what is told (Java: PullCallback.onException).
func TestS2FailuresWaitByTheirKind(t *testing.T) {
	checkOutcomes(t, []outcome{
		{name: "an error waits, with the text of what happened", answer: failed(0, errBoom), want: again("pull failed: connection reset")},
		{name: "an error without a text names the code", answer: failed(1, nil), want: again("pull failed, response code 1")},
		{name: "a busy broker is given a second", answer: failed(2, errBoom), want: again("the broker is busy (SYSTEM_BUSY): pulled again later")},
		{
			name:   "a broker that limits pulls is asked again after 20 ms",
			answer: failed(215, errBoom),
			want: []Action{
				entryOf(event.Warn, "the broker limits pulls (FLOW_CONTROL)"),
				backOf(100, 20*time.Millisecond, event.CauseBrokerFlow),
			},
		},
		{
			name: "a broker with an older subscription gets a short word", answer: failed(25, errBoom),
			want: again("the broker knows an older subscription: the next heartbeat brings this one"),
		},
		{
			name: "a broker without the subscription says so", answer: failed(24, errBoom),
			want: again("the broker does not know the group's subscription: the next heartbeat brings it"),
		},
		{
			name: "FB8: a deleted topic is asked for slowly", answer: failed(17, errBoom),
			want: again("the broker does not have the topic: was it deleted?"),
		},
		{
			name: "FB8: a topic that may not be read is asked for slowly", answer: failed(16, errBoom),
			want: again("the broker does not permit reading: is the topic or the group switched off?"),
		},
	})
}

func TestFailuresOfARetryTopicAreNoWarning(t *testing.T) {
	retry := mq.MessageQueue{Topic: "%RETRY%g", BrokerName: "b"}
	p := New(Config{})
	p.Step(start, turnAt(100, func(t *Turn) { t.Queue = retry }))
	d := failed(17, errBoom)
	d.Queue = retry
	got := p.Step(start, d)[0].(event.Entry)
	if got.Level != event.Debug {
		t.Errorf("level %v, want dbg", got.Level)
	}
}

func TestFailuresAreToldWhenTheyBeginAndEnd(t *testing.T) {
	p := New(Config{})
	begin := again("pull failed: connection reset")
	for i, want := range [][]Action{begin, begin[1:], begin[1:]} {
		err := errors.New("connection reset")
		if i > 0 {
			err = errors.New("next try in 480ms") // another text for the same trouble
		}
		if diff := cmp.Diff(want, pulled(t, p, failed(0, err))); diff != "" {
			t.Errorf("failure %d (-want +got):\n%s", i+1, diff)
		}
	}
	busy := again("the broker is busy (SYSTEM_BUSY): pulled again later")
	if diff := cmp.Diff(busy, pulled(t, p, failed(2, errBoom))); diff != "" {
		t.Errorf("another failure (-want +got):\n%s", diff)
	}
	end := []Action{entryOf(event.Info, "pulls again after 4 failures"), backOf(132, 0, event.CauseNone)}
	if diff := cmp.Diff(end, pulled(t, p, done(mq.Found, 132, count(32)))); diff != "" {
		t.Errorf("after the failures (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(begin, pulled(t, p, failed(0, errBoom))); diff != "" {
		t.Errorf("a new failure (-want +got):\n%s", diff)
	}
}

// pulls lets one queue pull for a while from a broker that gives the same answer at once,
// and returns how many pulls were made.
func pulls(t *testing.T, answer event.PullDone, during time.Duration) int {
	t.Helper()
	p, now, n := New(Config{}), time.Duration(0), 0
	for next := int64(100); now < during && n < 10_000; n++ {
		sent, ok := p.Step(start.Add(now), turnAt(next))[0].(Send)
		if !ok {
			t.Fatalf("no pull at %v", now)
		}
		answer.Offset = sent.Offset
		now += answer.Took
		for _, a := range p.Step(start.Add(now), answer) {
			if back, ok := a.(Back); ok {
				next = back.Next
				now += back.Delay
			}
		}
	}
	return n
}

func TestFB1NoAnswerMakesAQueueSpin(t *testing.T) {
	tests := []struct {
		name   string
		answer event.PullDone
	}{
		{"FLOW_CONTROL", failed(215, errBoom)},
		{"SYSTEM_BUSY", failed(2, errBoom)},
		{"refused connections", failed(0, errBoom)},
		{"FOUND without messages", done(mq.Found, 100)},
		{"FOUND with the same messages", done(mq.Found, 100, count(32))},
		{"NO_NEW_MSG that is not held", done(mq.NoNewMsg, 100)},
		{"NO_MATCHED_MSG without progress", done(mq.NoMatchedMsg, 100)},
		{"NO_MATCHED_MSG that suggests other brokers", done(mq.NoMatchedMsg, 100, func(d *event.PullDone) { d.Suggest = 1 })},
		{"an illegal offset that is not corrected", done(mq.OffsetIllegal, 100)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.answer.Took = 100 * time.Microsecond
			if n := pulls(t, tt.answer, 10*time.Second); n > 20 {
				t.Errorf("%d pulls in 10 s, want at most 2 a second", n)
			}
		})
	}
}

func TestAnswersThatTheBrokerHeldAreNotSlowedDown(t *testing.T) {
	if n := pulls(t, done(mq.NoNewMsg, 100), 10*time.Minute); n != 40 {
		t.Errorf("%d pulls of 15 s in 10 minutes, want 40", n)
	}
}
