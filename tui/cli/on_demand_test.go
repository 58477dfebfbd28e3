package cli

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestPullScheduleAndLiteConsume(t *testing.T) {
	ns := cluster(t)
	r := mqscope(t, "produce", "-n", ns, "-t", "orders", "--count", "40", "--size", "10")
	if r.code != exitOK {
		t.Fatalf("code %d, errors %q", r.code, r.err)
	}
	for _, tc := range []struct{ command, kind string }{{"pull", "pull"}, {"schedule", "scheduled"}, {"lite", "lite"}} {
		t.Run(tc.command, func(t *testing.T) {
			args := []string{tc.command, "-n", ns, "-g", "by-" + tc.command, "-t", "orders", "--from", "first", "--for", "2s"}
			r := mqscope(t, append(args, "--plain")...)
			if r.code != exitOK {
				t.Errorf("code %d, errors %q", r.code, r.err)
			}
			containsAll(t, "the lines", r.out, "source    LIVE", "orders/broker-a/0 ours, pulling", "40 messages received")
			r = mqscope(t, append(args, "--json")...)
			if r.code != exitOK || !strings.Contains(r.out, `"kind":"`+tc.kind+`"`) || !strings.Contains(r.out, `@STREAM"`) {
				t.Errorf("code %d, errors %q, output %.300q", r.code, r.err, r.out)
			}
		})
	}
	r = mqscope(t, "lite", "-n", ns, "-g", "two-queues", "--queue", "orders/broker-a/0", "--queue", "orders/broker-a/1", "--from", "first", "--for", "2s", "--plain")
	if r.code != exitOK {
		t.Errorf("code %d, errors %q", r.code, r.err)
	}
	containsAll(t, "the lines", r.out, "20 messages received", "orders/broker-a/1 ours, pulling")
	if strings.Contains(r.out, "orders/broker-a/2 ours") {
		t.Errorf("it took a queue that was not given:\n%s", r.out)
	}
}

// TestWhatIsAskedForMessagesIsRecordedOnTheWire: a screen of the recording shows who it was, its
// queues, and how far it came.
func TestWhatIsAskedForMessagesIsRecordedOnTheWire(t *testing.T) {
	ns := cluster(t)
	if r := mqscope(t, "produce", "-n", ns, "-t", "orders", "--count", "40", "--size", "10"); r.code != exitOK {
		t.Fatalf("code %d, errors %q", r.code, r.err)
	}
	// What a lite consumer has polled it commits with a later poll, which does not come here.
	for command, commits := range map[string]int64{"pull": 40, "schedule": 40, "lite": 0} {
		t.Run(command, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "x.mqrec")
			args := []string{command, "-n", ns, "-g", "on-" + command, "-t", "orders", "--from", "first", "--for", "3s", "-o", file, "--plain"}
			r := mqscope(t, args...)
			if r.code != exitOK {
				t.Fatalf("code %d, errors %q", r.code, r.err)
			}
			containsAll(t, "the lines", r.out, "40 messages received")
			containsAll(t, "what is said", r.err, "written to "+file)
			s := playedToItsEnd(t, file)
			if s.Group.Name != "on-"+command || !s.Replay.Inferred {
				t.Errorf("group %q, inferred %v", s.Group.Name, s.Replay.Inferred)
			}
			next, committed := int64(0), int64(0)
			for _, q := range s.Queues {
				next, committed = next+q.Next.V, committed+q.Committed.V
			}
			if len(s.Queues) < 4 || next != 40 || committed != commits {
				t.Errorf("%d queues, pulled up to %d, committed %d, want 4, 40, %d", len(s.Queues), next, committed, commits)
			}
			if r := mqscope(t, args...); r.code != exitUsage || !strings.Contains(r.err, file+" is there already") {
				t.Errorf("once more: code %d, errors %q", r.code, r.err)
			}
			if r := mqscope(t, append(args, "--force")...); r.code != exitOK {
				t.Errorf("replaced: code %d, errors %q", r.code, r.err)
			}
			playedToItsEnd(t, file)
		})
	}
}

func TestMistakesInCallsOfPullScheduleAndLite(t *testing.T) {
	call := func(command string, more ...string) []string {
		return append([]string{command, "-n", "127.0.0.1:1", "-g", "g", "-t", "t"}, more...)
	}
	for _, tt := range []struct {
		name string
		args []string
		want []string
	}{
		{"no cluster", []string{"pull", "-g", "g", "-t", "t"}, []string{"--namesrv is missing"}},
		{"no group", []string{"schedule", "-n", "127.0.0.1:1", "-t", "t"}, []string{"--group is missing"}},
		{"no topic", []string{"lite", "-n", "127.0.0.1:1", "-g", "g"}, []string{"--topic is missing"}},
		{"a flag of consume alone", call("pull", "--threads", "3"), []string{"unknown flag"}},
		{"no threads", call("schedule", "--threads", "0"), []string{`--threads "0"`, "from 1 to 1000"}},
		{"no delay", call("schedule", "--delay", "0s"), []string{`--delay "0s"`, "1ms"}},
		{"a commit interval that is too short", call("lite", "--commit-every", "10ms"), []string{`--commit-every "10ms"`, "1s"}},
		{"a queue without its broker", call("lite", "--queue", "orders"), []string{`--queue "orders"`, "orders/broker-a/0"}},
		{"a queue whose id is none", call("lite", "--queue", "orders/b/x"), []string{`--queue "orders/b/x"`, "no queue id"}},
		{"a place that is none", call("pull", "--offset", "-3"), []string{`--offset "-3"`, "a number from 0 on"}},
		{"a count below 0", call("pull", "--count", "-1"), []string{`--count "-1"`}},
		{"two ways of printing", call("pull", "--print", "--json"), []string{"--print and --json"}},
		{"a pull batch that is too large", call("lite", "--pull-batch", "1025"), []string{`--pull-batch "1025"`, "from 1 to 1024"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := mqscope(t, tt.args...)
			if r.code != exitUsage || strings.Count(r.err, "\n") != 1 {
				t.Errorf("code %d, errors %q", r.code, r.err)
			}
			containsAll(t, "the line", r.err, tt.want...)
		})
	}
}

// TestPullPrintsMessages: of one queue or all, from where it is told, so many; nothing that a
// message carries acts on the terminal, and the group's offsets stay where that is asked.
func TestPullPrintsMessages(t *testing.T) {
	ns := cluster(t)
	r := mqscope(t, "produce", "-n", ns, "-t", "orders", "--count", "40", "--size", "10")
	if r.code != exitOK {
		t.Fatalf("code %d, errors %q", r.code, r.err)
	}
	r = newProcess(t, "evil \x1b]52;c;QUFB\x07 \x1b[2J\n", "produce", "-n", ns, "-t", "bad", "--tag", "PAID").run()
	if r.code != exitOK {
		t.Fatalf("code %d, errors %q", r.code, r.err)
	}
	pull := func(args ...string) []string {
		t.Helper()
		r := mqscope(t, append([]string{"pull", "-n", ns, "-g", "look", "--print", "--for", "20s", "--join-existing"}, args...)...)
		if r.code != exitOK || r.err != "" {
			t.Fatalf("code %d, errors %q", r.code, r.err)
		}
		if strings.ContainsAny(r.out, "\x1b\x07") {
			t.Errorf("an escape came through: %q", r.out)
		}
		return strings.Split(strings.TrimSpace(r.out), "\n")
	}
	lines := pull("-t", "orders", "--queue", "orders/broker-a/1", "--offset", "3", "--count", "2", "--keep-offsets")
	if len(lines) != 2 || !strings.HasPrefix(lines[0], "orders/broker-a/1 3  ") || !strings.HasPrefix(lines[1], "orders/broker-a/1 4  ") || !strings.Contains(lines[0], "10B") {
		t.Errorf("printed %q", lines)
	}
	r = mqscope(t, "pull", "-n", ns, "-g", "look", "--print", "--for", "2s", "--join-existing", "--queue", "orders/broker-a/9", "--offset", "0", "--count", "3")
	if r.code != exitOK || r.out != "" {
		t.Errorf("code %d, printed %q", r.code, r.out)
	}
	containsAll(t, "what is told", r.err, "orders/broker-a/9", "queue", "mqscope: 0 of 3 messages printed\n")
	if lines = pull("-t", "orders", "--offset", "first", "--count", "40"); len(lines) != 40 {
		t.Errorf("%d lines of 40 messages", len(lines))
	}
	lines = pull("--queue", "bad/broker-a/0", "--queue", "bad/broker-a/1", "--queue", "bad/broker-a/2", "--queue", "bad/broker-a/3", "--offset", "first", "--count", "1")
	if len(lines) != 1 || !strings.Contains(lines[0], "tag=PAID") || !strings.Contains(lines[0], "evil ") {
		t.Errorf("printed %q", lines)
	}
}
