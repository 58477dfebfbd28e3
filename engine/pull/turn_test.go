package pull

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/event"
	"mqscope/engine/mq"
)

var (
	start   = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	queueID = mq.MessageQueue{Topic: "t", BrokerName: "b", QueueID: 3}
)

// turnAt is a turn that passes all checks, with change made to it.
func turnAt(next int64, change ...func(*Turn)) Turn {
	t := Turn{Queue: queueID, Epoch: 7, Next: next, Running: true, Subscribed: true, SubVersion: 42}
	for _, c := range change {
		c(&t)
	}
	return t
}

func sendOf(offset int64, change ...func(*Send)) Send {
	s := Send{
		Queue: queueID, Epoch: 7, Offset: offset, MaxNums: 32, MaxBytes: 262144, SysFlag: 2,
		SubVersion: 42, Hold: 15 * time.Second, Timeout: 30 * time.Second,
	}
	for _, c := range change {
		c(&s)
	}
	return s
}

func backOf(next int64, delay time.Duration, cause event.Cause) Back {
	return Back{Queue: queueID, Epoch: 7, Next: next, Delay: delay, Cause: cause}
}

func entryOf(level event.Level, what string) event.Entry {
	return event.Entry{At: start, Level: level, Source: "pull", Queue: queueID, What: what, Count: 1}
}

func TestS2TurnChecksInOrder(t *testing.T) {
	const MiB = 1 << 20
	tests := []struct {
		name string
		turn Turn
		want Action
	}{
		{
			name: "a dropped queue ends the request, whatever else is wrong",
			turn: turnAt(5, func(t *Turn) { t.Dropped, t.Running, t.Paused = true, false, true }),
			want: Die{Queue: queueID, Epoch: 7},
		},
		{
			name: "a consumer that does not run waits as after an exception",
			turn: turnAt(5, func(t *Turn) { t.Running, t.Paused = false, true }),
			want: backOf(5, time.Second, event.CauseNotRunning),
		},
		{
			name: "a paused consumer waits a second, flow control or not",
			turn: turnAt(5, func(t *Turn) { t.Paused, t.Load.Count = true, 5000 }),
			want: backOf(5, time.Second, event.CausePaused),
		},
		{
			name: "1,000 messages pass",
			turn: turnAt(5, func(t *Turn) { t.Load.Count = 1000 }),
			want: sendOf(5),
		},
		{
			name: "1,001 messages wait, and the count is named before size and span",
			turn: turnAt(5, func(t *Turn) { t.Load = Load{Count: 1001, Bytes: 200 * MiB, Span: 3000} }),
			want: backOf(5, 50*time.Millisecond, event.CauseFlowCount),
		},
		{
			name: "one byte less than 101 MiB passes, since sizes are cut to whole MiB",
			turn: turnAt(5, func(t *Turn) { t.Load.Bytes = 101*MiB - 1 }),
			want: sendOf(5),
		},
		{
			name: "101 MiB wait, and the size is named before the span",
			turn: turnAt(5, func(t *Turn) { t.Load = Load{Bytes: 101 * MiB, Span: 3000} }),
			want: backOf(5, 50*time.Millisecond, event.CauseFlowSize),
		},
		{
			name: "a span of 2,000 passes",
			turn: turnAt(5, func(t *Turn) { t.Load.Span = 2000 }),
			want: sendOf(5),
		},
		{
			name: "a span of 2,001 waits, subscription or not",
			turn: turnAt(5, func(t *Turn) { t.Load.Span, t.Subscribed = 2001, false }),
			want: backOf(5, 50*time.Millisecond, event.CauseFlowSpan),
		},
		{
			name: "a topic without a subscription waits as after an exception",
			turn: turnAt(5, func(t *Turn) { t.Subscribed = false }),
			want: backOf(5, time.Second, event.CauseNoSubscription),
		},
		{
			name: "a commit offset above 0 goes along",
			turn: turnAt(5, func(t *Turn) { t.CommitOffset = 4 }),
			want: sendOf(5, func(s *Send) { s.SysFlag, s.Commit = 3, 4 }),
		},
		{
			name: "commit offset 0 does not go along",
			turn: turnAt(5, func(t *Turn) { t.CommitOffset = 0 }),
			want: sendOf(5),
		},
		{
			name: "no commit offset does not go along",
			turn: turnAt(0, func(t *Turn) { t.CommitOffset = -1 }),
			want: sendOf(0),
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff([]Action{tt.want}, New(Config{}).Step(start, tt.turn)); diff != "" {
				t.Errorf("actions (-want +got):\n%s", diff)
			}
		})
	}
}

func TestP02NegativeOffsetIsNeverPulled(t *testing.T) {
	p := New(Config{})
	want := []Action{
		backOf(-1, time.Second, event.CauseException),
		entryOf(event.Error, "a pull at offset -1 was refused: offsets start at 0"),
	}
	if diff := cmp.Diff(want, p.Step(start, turnAt(-1))); diff != "" {
		t.Errorf("actions (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want[:1], p.Step(start, turnAt(-1))); diff != "" {
		t.Errorf("the second time (-want +got):\n%s", diff)
	}
}

func TestConfiguredValuesReachTheRequest(t *testing.T) {
	p := New(Config{
		Batch: 8, BatchBytes: 1000, Hold: 5 * time.Second, Timeout: 6 * time.Second,
		Limits: Limits{CountPerQueue: 1, MiBPerQueue: 1, Span: 1},
	})
	want := sendOf(5, func(s *Send) {
		s.MaxNums, s.MaxBytes, s.Hold, s.Timeout = 8, 1000, 5*time.Second, 6*time.Second
	})
	if diff := cmp.Diff([]Action{want}, p.Step(start, turnAt(5, func(t *Turn) { t.Load = Load{Count: 1, Bytes: 2<<20 - 1, Span: 1} }))); diff != "" {
		t.Errorf("actions (-want +got):\n%s", diff)
	}
	got := p.Step(start, turnAt(5, func(t *Turn) { t.Load.Count = 2 }))
	if diff := cmp.Diff([]Action{backOf(5, 50*time.Millisecond, event.CauseFlowCount)}, got); diff != "" {
		t.Errorf("actions (-want +got):\n%s", diff)
	}
}

func TestNegativeSettingsStandForDefaults(t *testing.T) {
	p := New(Config{FlowDelay: -1, PausedDelay: -1, ExceptionDelay: -1, Interval: -1, Batch: -1, Limits: Limits{CountPerQueue: -1}})
	if diff := cmp.Diff(New(Config{}).cfg, p.cfg); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
}

func TestFlagsAndCodesAreThoseOfJava(t *testing.T) {
	file, err := os.Open(filepath.Join("..", "..", "testdata", "vectors", "constants.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	java := map[string]int{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var row struct {
			Group, Name string
			Value       any
		}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		if v, ok := row.Value.(float64); ok {
			java[row.Group+" "+row.Name] = int(v)
		}
	}
	ours := map[string]int{
		"PullSysFlag commit=1 suspend=0 subscription=0 classFilter=0 litePull=0": flagCommitOffset,
		"PullSysFlag commit=0 suspend=1 subscription=0 classFilter=0 litePull=0": flagSuspend,
		"ResponseCode SYSTEM_BUSY":                  codeSystemBusy,
		"ResponseCode NO_PERMISSION":                codeNoPermission,
		"ResponseCode TOPIC_NOT_EXIST":              codeTopicNotExist,
		"ResponseCode SUBSCRIPTION_NOT_EXIST":       codeSubscriptionNotExist,
		"ResponseCode SUBSCRIPTION_NOT_LATEST":      codeSubscriptionNotLatest,
		"ResponseCode SUBSCRIPTION_GROUP_NOT_EXIST": codeGroupNotExist,
		"ResponseCode FLOW_CONTROL":                 codeFlowControl,
	}
	for name, v := range ours {
		if got, ok := java[name]; !ok || got != v {
			t.Errorf("%s is %d here, %d (%v) in Java", name, v, got, ok)
		}
	}
}
