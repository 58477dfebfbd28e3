package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"mqscope/engine/embedded"
)

// cluster runs the embedded cluster on TCP and returns the address of its name server.
func cluster(t *testing.T) string {
	t.Helper()
	c, err := embedded.New(embedded.Config{NameServerAddr: "127.0.0.1:0", BrokerAddrs: []string{"127.0.0.1:0"}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- c.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	<-c.Ready()
	return c.NameServerAddr()
}

func TestALineIsAMessage(t *testing.T) {
	ns := cluster(t)
	r := newProcess(t, "one\ntwo\n\nfour", "produce", "-n", ns, "-t", "orders", "--tag", "PAID").run()
	if r.code != exitOK || r.err != "3 messages sent to orders, 1 empty line left out\n" || r.out != "" {
		t.Errorf("code %d, output %q, errors %q", r.code, r.out, r.err)
	}
	r = mqscope(t, "produce", "-n", ns, "-t", "orders", "--count", "100", "--size", "10")
	if r.code != exitOK || r.err != "100 messages sent to orders\n" {
		t.Errorf("code %d, errors %q", r.code, r.err)
	}
	r = mqscope(t, "consume", "-n", ns, "-g", "billing", "-t", "orders", "--from", "first", "--plain", "--for", "2s")
	if r.code != exitOK {
		t.Errorf("code %d, errors %q", r.code, r.err)
	}
	containsAll(t, "the lines", r.out, "source    LIVE", "orders/broker-a/0 ours, pulling", "103 messages received, 103 consumed")
}

func TestALineThatIsTooLongIsNamed(t *testing.T) {
	r := newProcess(t, "ok\n"+strings.Repeat("x", maxBody+2)+"\n", "produce", "-n", cluster(t), "-t", "orders").run()
	if r.code != exitFailure {
		t.Errorf("code %d", r.code)
	}
	containsAll(t, "the line", r.err, "1 message sent", "line 2: ", "a line may have up to 4194304 bytes")
}

func TestASignalEndsSendingThatWaitsForInput(t *testing.T) {
	p := newProcess(t, "", "produce", "-n", cluster(t), "-t", "orders")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p.p.In = r
	p.signals <- syscall.SIGINT
	if code := Main(p.ctx, p.p); code != 130 {
		t.Errorf("code %d, want 130", code)
	}
	w.Close() // the goroutine that waits for a line ends
	r.Close()
}

func TestAClusterThatIsNotThereIsNamedWithARemedy(t *testing.T) {
	tests := []struct {
		args []string
		want []string
	}{
		{[]string{"consume", "-n", "127.0.0.1:1", "-g", "g", "-t", "t", "--plain"}, []string{"look at group g at [127.0.0.1:1]", "127.0.0.1:1 is unreachable", "is the cluster up? --join-existing goes on without this look"}},
		{[]string{"produce", "-n", "127.0.0.1:1", "-t", "t", "--count", "1"}, []string{"message 1 to t", "127.0.0.1:1 is unreachable"}},
	}
	for _, tt := range tests {
		r := mqscope(t, tt.args...)
		if r.code != exitFailure || r.out != "" {
			t.Errorf("%v: code %d, output %q", tt.args, r.code, r.out)
		}
		containsAll(t, tt.args[0], r.err, tt.want...)
	}
}

func TestAGroupWithMembersIsNotJoinedUnasked(t *testing.T) {
	ns := cluster(t)
	if r := mqscope(t, "produce", "-n", ns, "-t", "orders", "--count", "1"); r.code != exitOK {
		t.Fatal(r.err)
	}
	first := newProcess(t, "", "consume", "-n", ns, "-g", "billing", "-t", "orders", "--json")
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	first.p.Out = in
	done := make(chan int, 1)
	go func() { done <- Main(first.ctx, first.p) }()
	waitFor(t, out, `"state":"pulling"`)

	r := mqscope(t, "consume", "-n", ns, "-g", "billing", "-t", "orders", "--plain", "--for", "1s")
	if r.code != exitUsage || r.out != "" {
		t.Errorf("code %d, output %q: joined without being asked to", r.code, r.out)
	}
	containsAll(t, "standard error", r.err, "Group billing has 1 member:", "@", "Joining moves 2 of 4 queues (2 to this member)", "give --join-existing to join it without a question")
	if strings.Contains(r.err, "subscribe") {
		t.Errorf("a member that subscribes alike is said to differ: %q", r.err)
	}
	if r := mqscope(t, "produce", "-n", ns, "-t", "stock", "--count", "1"); r.code != exitOK {
		t.Fatal(r.err)
	}
	r = mqscope(t, "consume", "-n", ns, "-g", "billing", "-t", "orders:PAID", "-t", "stock", "--plain", "--for", "1s")
	containsAll(t, "standard error", r.err, "They subscribe to orders with *, not PAID: brokers would filter for all",
		"They do not subscribe to stock: queues of it that are allotted to them would be read by nobody")

	r = mqscope(t, "consume", "-n", ns, "-g", "billing", "-t", "orders", "--plain", "--for", "3s", "--join-existing")
	if r.code != exitOK {
		t.Errorf("code %d, errors %q", r.code, r.err)
	}
	containsAll(t, "the lines", r.out, "members   2: ")

	rest := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, out)
		rest <- err
	}()
	first.signals <- syscall.SIGTERM
	if code := <-done; code != 143 {
		t.Errorf("the first member ended with code %d", code)
	}
	in.Close()
	if err := <-rest; err != nil {
		t.Error(err)
	}
}

// waitFor reads from r until it has seen text.
func waitFor(t *testing.T, r io.Reader, text string) {
	t.Helper()
	var got strings.Builder
	buf := make([]byte, 64<<10)
	for !strings.Contains(got.String(), text) {
		n, err := r.Read(buf)
		if err != nil {
			t.Fatalf("%v before %q came, but %q", err, text, got.String())
		}
		got.Write(buf[:n])
	}
}

func TestTheBrokerSaysWhereItListens(t *testing.T) {
	p := newProcess(t, "", "broker", "--listen", "127.0.0.1:0", "--broker-port", "0", "--name", "broker-x")
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p.p.Out = in
	done := make(chan int, 1)
	go func() { done <- Main(p.ctx, p.p) }()
	line := make([]byte, 200)
	n, err := out.Read(line)
	if err != nil || !regexp.MustCompile(`^name server on 127\.0\.0\.1:\d+, broker-x on 127\.0\.0\.1:\d+; ctrl\+c ends it\n$`).Match(line[:n]) {
		t.Errorf("greeting %q, error %v", line[:n], err)
	}
	p.signals <- syscall.SIGINT
	if code := <-done; code != 130 {
		t.Errorf("code %d, errors %q", code, p.err.String())
	}
}

func TestAnAddressInUseIsNamed(t *testing.T) {
	r := mqscope(t, "broker", "--listen", cluster(t))
	if r.code != exitFailure || !strings.Contains(r.err, "address already in use") {
		t.Errorf("code %d, errors %q", r.code, r.err)
	}
}

func TestReadLine(t *testing.T) {
	tests := []struct {
		name, input, want string
	}{
		{"a line", "billing\nmore\n", "billing"},
		{"blanks around it are left out", "  billing \r\n", "billing"},
		{"a line without an end", "billing", "billing"},
		{"nothing", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := readLine(t.Context(), strings.NewReader(tt.input))
			if got != tt.want || err != nil {
				t.Errorf("%q %v, want %q", got, err, tt.want)
			}
		})
	}
	t.Run("what follows the line is left for the screen", func(t *testing.T) {
		r := strings.NewReader("billing\nq2")
		if _, err := readLine(t.Context(), r); err != nil || r.Len() != 2 {
			t.Errorf("error %v, %d bytes left, want 2", err, r.Len())
		}
	})
	t.Run("a line without end is cut", func(t *testing.T) {
		got, err := readLine(t.Context(), strings.NewReader(strings.Repeat("x", 2*maxAnswer)))
		if len(got) != maxAnswer || err != nil {
			t.Errorf("%d bytes, error %v", len(got), err)
		}
	})
	t.Run("the end of the context ends waiting", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		r, w := io.Pipe()
		defer w.Close()
		if _, err := readLine(ctx, r); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
	})
}

// TestWhoAMemberIsAndWhatItWants goes through the flags that every kind of member has.
func TestWhoAMemberIsAndWhatItWants(t *testing.T) {
	ns := cluster(t)
	for _, topic := range []string{"orders", "shop%orders"} {
		if r := mqscope(t, "produce", "-n", ns, "-t", topic, "--count", "40", "--size", "10"); r.code != exitOK {
			t.Fatalf("code %d, errors %q", r.code, r.err)
		}
	}
	for _, tt := range []struct {
		name string
		args []string
		want []string
	}{
		{"the queues that CONFIG gives", []string{"--strategy", "CONFIG", "--strategy-queue", "orders/broker-a/1", "--strategy-queue", "orders/broker-a/3"},
			[]string{"orders/broker-a/1 ours", "orders/broker-a/3 ours", "20 messages received"}},
		{"no queue of another room", []string{"--strategy", "MACHINE_ROOM", "--strategy-room", "r1"}, []string{" 0 messages received"}},
		{"the namespace's topic", []string{"--namespace", "shop"}, []string{"shop%orders/broker-a/0 ours", "40 messages received"}},
		{"an expression that the broker refuses", []string{"--sql", "a > 5"}, []string{"does not support", "0 messages received"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, command := range []string{"consume", "lite"} {
				r := mqscope(t, append([]string{command, "-n", ns, "-g", command + strconv.Itoa(len(tt.name)), "-t", "orders", "--from", "first", "--plain", "--for", "2s"}, tt.args...)...)
				if r.code != exitOK {
					t.Errorf("%s: code %d, errors %q", command, r.code, r.err)
				}
				containsAll(t, command, r.out, tt.want...)
			}
		})
	}
}
