package schedule

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/decision"
	"mqscope/engine/internal/tape"
	"mqscope/engine/schedule/scheduletest"
	"mqscope/engine/snapshot"
	stepping "mqscope/engine/step"
)

// recordedWorld is a script that was recorded of Java's service, on our table, as a world that
// goes from decision to decision. It stands still in the midst of the table's code.
type recordedWorld struct {
	player *player
	resume func() (*decision.Decision, bool)
	end    func()
	yield  func(*decision.Decision) bool
	steps  uint64
	hash   uint64
}

func newRecordedWorld(s *scheduletest.Script) *recordedWorld {
	w := &recordedWorld{player: newPlayer(s)}
	w.player.table.Decisions = decision.NewRecorder("java", w.player.time)
	w.player.table.Decisions.Watch(w)
	w.resume, w.end = iter.Pull(func(yield func(*decision.Decision) bool) {
		w.yield = yield
		w.player.play()
	})
	return w
}

func (w *recordedWorld) Decided(d *decision.Decision) {
	if w.yield != nil && !w.yield(d) {
		w.yield = nil // closed: the rest is played without anybody looking
	}
}

func (w *recordedWorld) Run(stop func(d *decision.Decision) bool) (stepping.Reason, error) {
	for {
		d, ok := w.resume()
		if !ok {
			return stepping.Idle, nil
		}
		w.steps++
		for _, b := range d.AppendTo(nil) {
			w.hash = w.hash*31 + uint64(b)
		}
		if stop(d) {
			return stepping.Stopped, nil
		}
	}
}

func (w *recordedWorld) Steps() uint64                { return w.steps }
func (w *recordedWorld) Now() time.Time               { return w.player.time() }
func (w *recordedWorld) Hash() uint64                 { return w.hash }
func (w *recordedWorld) Snapshot() *snapshot.Snapshot { return nil }
func (w *recordedWorld) Broken() []snapshot.Breach    { return nil }
func (w *recordedWorld) Close()                       { w.end() }

func (w *recordedWorld) Change(stepping.Change) error {
	return errors.New("a recording can not be changed")
}

// soFar checks that all that happened before now is what Java's service did.
func (w *recordedWorld) soFar(t *testing.T) {
	t.Helper()
	grid := int(math.Round(float64(w.player.now)/50)) * 50
	before := func(log [][]any) (list [][]any) {
		for _, e := range log {
			if at, err := strconv.Atoi(fmt.Sprint(e[0])); err == nil && at < grid {
				list = append(list, e)
			}
		}
		return list
	}
	java, ours := lines(t, before(w.player.script.Log)), lines(t, before(w.player.canonical()))
	if diff := cmp.Diff(java, ours); diff != "" {
		t.Fatalf("before %d ms, after %d decisions (-Java +ours):\n%s", w.player.now, w.steps, diff)
	}
}

// Each recorded order is gone through step by step: before each step all that Java did is done,
// and the decisions that led to it are in a golden trace. Jumping about leads to the same.
func TestS0RecordedOrdersStepByStep(t *testing.T) {
	for n, s := range scheduletest.Scripts(t, "../..") {
		t.Run(s.Name, func(t *testing.T) {
			var w *recordedWorld
			st, err := stepping.New(func() (stepping.World, error) { w = newRecordedWorld(&s); return w, nil })
			if err != nil {
				t.Fatal(err)
			}
			defer st.Close()
			first := w
			told := &tape.Tape{Start: st.Start()}
			hashes := []uint64{st.Hash()}
			for {
				stop, err := st.One()
				if err != nil {
					t.Fatal(err)
				}
				first.soFar(t)
				if stop.Reason != stepping.Stopped {
					break
				}
				last, _ := st.Last(nil)
				told.Decided(&last.Decision)
				hashes = append(hashes, st.Hash())
			}
			if diff := cmp.Diff(lines(t, s.Log), lines(t, first.player.canonical())); diff != "" {
				t.Errorf("at the end (-Java +ours):\n%s", diff)
			}
			tape.Golden(t, fmt.Sprintf("java-%02d-%s", n+1, nameOfFile(s.Name)), told.Text(told.Take(), nil))
			chance := rand.New(rand.NewPCG(uint64(n), 1))
			for range 10 {
				if err := st.Goto(chance.Uint64N(uint64(len(hashes)))); err != nil {
					t.Fatal(err)
				}
				if st.Hash() != hashes[st.Steps()] {
					t.Fatalf("another trace at step %d", st.Steps())
				}
			}
		})
	}
}

func nameOfFile(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r == ' ', r == '-':
			return '-'
		}
		return -1
	}, strings.ToLower(name))
}
