// Package tape keeps decisions for tests, and compares them with golden traces. Tests own it;
// nothing else imports it.
package tape

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"mqscope/engine/decision"
	"mqscope/engine/mq"
)

var update = flag.Bool("update", false, "write golden files")

// Tape is a sink that keeps what it is told. Its zero value is ready.
type Tape struct {
	// Start is the moment that the times of a trace count from.
	Start time.Time

	mu   sync.Mutex
	list []decision.Decision
}

// Decided implements decision.Sink.
func (t *Tape) Decided(d *decision.Decision) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.list = append(t.list, *d)
}

// Take returns what was decided since the last Take, in order.
func (t *Tape) Take() []decision.Decision {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := t.list
	t.list = nil
	return list
}

// Text tells decisions, a line each: when, of which queue, the line of the code and its words.
// Lines of which want says no are left out; nil wants all.
func (t *Tape) Text(list []decision.Decision, want func(*decision.Line) bool) string {
	var b strings.Builder
	for i := range list {
		d := &list[i]
		if want != nil && !want(d.Line) {
			continue
		}
		queue := "-"
		if d.Queue != (mq.MessageQueue{}) {
			queue = d.Queue.Path()
		}
		fmt.Fprintf(&b, "%8v %-14s %-22s %s\n", d.At.Sub(t.Start), queue, d.Line.ID, decision.Words(d))
	}
	return b.String()
}

// Sort puts decisions of one moment in the order of their lines and words: where several
// goroutines decide at once, who comes first is chance.
func Sort(list []decision.Decision) {
	slices.SortStableFunc(list, func(a, b decision.Decision) int {
		return cmp.Or(a.At.Compare(b.At), strings.Compare(a.Line.ID, b.Line.ID), strings.Compare(decision.Words(&a), decision.Words(&b)))
	})
}

// Recorder returns one that tells t, with the clock of package time.
func (t *Tape) Recorder(member string) *decision.Recorder {
	r := decision.NewRecorder(member, time.Now)
	r.Watch(t)
	return r
}

// Golden compares a trace with testdata/decisions/NAME.txt; go test -update writes it.
func Golden(tb testing.TB, name, got string) {
	tb.Helper()
	path := filepath.Join("testdata", "decisions", name+".txt")
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			tb.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	if diff := gocmp.Diff(string(want), got); diff != "" {
		tb.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// AllSeen fails for every line that ours says yes to and that no golden trace of the package has:
// a place in the code that nothing shows to be told of.
func AllSeen(tb testing.TB, ours func(id string) bool) {
	tb.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "decisions", "*.txt"))
	if err != nil {
		tb.Fatal(err)
	}
	var all strings.Builder
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			tb.Fatal(err)
		}
		all.Write(text)
	}
	AllIn(tb, all.String(), ours)
}

// AllIn is AllSeen of one text.
func AllIn(tb testing.TB, text string, ours func(id string) bool) {
	tb.Helper()
	seen := map[string]bool{}
	for _, word := range strings.Fields(text) {
		seen[word] = true
	}
	for _, l := range decision.Lines() {
		if ours(l.ID) && !seen[l.ID] {
			tb.Errorf("%s is never recorded: %q", l.ID, l.Words)
		}
	}
}
