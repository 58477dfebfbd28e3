package cli

import (
	"strings"
	"testing"
)

// TestMistakesEndWithOneLineAndCodeTwo has every mistake that a call can have: the line names
// the flag, its value and what is allowed.
func TestMistakesEndWithOneLineAndCodeTwo(t *testing.T) {
	consume := func(more ...string) []string {
		return append([]string{"consume", "-n", "127.0.0.1:1", "-g", "g", "-t", "t"}, more...)
	}
	tests := []struct {
		name string
		args []string
		want []string
	}{
		{"a flag that does not exist", []string{"--nope"}, []string{"unknown flag: --nope", "mqscope --help"}},
		{"a flag that is nearly one", consume("--form", "last"), []string{"unknown flag --form", "did you mean --from?"}},
		{"a short flag that does not exist", []string{"demo", "-x"}, []string{"unknown shorthand flag: 'x'", "mqscope demo --help"}},
		{"a command that does not exist", []string{"frobnicate"}, []string{`unknown command or argument "frobnicate"`}},
		{"a command that is nearly one", []string{"cosume"}, []string{`unknown command "cosume"`, `did you mean "consume"?`}},
		{"a word too many", []string{"demo", "again"}, []string{`"again"`, "mqscope demo --help"}},
		{"a flag without its value", []string{"demo", "--fps"}, []string{"flag needs an argument: --fps"}},

		{"fps 0", []string{"--fps", "0"}, []string{`--fps "0"`, "from 1 to 60"}},
		{"fps 61", []string{"demo", "--fps", "61"}, []string{`--fps "61"`, "from 1 to 60"}},
		{"fps that is no number", []string{"demo", "--fps", "fast"}, []string{`--fps "fast"`, "a whole number"}},
		{"a theme that does not exist", []string{"demo", "--theme", "pink"}, []string{`--theme "pink"`, "one of auto, mqscope,", "mono is allowed"}},
		{"glyphs that do not exist", []string{"demo", "--glyphs", "emoji"}, []string{`--glyphs "emoji"`, "one of auto, unicode, cjk, ascii"}},
		{"a negative time", []string{"demo", "--for=-1s"}, []string{`--for "-1s"`, "at least 0s"}},
		{"a time without unit", []string{"demo", "--for", "10"}, []string{`--for "10"`, "500ms, 10s or 2m"}},
		{"a negative seed", []string{"demo", "--seed", "-1"}, []string{`--seed "-1"`, "from 0 to 2147483647"}},
		{"a switch with nonsense", []string{"demo", "--plain=maybe"}, []string{`--plain "maybe"`, "true or false is allowed"}},
		{"both ways to print", []string{"demo", "--plain", "--json"}, []string{"--plain and --json", "one of them"}},
		{"a log that can not be written", []string{"demo", "--plain", "--log-file", "/nowhere/x"}, []string{`--log-file "/nowhere/x"`, "name a file that can be written"}},
		{"a configuration that is not there", []string{"demo", "--config", "/nowhere/x"}, []string{`--config "/nowhere/x"`, "name a file that can be read"}},

		{"consume without a cluster", []string{"consume", "-g", "g", "-t", "t"}, []string{"--namesrv is missing", "-n HOST:PORT"}},
		{"consume without a group", []string{"consume", "-n", "127.0.0.1:1", "-t", "t"}, []string{"--group is missing"}},
		{"consume without a topic", []string{"consume", "-n", "127.0.0.1:1", "-g", "g"}, []string{"--topic is missing"}},
		{"an address without a port", []string{"consume", "-n", "localhost"}, []string{`--namesrv "localhost"`, "host:port"}},
		{"a group with a blank", []string{"consume", "-g", "a b"}, []string{`--group "a b"`, "letters, digits"}},
		{"a topic with a blank", []string{"consume", "-t", "a b"}, []string{`--topic "a b"`, "letters, digits"}},
		{"a start that is none", consume("--from", "never"), []string{`--from "never"`, "one of first, last, timestamp"}},
		{"a timestamp that is none", consume("--timestamp", "2026"), []string{`--timestamp "2026"`, "20260131235900"}},
		{"no threads", consume("--threads", "0"), []string{`--threads "0"`, "from 1 to 1000"}},
		{"an empty batch", consume("--batch", "0"), []string{`--batch "0"`, "from 1 to 1024"}},
		{"a pull batch that is too large", consume("--pull-batch", "1025"), []string{`--pull-batch "1025"`, "from 1 to 1024"}},
		{"a count limit that is too large", consume("--limit-count", "65536"), []string{`--limit-count "65536"`, "from 1 to 65535"}},
		{"a size limit of nothing", consume("--limit-mib", "0"), []string{`--limit-mib "0"`, "from 1 to 1024"}},
		{"a span of nothing", consume("--limit-span", "0"), []string{`--limit-span "0"`, "from 1 to 65535"}},
		{"a handler that takes too long", consume("--handler-delay", "2h"), []string{`--handler-delay "2h"`, "from 0s to 1h0m0s"}},
		{"a verdict that is none", consume("--verdict", "maybe"), []string{`--verdict "maybe"`, "one of success, later"}},
		{"a division by nobody", consume("--rebalance", "nobody"), []string{`--rebalance "nobody"`, "one of client, broker"}},
		{"a strategy that there is not", consume("--strategy", "random"), []string{`--strategy "random"`, "AVG"}},
		{"CONFIG without queues", consume("--strategy", "CONFIG"), []string{"needs the list of queues", "--strategy-queue"}},
		{"MACHINE_ROOM without rooms", consume("--strategy", "MACHINE_ROOM"), []string{"needs the names of the rooms", "--strategy-room"}},
		{"a queue of a strategy that is none", consume("--strategy-queue", "orders"), []string{`--strategy-queue "orders"`}},
		{"a namespace with a separator", consume("--namespace", "a%b"), []string{`--namespace "a%b"`, "letters"}},
		{"tags and an expression", []string{"consume", "-n", "127.0.0.1:1", "-g", "g", "-t", "t:A", "--sql", "a = 1"}, []string{`--sql "a = 1"`, "give one of them"}},
		{"a strategy that brokers do not know", consume("--rebalance", "broker", "--strategy", "hash"), []string{"CONSISTENT_HASH", "AVG and AVG_BY_CIRCLE only", "let members allot"}},
		{"retries that are none", consume("--max-reconsume", "0"), []string{`--max-reconsume "0"`}},
		{"an instance with an @", consume("--instance", "a@b"), []string{`--instance "a@b"`, "without @"}},

		{"a broker without a port", []string{"broker", "--listen", "localhost"}, []string{`--listen "localhost"`, "HOST:PORT"}},
		{"a broker for everybody", []string{"broker", "--listen", "0.0.0.0:9876"}, []string{`--listen "0.0.0.0:9876"`, "--allow-remote"}},
		{"a broker port that is none", []string{"broker", "--broker-port", "70000"}, []string{`--broker-port "70000"`, "from 0 to 65535"}},
		{"no queues", []string{"broker", "--queues", "0"}, []string{`--queues "0"`, "from 1 to 1024"}},
		{"no memory", []string{"broker", "--memory", "0"}, []string{`--memory "0"`}},

		{"produce without a cluster", []string{"produce", "-t", "t"}, []string{"--namesrv is missing"}},
		{"produce without a topic", []string{"produce", "-n", "127.0.0.1:1"}, []string{"--topic is missing"}},
		{"a rate that is too high", []string{"produce", "--rate", "1000001"}, []string{`--rate "1000001"`, "from 0 to 1000000"}},
		{"a count below nothing", []string{"produce", "--count", "-1"}, []string{`--count "-1"`}},
		{"a body that no broker takes", []string{"produce", "--size", "4194305"}, []string{`--size "4194305"`, "from 1 to 4194304"}},
		{"a tag with a bar", []string{"produce", "--tag", "a|b"}, []string{`--tag "a|b"`, "without control characters and |"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := mqscope(t, tt.args...)
			if r.code != exitUsage || r.out != "" {
				t.Errorf("code %d, output %q, want code 2 and nothing on standard output", r.code, r.out)
			}
			if strings.Count(r.err, "\n") != 1 || !strings.HasPrefix(r.err, "mqscope: ") {
				t.Errorf("want one line that begins with the program's name:\n%s", r.err)
			}
			containsAll(t, "the line", r.err, tt.want...)
		})
	}
}

func TestWhatIsHostileInACallIsMadeVisible(t *testing.T) {
	r := mqscope(t, "demo", "--theme", "\x1b]0;owned\x07\x1b[2J\u202e")
	if r.code != exitUsage {
		t.Errorf("code %d", r.code)
	}
	checkClean(t, "the line", r.err)
	if strings.Contains(r.err, "\u202e") {
		t.Errorf("a character that turns text around is in %q", r.err)
	}
}

func TestEveryCommandHasHelpWithTwoExamples(t *testing.T) {
	root := newRoot(newProcess(t, "").p)
	for _, cmd := range append(root.Commands(), root) {
		t.Run(cmd.Name(), func(t *testing.T) {
			if n := len(strings.Split(cmd.Example, "\n")); n != 2 {
				t.Errorf("%d examples, want two:\n%s", n, cmd.Example)
			}
			if cmd.Short == "" || strings.HasSuffix(cmd.Short, ".") {
				t.Errorf("short text %q", cmd.Short)
			}
			args := append(strings.Fields(commandPath(cmd)), "--help")
			r := mqscope(t, args...)
			if r.code != exitOK || r.err != "" {
				t.Errorf("code %d, errors %q", r.code, r.err)
			}
			containsAll(t, "help", r.out, "Usage:", "Examples:", strings.TrimSpace(strings.Split(cmd.Example, "\n")[1]))
			for line := range strings.Lines(r.out) {
				if strings.Contains(line, "stringArray") || strings.Contains(line, " string ") && strings.Contains(line, "--") {
					t.Errorf("a flag without a word for its value: %s", line)
				}
			}
		})
	}
}

func TestVersion(t *testing.T) {
	r := mqscope(t, "version")
	if r.code != exitOK || !strings.HasPrefix(r.out, "mqscope ") || strings.Count(r.out, "\n") != 1 {
		t.Errorf("code %d, output %q", r.code, r.out)
	}
}

func TestKeys(t *testing.T) {
	r := mqscope(t, "keys")
	containsAll(t, "keys", r.out, "LEAVE", "ctrl+c", "consume-pause", "pause or resume consumption; asks first")
	r = mqscope(t, "keys", "--markdown")
	containsAll(t, "the table", r.out, "| Keys | What happens | Where | Id |", "`consume-pause`")

	file := write(t, "c.yaml", "keys:\n  sort: [f3]\n  zoom: [j]\n")
	r = mqscope(t, "keys", "--config", file)
	containsAll(t, "keys", r.out, "f3", "sort")
	containsAll(t, "errors", r.err, "keys.zoom", "the default stays")
	if r.code != exitOK {
		t.Errorf("code %d: a bad entry keeps its default, it ends nothing", r.code)
	}
}

func TestConfigurationFaultsNameFileLineKeyAndRemedy(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"a value out of range", "theme: mono\nfps: 99\n", []string{"c.yaml:2", `key "fps"`, `"99"`, "from 1 to 60"}},
		{"a key that is nearly one", "namsrv: a:1", []string{"c.yaml:1", `"namsrv"`, `did you mean "namesrv"?`}},
		{"a theme that does not exist", "theme: pink", []string{"c.yaml:1", `"pink"`, "one of auto"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, command := range []string{"demo", "consume", "keys"} {
				r := mqscope(t, command, "--config", write(t, "c.yaml", tt.text))
				if command == "keys" && strings.Contains(tt.text, "namsrv") || command != "keys" {
					if r.code != exitUsage {
						t.Errorf("%s: code %d", command, r.code)
					}
					containsAll(t, command, r.err, tt.want...)
				}
			}
		})
	}
}

func TestAVariableThatIsWrongIsNamed(t *testing.T) {
	p := newProcess(t, "", "demo", "--plain")
	t.Setenv("MQSCOPE_FPS", "none")
	r := p.run()
	if r.code != exitUsage {
		t.Errorf("code %d", r.code)
	}
	containsAll(t, "the line", r.err, `MQSCOPE_FPS="none"`, "a whole number from 1 to 60")
}
