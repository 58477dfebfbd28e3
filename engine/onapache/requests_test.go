package onapache_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mqscope/engine/apachetest"
	"mqscope/engine/consume"
	"mqscope/engine/mq"
	"mqscope/engine/ondemand"
	"mqscope/engine/snapshot"
)

// sections are the parts of what consumerStatus prints, by heading.
func sections(status string) map[string][]string {
	out := map[string][]string{}
	name := ""
	for line := range strings.Lines(status) {
		line = strings.TrimRight(line, "\n")
		if heading, ok := strings.CutPrefix(line, "#"); ok && strings.HasSuffix(heading, "#") && !strings.HasPrefix(line, "#Topic") {
			name = strings.TrimSuffix(heading, "#")
			out[name] = []string{}
		} else if strings.TrimSpace(line) != "" {
			out[name] = append(out[name], line)
		}
	}
	return out
}

func propertiesIn(lines []string) map[string]string {
	out := map[string]string{}
	for _, line := range lines {
		if name, v, ok := strings.Cut(line, ":"); ok {
			out[strings.TrimSpace(name)] = strings.TrimSpace(v)
		}
	}
	return out
}

// TestApacheToolSeesOurMemberAsItSeesAJavaOne compares what mqadmin shows of a member of ours
// and of a Java one that consume the same.
func TestApacheToolSeesOurMemberAsItSeesAJavaOne(t *testing.T) {
	c := apachetest.Start(t, quickRetries())
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	const topic, group, count = "mqscope_status", "mqscope_status", 400
	if err := c.CreateTopic(ctx, topic, 4); err != nil {
		t.Fatal(err)
	}
	m := joinApache(t, c, group, topic, "127.0.0.1@status", success)
	j, err := c.JavaConsumer(ctx, apachetest.Member{Group: group, Topic: topic})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Kill()
	seen, err := j.Wait(ctx, func(s apachetest.Seen) bool { return len(s.Queues) == 2 })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Produce(ctx, apachetest.Load{Topic: topic, Count: count}); err != nil {
		t.Fatal(err)
	}
	m.until("our half", func(*snapshot.Snapshot) bool { return m.distinct() == count/2 })
	time.Sleep(11 * time.Second) // statistics are sampled every ten seconds
	ours, javas := statusOfBoth(ctx, t, c, group, m.id, seen.ClientID)
	if got, want := slices.Sorted(maps.Keys(ours)), slices.Sorted(maps.Keys(javas)); !slices.Equal(got, want) {
		t.Errorf("parts are %q, a Java member's are %q", got, want)
	}
	sameSettings(t, propertiesIn(ours["Consumer Properties"]), propertiesIn(javas["Consumer Properties"]), 30)
	if got, want := ours["Consumer Subscription"], javas["Consumer Subscription"]; !slices.Equal(got, want) {
		t.Errorf("subscriptions are %q, a Java member's are %q", got, want)
	}
	queues := 0
	for _, line := range ours["Consumer Offset"] {
		if f := strings.Fields(line); len(f) == 4 && f[0] == topic {
			queues++
			if f[3] != "100" {
				t.Errorf("offset line %q, want 100 of each queue", line)
			}
		}
	}
	if queues != 2 {
		t.Errorf("%d queues in %q, want 2", queues, ours["Consumer Offset"])
	}
	busy := false
	for _, line := range ours["Consumer RT&TPS"] {
		f := strings.Fields(line)
		busy = busy || len(f) == 7 && f[0] == topic && f[2] != "0.00" && f[4] != "0.00"
	}
	if !busy {
		t.Errorf("no rates in %q; a Java member has %q", ours["Consumer RT&TPS"], javas["Consumer RT&TPS"])
	}
	if dump := strings.Join(ours["Consumer jstack"], "\n"); !strings.Contains(dump, "consume.(*worker).run") {
		t.Errorf("the dump does not show our consume threads: %.500s", dump)
	}
	s := m.until("the request in the event stream", func(s *snapshot.Snapshot) bool {
		return slices.ContainsFunc(s.Events.Entries, func(e snapshot.Entry) bool { return strings.Contains(e.What, "dump of goroutines") })
	})
	if s.Counters.Consumed != count/2 {
		t.Errorf("consumed %d, want %d", s.Counters.Consumed, count/2)
	}
}

// statusOfBoth is what mqadmin shows of two members, by heading.
func statusOfBoth(ctx context.Context, t *testing.T, c *apachetest.Cluster, group, one, other string) (ones, others map[string][]string) {
	t.Helper()
	var asking sync.WaitGroup
	ask := func(id string, to *map[string][]string) {
		asking.Go(func() {
			out, err := c.Admin(ctx, "consumerStatus", "-g", group, "-i", id, "-s", "true")
			if err != nil {
				t.Error(err)
			}
			*to = sections(out)
		})
	}
	ask(one, &ones)
	ask(other, &others)
	asking.Wait()
	return ones, others
}

// sameSettings checks that a tool is told of our settings, of at least so many, by the names
// that Java has for them, and that those are equal which both leave at their defaults.
func sameSettings(t *testing.T, ours, javas map[string]string, least int) {
	t.Helper()
	differ := map[string]bool{
		"PROP_CONSUMER_START_TIMESTAMP": true, "PROP_CLIENT_VERSION": true, "instanceName": true, "clientIP": true, "language": true,
		"allocateMessageQueueStrategy":       true, // the object's name in Java
		"maxReconsumeTimes":                  true, // -1 stands for 16
		"awaitTerminationMillisWhenShutdown": true,
		"consumeThreadMin":                   true, "consumeThreadMax": true, "PROP_THREADPOOL_CORE_SIZE": true, // as the Java program sets them
	}
	for name, v := range ours {
		java, known := javas[name]
		if !known {
			t.Errorf("Java has no property %s", name)
		} else if v != java && !differ[name] {
			t.Errorf("property %s is %q, a Java member's is %q", name, v, java)
		}
	}
	if len(ours) < least {
		t.Errorf("%d properties, want what Java shows: %v", len(ours), ours)
	}
}

// TestApacheToolSeesOurAskedConsumersAsItSeesJavas is the same for consumers that are asked for
// messages.
func TestApacheToolSeesOurAskedConsumersAsItSeesJavas(t *testing.T) {
	c := apachetest.Start(t, quickRetries())
	for _, tt := range []struct {
		name   string
		open   opener
		java   apachetest.PollKind
		least  int
		queues bool // told by Java too
	}{
		{"pull", ondemand.OpenPull, apachetest.Pull, 20, false},
		{"scheduled", ondemand.OpenScheduled, apachetest.Schedule, 20, false},
		{"lite", ondemand.OpenLite, apachetest.Lite, 28, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			name := "mqscope_status_" + tt.name
			if err := c.CreateTopic(ctx, name, 4); err != nil {
				t.Fatal(err)
			}
			a := ask(t, c, tt.open, name, name, "127.0.0.1@"+name)
			j, err := c.JavaPoller(ctx, apachetest.Poller{Kind: tt.java, Group: name, Topic: name})
			if err != nil {
				t.Fatal(err)
			}
			defer j.Kill()
			seen, err := j.Wait(ctx, func(s apachetest.Seen) bool { return len(s.Queues) == 2 })
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.Produce(ctx, apachetest.Load{Topic: name, Count: 40}); err != nil {
				t.Fatal(err)
			}
			a.until("ten messages of each of our two queues", func(s *snapshot.Snapshot) bool { return committedAll(s, name, 2, 20) })
			ours, javas := statusOfBoth(ctx, t, c, name, a.id, seen.ClientID)
			properties := propertiesIn(ours["Consumer Properties"])
			delete(properties, "unitName") // Java's has its unit from a setting of another name
			sameSettings(t, properties, propertiesIn(javas["Consumer Properties"]), tt.least)
			if got, want := subscribedTo(ours), subscribedTo(javas); !slices.Equal(got, want) || len(got) == 0 {
				t.Errorf("subscribed to %q, a Java member to %q", got, want)
			}
			offsets := 0
			for _, line := range ours["Consumer Offset"] {
				if f := strings.Fields(line); len(f) == 4 && f[0] == name && f[3] == "10" {
					offsets++
				}
			}
			if offsets != 2 {
				t.Errorf("offsets are %q, want 10 of each of our two queues", ours["Consumer Offset"])
			}
			if told := strings.Contains(strings.Join(javas["Consumer Offset"], " "), name); told != tt.queues {
				t.Errorf("a Java member tells of its queues: %v, want %v", told, tt.queues)
			}
			if dump := strings.Join(ours["Consumer jstack"], "\n"); !strings.Contains(dump, "consumer.(*onDemand).loop") {
				t.Errorf("the dump does not show the loop of our consumer: %.500s", dump)
			}
			a.until("the request in the event stream", func(s *snapshot.Snapshot) bool {
				return slices.ContainsFunc(s.Events.Entries, func(e snapshot.Entry) bool { return strings.Contains(e.What, "dump of goroutines") })
			})
			if got, want := slices.Sorted(maps.Keys(ours)), slices.Sorted(maps.Keys(javas)); !slices.Equal(got, want) {
				t.Errorf("parts are %q, a Java member's are %q", got, want)
			}
		})
	}
}

// subscribedTo are the topics and expressions of a status, without their version.
func subscribedTo(status map[string][]string) (list []string) {
	for _, line := range status["Consumer Subscription"] {
		list = append(list, strings.Join(strings.Fields(line), " "))
	}
	return list
}

// TestApacheToolHasAMemberConsumeDirectly: mqadmin shows the same for our member as for a
// Java one, and what is consumed so counts nowhere.
func TestApacheToolHasAMemberConsumeDirectly(t *testing.T) {
	c := apachetest.Start(t, quickRetries())
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	const topic, group, count = "mqscope_directly", "mqscope_directly", 20
	if _, err := c.Produce(ctx, apachetest.Load{Topic: topic, Count: count, Queues: 2}); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	fail, found := false, ""
	m := joinApache(t, c, group, topic, "127.0.0.1@directly", func(m mq.Message) consume.Status {
		mu.Lock()
		defer mu.Unlock()
		if m.Keys() == "k6" {
			found = m.OffsetID()
		}
		if fail {
			panic("not this one")
		}
		return consume.Success
	})
	m.until("all messages", func(*snapshot.Snapshot) bool { return m.distinct() == count })
	j, err := c.JavaConsumer(ctx, apachetest.Member{Group: group, Topic: topic})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Kill()
	seen, err := j.Wait(ctx, func(s apachetest.Seen) bool { return len(s.Queues) == 1 })
	if err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	id := found // the listener goes on writing the other one
	mu.Unlock()
	directly := func(client string) string {
		out, err := c.Admin(ctx, "queryMsgById", "-i", id, "-g", group, "-d", client, "-t", topic)
		if err != nil {
			t.Error(err)
		}
		result, _, _ := strings.Cut(out, "spentTimeMills")
		return strings.TrimSpace(result)
	}
	results := map[string]string{}
	var asking sync.WaitGroup
	for _, client := range []string{m.id, seen.ClientID} {
		asking.Go(func() {
			r := directly(client)
			mu.Lock()
			defer mu.Unlock()
			results[client] = r
		})
	}
	asking.Wait()
	if got, want := results[m.id], results[seen.ClientID]; got != want || !strings.Contains(got, "consumeResult=CR_SUCCESS") {
		t.Errorf("mqadmin shows %q, for a Java member %q", got, want)
	}
	mu.Lock()
	fail = true
	mu.Unlock()
	if got := directly(m.id); !strings.Contains(got, "consumeResult=CR_THROW_EXCEPTION, remark=the listener panicked: not this one") {
		t.Errorf("mqadmin shows %q", got)
	}
	s := m.live.Snapshot()
	if s.Counters.Consumed != count || s.Counters.SentBack != 0 {
		t.Errorf("counters %+v, want only the %d messages of before", s.Counters, count)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if n := m.keys["k6"]; n != 3 {
		t.Errorf("message 6 was with the listener %d times, want three: once by itself, twice on request", n)
	}
}
