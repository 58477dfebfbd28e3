package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"mqscope/engine/recording"
	"mqscope/engine/replay"
)

// proxied runs a proxy before a cluster, does something through it, and returns what the proxy
// printed until it was interrupted.
func proxied(t *testing.T, do func(names string), args ...string) result {
	t.Helper()
	p := newProcess(t, "", append([]string{"proxy", "-n", cluster(t), "--listen", "127.0.0.1:0"}, args...)...)
	ended := make(chan result, 1)
	go func() { ended <- p.run() }()
	listens := regexp.MustCompile(`find their name server at (\S+),`)
	var names string
	for end := time.Now().Add(20 * time.Second); names == ""; time.Sleep(10 * time.Millisecond) {
		out, err := os.ReadFile(p.out.Name())
		if err != nil {
			t.Fatal(err)
		}
		if m := listens.FindStringSubmatch(string(out) + p.err.String()); m != nil {
			names = m[1]
		}
		if time.Now().After(end) {
			t.Fatalf("it does not listen: %s", p.err.String())
		}
	}
	do(names)
	p.signals <- syscall.SIGINT
	return <-ended
}

func TestAProxyRecordsWhatClientsDo(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.mqrec")
	r := proxied(t, func(names string) {
		if r := mqscope(t, "produce", "-n", names, "-t", "orders", "--count", "40"); r.code != exitOK {
			t.Errorf("produce: code %d, errors %q", r.code, r.err)
		}
		r := mqscope(t, "consume", "-n", names, "-g", "billing", "-t", "orders", "--from", "first", "--plain", "--for", "2s")
		containsAll(t, "the consumer", r.out, "40 messages received, 40 consumed")
	}, "-o", file)
	if r.code != exitSignal+int(syscall.SIGINT) || r.err != "" {
		t.Errorf("code %d, errors %q", r.code, r.err)
	}
	containsAll(t, "the proxy", r.out, "broker: 127.0.0.1:", "JOINED", "written to "+file)
	if !regexp.MustCompile(`(?m)^billing +1 +5 +40 +0$`).MatchString(r.out) {
		t.Errorf("no line of the group:\n%s", r.out)
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v, %v", info, err)
	}
	rec, err := recording.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Close()
	if i := rec.Info(); rec.Header().Source != replay.SourceProxy || i.End != recording.Closed {
		t.Errorf("%+v", i)
	}
	r = mqscope(t, "proxy", "-n", "127.0.0.1:1", "--listen", "127.0.0.1:0", "-o", file)
	if r.code != exitFailure || !strings.Contains(r.err, "is there already") || !strings.Contains(r.err, "--force") {
		t.Errorf("code %d, errors %q", r.code, r.err)
	}
}

func TestAProxyPrintsEvents(t *testing.T) {
	send := func(names string) { mqscope(t, "produce", "-n", names, "-t", "orders", "--count", "2") }
	r := proxied(t, send, "--print")
	containsAll(t, "the events", r.out, "opened", "stored", "orders/broker-a/", "stored at 0")
	containsAll(t, "what is told beside them", r.err, "in the place of", "broker: 127.0.0.1:", "no consumer group was seen")
	checkClean(t, "events", r.out)
	r = proxied(t, send, "--print", "--json")
	containsAll(t, "the events", r.out, `"kind":"stored","provenance":"inferred"`)
}

func TestMistakesOfAProxy(t *testing.T) {
	for name, c := range map[string]struct {
		args string
		want []string
	}{
		"no cluster":          {"proxy", []string{"--namesrv is missing"}},
		"itself":              {"proxy -n 10.0.0.1:1;127.0.0.1:9876", []string{`--listen "127.0.0.1:9876"`, "another port"}},
		"for everybody":       {"proxy -n a:1 --listen 0.0.0.0:9876", []string{`--listen "0.0.0.0:9876"`, "--allow-remote"}},
		"a port in the name":  {"proxy -n a:1 --advertise b:2", []string{`--advertise "b:2"`, "without a port"}},
		"nothing to replace":  {"proxy -n a:1 --force", []string{"-o"}},
		"JSON of nothing":     {"proxy -n a:1 --json", []string{"--print"}},
		"a port that is none": {"proxy -n a:1 --broker-port 70000", []string{`--broker-port "70000"`}},
	} {
		t.Run(name, func(t *testing.T) {
			r := mqscope(t, strings.Fields(c.args)...)
			if r.code != exitUsage || r.out != "" || strings.Count(r.err, "\n") != 1 {
				t.Errorf("code %d, output %q, errors %q", r.code, r.out, r.err)
			}
			containsAll(t, "the line", r.err, c.want...)
		})
	}
}
