package apachetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// patience is for one step with Java programs on a busy machine.
const patience = 2 * time.Minute

func TestClusterTakesMessagesAndHandsThemOut(t *testing.T) {
	c := Start(t, Options{})
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	const topic, count = "apachetest_smoke", 1000

	sent, err := c.Produce(ctx, Load{Topic: topic, Count: count, Batch: 32, Tag: "A"})
	if err != nil {
		t.Fatal(err)
	}
	if sent.Count != count {
		t.Errorf("%d messages acknowledged, want %d", sent.Count, count)
	}
	status, err := c.Admin(ctx, "topicStatus", "-t", topic)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"0": "250", "1": "250", "2": "250", "3": "250"}
	if diff := cmp.Diff(want, maxOffsets(status)); diff != "" {
		t.Errorf("max offsets by queue (-want +got):\n%s\nof:\n%s", diff, status)
	}

	member, err := c.JavaConsumer(ctx, Member{Group: "apachetest_smoke", Topic: topic, IDs: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := member.Wait(ctx, func(s Seen) bool { return len(s.Received) >= count }); err != nil {
		t.Fatal(err)
	}
	told, err := member.Close(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if told.Consumed != count {
		t.Errorf("the member consumed %d messages, want %d", told.Consumed, count)
	}
	all := []string{topic + "@broker-a:0", topic + "@broker-a:1", topic + "@broker-a:2", topic + "@broker-a:3"}
	var last []string
	for owned := range member.Queues {
		last = owned
	}
	if diff := cmp.Diff(all, last); diff != "" {
		t.Errorf("queues owned last (-want +got):\n%s", diff)
	}
}

func TestBrokerComesBackWithItsData(t *testing.T) {
	c := Start(t, Options{})
	ctx, cancel := context.WithTimeout(t.Context(), 3*patience)
	defer cancel()
	const topic = "apachetest_restart"
	if err := c.CreateTopic(ctx, topic, 2); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		end  func() error
	}{
		{"after kill -9", c.KillBroker},
		{"after SIGTERM", func() error { return c.StopBroker(ctx) }},
	}
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			step := stopwatch(t)
			if _, err := c.Produce(ctx, Load{Topic: topic, First: i * 100, Count: 100, Batch: 10}); err != nil {
				t.Fatal(err)
			}
			step("produce 100")
			if err := tt.end(); err != nil {
				t.Fatal(err)
			}
			step("end of the broker")
			if _, err := ask(ctx, c.Broker, getBrokerRuntimeInfo, nil); err == nil {
				t.Error("the broker still answers")
			}
			if err := c.StartBroker(ctx); err != nil {
				t.Fatal(err)
			}
			step("start of the broker")
			status, err := c.Admin(ctx, "topicStatus", "-t", topic)
			if err != nil {
				t.Fatal(err)
			}
			step("topicStatus")
			n := fmt.Sprint(50 * (i + 1))
			if diff := cmp.Diff(map[string]string{"0": n, "1": n}, maxOffsets(status)); diff != "" {
				t.Errorf("max offsets by queue (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAdminTellsFailure(t *testing.T) {
	c := Start(t, Options{})
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	out, err := c.Admin(ctx, "topicStatus", "-t", "apachetest_no_such_topic")
	if err == nil || !strings.Contains(err.Error(), "No topic route info") {
		t.Errorf("got output %q and error %v, want an error that says there is no route", out, err)
	}
}

// maxOffsets reads queue id and max offset out of what topicStatus prints.
func maxOffsets(status string) map[string]string {
	offsets := map[string]string{}
	for line := range strings.Lines(status) {
		if f := strings.Fields(line); len(f) >= 4 && f[0] == "broker-a" {
			offsets[f[1]] = f[3]
		}
	}
	return offsets
}

// stopwatch returns a function that logs the time since its last call.
func stopwatch(t *testing.T) func(what string) {
	last := time.Now()
	return func(what string) {
		t.Logf("%-20s %v", what, time.Since(last).Round(time.Millisecond))
		last = time.Now()
	}
}

func TestMembersShareTheQueues(t *testing.T) {
	c := Start(t, Options{})
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	const topic, group = "apachetest_members", "apachetest_members"
	if err := c.CreateTopic(ctx, topic, 4); err != nil {
		t.Fatal(err)
	}
	var members []*JavaConsumer
	for range 2 {
		m, err := c.JavaConsumer(ctx, Member{Group: group, Topic: topic, Orderly: true})
		if err != nil {
			t.Fatal(err)
		}
		members = append(members, m)
	}
	var all []string
	for _, m := range members {
		seen, err := m.Wait(ctx, func(s Seen) bool { return len(s.Queues) == 2 && slices.Equal(s.Queues, s.Locked) })
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, seen.Queues...)
	}
	slices.Sort(all)
	if got := slices.Compact(all); len(got) != 4 {
		t.Errorf("both own %v, want four different queues", got)
	}
	// One that is killed would keep its locks for a minute.
	if _, err := members[0].Close(ctx); err != nil {
		t.Error(err)
	}
	if _, err := members[1].Wait(ctx, func(s Seen) bool { return len(s.Locked) == 4 }); err != nil {
		t.Error(err)
	}
	members[1].Kill()
	if _, err := members[1].Wait(ctx, func(s Seen) bool { return s.Ended }); err != nil {
		t.Error(err)
	}
}
