package consumer

import (
	"context"
	"errors"
	"fmt"
	"math"
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
	"mqscope/engine/schedule/scheduletest"
)

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

// wanted is the same of Java's.
func wanted(r *scheduletest.Script) []string {
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
	for _, r := range scheduletest.Scripts(t, "../..") {
		t.Run(r.Name, func(t *testing.T) { synctest.Test(t, func(t *testing.T) { replayRecording(t, &r) }) })
	}
}

func replayRecording(t *testing.T, r *scheduletest.Script) {
	instance, err := client.New(client.Config{NameServers: []string{"ns:9876"}, ClientID: "me", Dial: memnet.New().Dial})
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewScheduled(ScheduledConfig{Threads: r.PullThreadNums, PullConfig: PullConfig{
		MemberConfig: MemberConfig{Group: "GID_vectors", Model: r.Messaging(), OffsetsDir: t.TempDir()},
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
		time.Sleep(time.Duration(step.Due())*time.Millisecond - time.Since(c.start))
		err := s.loop.do(ctx, func(now time.Time) {
			switch step.Do {
			case "messageQueueChanged":
				m.queuesMoved(now, step.Topic, scheduletest.Queues(step.Topic, step.All), scheduletest.Queues(step.Topic, step.Mine))
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
	if diff := cmp.Diff(wanted(r), c.sorted(r.PullThreadNums)); diff != "" {
		t.Errorf("calls (-Java +ours):\n%s", diff)
	}
}

// callback does what the recording says of each call.
func (c *calls50) callback(r *scheduletest.Script) PullTaskCallback {
	return func(_ context.Context, q mq.MessageQueue, task *PullTaskContext) error {
		key := fmt.Sprintf("%s/%d", q.Topic, q.QueueID)
		c.mu.Lock()
		n := c.ran[key]
		c.ran[key]++
		c.note(fmt.Sprintf("enter run %d delay %d", n, task.Delay/time.Millisecond), key)
		c.mu.Unlock()
		run := r.Run(key, n)
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
