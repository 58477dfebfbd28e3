package consumer

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/client"
	"mqscope/engine/memnet"
	"mqscope/engine/mq"
)

// recorded is one case of schedule.jsonl; see the same file's test in package schedule.
type recorded struct {
	Name              string
	Model             string
	PullThreadNums    int
	End               int
	RegisteredAtStart []string
	Runs              map[string][]struct {
		Takes    int
		SetDelay *int
		Throws   bool
	}
	Steps []struct {
		At        int
		Do, Topic string
		All, Mine []int32
	}
	Log [][]any
}

func recordings(t *testing.T) []recorded {
	t.Helper()
	f, err := os.Open("../../testdata/vectors/schedule.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []recorded
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r recorded
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	if lines.Err() != nil || len(out) == 0 {
		t.Fatal(lines.Err())
	}
	return out
}

// calls are what callbacks did, as text: time on Java's grid of 50 ms, event, queue.
type calls50 struct {
	start time.Time
	end   int

	mu  sync.Mutex
	ran map[string]int
	log []call50
}

type call50 struct {
	at    int
	what  string
	queue string
}

func (c *calls50) note(what, queue string) {
	ms := int(time.Since(c.start) / time.Millisecond)
	if ms < c.end-25 {
		c.log = append(c.log, call50{int(math.Round(float64(ms)/50)) * 50, what, queue})
	}
}

// sorted is the log as the recording sorts it: at one time by queue, unless there is one thread.
func (c *calls50) sorted(threads int) []string {
	sort.SliceStable(c.log, func(i, j int) bool {
		a, b := c.log[i], c.log[j]
		if a.at != b.at {
			return a.at < b.at
		}
		return threads > 1 && a.queue < b.queue
	})
	var out []string
	for _, e := range c.log {
		out = append(out, fmt.Sprintf("%d %s %s", e.at, e.what, e.queue))
	}
	return out
}

// wanted is the same of the recording.
func (r *recorded) wanted() []string {
	var out []string
	for _, e := range r.Log {
		what := e[1].(string)
		if !slices.Contains([]string{"enter", "exit", "threw"}, what) {
			continue
		}
		queue, _, _ := strings.Cut(e[2].(string), "#")
		if what == "enter" {
			data := e[3].(map[string]any)
			what = fmt.Sprintf("enter run %v delay %v", data["callbackRun"], data["contextDelay"])
		}
		out = append(out, fmt.Sprintf("%v %s %s", e[0], what, queue))
	}
	return out
}

// TestS0ScheduledConsumersCallBackAsJavas drives the whole consumer, its loop and its callbacks on
// goroutines, in virtual time, and compares every call with what Java's threads did.
func TestS0ScheduledConsumersCallBackAsJavas(t *testing.T) {
	for _, r := range recordings(t) {
		t.Run(r.Name, func(t *testing.T) { synctest.Test(t, func(t *testing.T) { replayRecording(t, &r) }) })
	}
}

func replayRecording(t *testing.T, r *recorded) {
	instance, err := client.New(client.Config{NameServers: []string{"ns:9876"}, ClientID: "me", Dial: memnet.New().Dial})
	if err != nil {
		t.Fatal(err)
	}
	model := mq.Clustering
	if r.Model == mq.Broadcasting.String() {
		model = mq.Broadcasting
	}
	s, err := NewScheduled(ScheduledConfig{Threads: r.PullThreadNums, PullConfig: PullConfig{
		MemberConfig: MemberConfig{Group: "GID_vectors", Model: model, OffsetsDir: t.TempDir()},
	}}, instance)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var both sync.WaitGroup
	both.Go(func() { _ = instance.Run(ctx) })
	both.Go(func() {
		if err := s.Run(ctx); err != nil {
			t.Errorf("the end: %v", err)
		}
	})
	defer both.Wait()
	defer cancel()

	c := &calls50{end: r.End, ran: map[string]int{}}
	for _, topic := range r.RegisteredAtStart {
		if err := s.RegisterPullTaskCallback(topic, c.callback(r)); err != nil {
			t.Fatal(err)
		}
	}
	<-s.Ready()
	synctest.Wait()
	c.start = time.Now()
	m := s.loop.manner.(*scheduling)
	for _, step := range r.Steps {
		at := step.At
		if at > 0 {
			at += 12
		}
		time.Sleep(time.Duration(at)*time.Millisecond - time.Since(c.start))
		err := s.loop.do(ctx, func(now time.Time) {
			switch step.Do {
			case "messageQueueChanged":
				m.queuesMoved(now, step.Topic, idsOf(step.Topic, step.All), idsOf(step.Topic, step.Mine))
			case "shutdownPool":
				m.table.Stop()
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		switch step.Do {
		case "registerPullTaskCallback":
			err = s.RegisterPullTaskCallback(step.Topic, c.callback(r))
		case "removeCallback":
			s.RemovePullTaskCallback(step.Topic)
		}
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
	}
	time.Sleep(time.Duration(r.End)*time.Millisecond - time.Since(c.start))
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	if diff := cmp.Diff(r.wanted(), c.sorted(r.PullThreadNums)); diff != "" {
		t.Errorf("calls (-Java +ours):\n%s", diff)
	}
}

func idsOf(topic string, ids []int32) []mq.MessageQueue {
	var out []mq.MessageQueue
	for _, id := range ids {
		out = append(out, mq.MessageQueue{Topic: topic, BrokerName: "brk-a", QueueID: id})
	}
	return out
}

// callback does what the recording says of each call.
func (c *calls50) callback(r *recorded) PullTaskCallback {
	return func(_ context.Context, q mq.MessageQueue, task *PullTaskContext) error {
		key := fmt.Sprintf("%s/%d", q.Topic, q.QueueID)
		c.mu.Lock()
		n := c.ran[key]
		c.ran[key]++
		c.note(fmt.Sprintf("enter run %d delay %d", n, task.Delay/time.Millisecond), key)
		c.mu.Unlock()
		runs, ok := r.Runs[key]
		if !ok {
			runs = r.Runs["*"]
		}
		run := runs[min(n, len(runs)-1)]
		if run.SetDelay != nil {
			task.Delay = time.Duration(*run.SetDelay) * time.Millisecond
		}
		time.Sleep(time.Duration(run.Takes) * time.Millisecond)
		c.mu.Lock()
		defer c.mu.Unlock()
		if run.Throws {
			c.note("threw", key)
			return errors.New("scripted")
		}
		c.note("exit", key)
		return nil
	}
}
