package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

func TestS2StartOfAnInstance(t *testing.T) {
	bubble(t, func(w *world) {
		w.serve(ns1).names(nil)
		i, err := New(Config{NameServers: []string{ns1}, ClientID: "c", Dial: w.net.Dial})
		if err != nil {
			t.Fatal(err)
		}
		if s := i.ServiceState(); s != CreateJust || s.String() != "CREATE_JUST" {
			t.Errorf("state is %v before Run", s)
		}
		ctx, stop := context.WithCancel(w.ctx)
		ended := make(chan error, 1)
		w.wg.Go(func() { ended <- i.Run(ctx) })
		<-i.Ready()
		if s := i.ServiceState(); s != Running {
			t.Errorf("state is %v", s)
		}
		if err := i.Run(w.ctx); !errors.Is(err, ErrAlreadyRun) {
			t.Errorf("a second Run returns %v", err)
		}
		stop()
		if err := <-ended; err != nil {
			t.Errorf("Run returned %v: an end by context is success", err)
		}
		if s := i.ServiceState(); s != ShutdownAlready {
			t.Errorf("state is %v after Run", s)
		}
		if err := i.Run(w.ctx); !errors.Is(err, ErrAlreadyRun) {
			t.Errorf("Run after the end returns %v", err)
		}
	})
}

func TestCallsOutsideOfRun(t *testing.T) {
	bubble(t, func(w *world) {
		w.serve(ns1).names(map[string]protocol.TopicRouteData{"T": routeOf(1, "a="+ba)})
		w.serve(ba)
		i, err := New(Config{NameServers: []string{ns1}, ClientID: "c", Dial: w.net.Dial})
		if err != nil {
			t.Fatal(err)
		}
		if err := i.CommitOffset("G", queue("a", 0), 1); !errors.Is(err, ErrNotRunning) {
			t.Errorf("commit before Run: %v", err)
		}
		early := make(chan error, 1)
		w.wg.Go(func() { early <- i.RefreshRoutes(w.ctx, "T") })
		synctest.Wait()
		ctx, stop := context.WithCancel(w.ctx)
		w.wg.Go(func() { _ = i.Run(ctx) })
		if err := <-early; err != nil {
			t.Errorf("a call that waited for Run: %v", err)
		}
		stop()
		synctest.Wait()

		_, err1 := i.MaxOffset(w.ctx, queue("a", 0))
		_, err2 := i.Send(w.ctx, OutMessage{Topic: "T", Body: []byte("x")})
		_, err3 := i.HeartbeatAll(w.ctx)
		_, err4 := i.ConsumerList(w.ctx, "T", "G")
		for n, err := range []error{err1, err2, err3, err4, i.RefreshRoutes(w.ctx, "T"), i.CommitOffset("G", queue("a", 0), 1), i.CommitOffsetSync(w.ctx, "G", queue("a", 0), 1)} {
			if !errors.Is(err, ErrNotRunning) || Classify(err) != Stopped {
				t.Errorf("call %d after the end: %v of class %v", n, err, Classify(err))
			}
		}
		if a := pullOnce(w, i, queue("a", 0), 0); a.Status != mq.PullFailed || !errors.Is(a.Err, ErrNotRunning) {
			t.Errorf("pull after the end: %+v", a)
		}
	})
}

func TestP53OpenAndCloseLeavesNothing(t *testing.T) {
	bubble(t, func(w *world) {
		_, a, _ := w.twoBrokers()
		a.answer(protocol.PullMessage, silent)
		for range 200 {
			i, stop := w.stoppable(Config{})
			w.register(i, "G", "T")
			if err := i.RefreshRoutes(w.ctx); err != nil {
				t.Fatal(err)
			}
			if n, err := i.HeartbeatAll(w.ctx); n != 2 || err != nil {
				t.Fatalf("%d heartbeats, %v", n, err)
			}
			pulled := make(chan PullAnswer, 1)
			i.Pull(queue("a", 0), 0, &protocol.PullMessageRequest{ConsumerGroup: "G", Topic: "T"}, time.Minute, func(a PullAnswer) { pulled <- a })
			synctest.Wait()
			stop()
			if a := <-pulled; a.Err == nil {
				t.Fatal("a pull outlived its instance")
			}
			synctest.Wait()
			if s := i.ServiceState(); s != ShutdownAlready {
				t.Fatalf("state is %v", s)
			}
			if n := len(i.net.States()); n != 0 {
				t.Fatalf("%d connections are left", n)
			}
		}
	})
}

func TestConfigErrorsNameTheFieldAndTheRemedy(t *testing.T) {
	ok := Config{NameServers: []string{"ns:9876"}, ClientID: "c"}
	tests := []struct {
		name   string
		change func(c *Config)
		want   []string
	}{
		{"no name server", func(c *Config) { c.NameServers = nil }, []string{"no name server", "9876"}},
		{"a name server without a port", func(c *Config) { c.NameServers = []string{"ns:9876", "bad"} }, []string{`"bad"`, "no port", "9876"}},
		{"every bad name server is named", func(c *Config) { c.NameServers = []string{"x:0", ":1"} }, []string{`"x:0"`, `":1"`}},
		{"a blank client id", func(c *Config) { c.ClientID = " " }, []string{"client id"}},
		{"a negative interval", func(c *Config) { c.RouteInterval = -1 }, []string{"route interval", "above 0"}},
		{"all faults at once", func(c *Config) { c.ClientID, c.NameServers, c.CallTimeout = "", nil, -1 }, []string{"client id", "name server", "call timeout"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := ok
			tt.change(&c)
			_, err := New(c)
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q does not say %s", err, want)
				}
			}
		})
	}
	if _, err := New(ok); err != nil {
		t.Errorf("a good config: %v", err)
	}
}

func TestParseNameServers(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
		bad        bool
	}{
		{"one", "10.0.0.1:9876", []string{"10.0.0.1:9876"}, false},
		{"several with semicolons, as Java writes them", "a:9876;b:9876", []string{"a:9876", "b:9876"}, false},
		{"commas, blanks and a trailing separator", "a:9876, b:9876;", []string{"a:9876", "b:9876"}, false},
		{"repetitions count once", "a:9876;a:9876", []string{"a:9876"}, false},
		{"an endpoint URL", "http://MQ_INST_1_2.mq.example.com:80", []string{"MQ_INST_1_2.mq.example.com:80"}, false},
		{"IPv6", "[2001:db8::1]:9876", []string{"[2001:db8::1]:9876"}, false},
		{"nothing", " ; ", nil, true},
		{"no port", "a;b:1", []string{"b:1"}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ParseNameServers(tt.text)
			if (err != nil) != tt.bad {
				t.Errorf("error is %v", err)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestS4ClientIDVectors compares with what ClientConfig.buildMQClientId of 5.3.3 returns. Java
// puts IPv6 addresses in brackets where it finds out its own address, ClientID does it
// itself, so the rows with a bare one differ on purpose.
func TestS4ClientIDVectors(t *testing.T) {
	f, err := os.Open("../../testdata/vectors/clientids.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	compared := 0
	for s := bufio.NewScanner(f); s.Scan(); {
		var row struct {
			Method, ClientIP, InstanceName, UnitName, ClientID string
			Stream                                             bool
		}
		if err := json.Unmarshal(s.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		if row.Method != "buildMQClientId" || row.Stream {
			continue
		}
		want := row.ClientID
		if row.ClientIP == "2001:db8::9" {
			want = "[2001:db8::9]" + strings.TrimPrefix(want, row.ClientIP)
		}
		if got := ClientID(row.ClientIP, row.InstanceName, row.UnitName); got != want {
			t.Errorf("ClientID(%q, %q, %q) = %q, want %q", row.ClientIP, row.InstanceName, row.UnitName, got, want)
		}
		compared++
	}
	if compared < 50 {
		t.Errorf("compared only %d rows", compared)
	}
}
