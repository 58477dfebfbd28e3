package offset

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/event"
	"mqscope/engine/mq"
)

// vectorStep is one line of localoffsets.jsonl: what Java's store has after a step.
type vectorStep struct {
	Step     string
	ClientID string
	Group    string
	Relative string
	Result   json.RawMessage
	Memory   []struct {
		Queue  [3]any
		Offset json.Number
	}
	File, Bak *string
	Error     *struct{ Class string }
}

func (v vectorStep) memory(t *testing.T) []Position {
	t.Helper()
	var memory []Position
	for _, m := range v.Memory {
		at, err := m.Offset.Int64()
		id, _ := m.Queue[2].(float64)
		topic, ok := m.Queue[0].(string)
		broker, ok2 := m.Queue[1].(string)
		if err != nil || !ok || !ok2 {
			t.Fatalf("bad vector: %v", m)
		}
		memory = append(memory, Position{mq.MessageQueue{Topic: topic, BrokerName: broker, QueueID: int32(id)}, at})
	}
	return memory
}

func readVectors(t testing.TB) []vectorStep {
	t.Helper()
	f, err := os.Open("../../testdata/vectors/localoffsets.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var steps []vectorStep
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var v vectorStep
		dec := json.NewDecoder(strings.NewReader(lines.Text()))
		if err := dec.Decode(&v); err != nil {
			t.Fatal(err)
		}
		steps = append(steps, v)
	}
	if len(steps) < 38 {
		t.Fatalf("only %d steps", len(steps))
	}
	return steps
}

// world is a File with its Disk, and the loop that would join them.
type world struct {
	t       *testing.T
	home    string
	disk    *Disk
	file    *File
	loaded  Loaded
	entries []event.Entry
}

func (w *world) open() {
	w.t.Helper()
	if w.disk != nil {
		w.close()
	}
	disk, err := OpenDisk(DiskConfig{Dir: w.home, ClientID: "10.1.2.9@DEFAULT", Group: "GID_pay", Owner: "the test"})
	if err != nil {
		w.t.Fatal(err)
	}
	w.disk, w.file = disk, NewFile()
	w.loaded = disk.Load(w.t.Context())
	w.entries = nil
	w.step(w.loaded)
}

func (w *world) close() {
	w.t.Helper()
	if err := w.disk.Close(context.WithoutCancel(w.t.Context())); err != nil {
		w.t.Error(err)
	}
}

func (w *world) step(events ...event.Event) {
	w.t.Helper()
	for _, e := range events {
		for _, a := range w.file.Step(time.Time{}, e) {
			switch a := a.(type) {
			case Write:
				w.step(w.disk.Save(w.t.Context(), a))
			case event.Entry:
				w.entries = append(w.entries, a)
			default:
				w.t.Errorf("unknown action %T", a)
			}
		}
	}
}

func (w *world) put(name, text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.disk.path, name), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) remove(name string) {
	w.t.Helper()
	if err := os.Remove(filepath.Join(w.disk.path, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.t.Fatal(err)
	}
}

// get returns what a file has, nil when it is not there.
func (w *world) get(name string) *string {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join(w.disk.path, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		w.t.Fatal(err)
	}
	s := string(text)
	return &s
}

func (w *world) memory() []Position {
	var memory []Position
	for q, e := range w.file.memory.entries {
		memory = append(memory, Position{q, e.offset})
	}
	slices.SortFunc(memory, func(a, b Position) int { return a.Queue.Compare(b.Queue) })
	return memory
}

// errorsWhereJavaHasNone are hand-written files of which Java's store makes an empty table
// when there is no .bak, so that consumption starts anew without a word.
func errorsWhereJavaHasNone() []string {
	return []string{"[]", "null", " ",
		`{"offsetTable":{{"brokerName":"brk-a","queueId":0,"topic":"OrderEvt"}:17`}
}

// TestS4FileStepsOfJava does what Java's LocalFileOffsetStore did and compares memory and both files
// after each step. Where we differ on purpose, the step says so.
func TestS4FileStepsOfJava(t *testing.T) {
	a0 := mq.MessageQueue{Topic: "OrderEvt", BrokerName: "brk-a"}
	a1 := mq.MessageQueue{Topic: "OrderEvt", BrokerName: "brk-a", QueueID: 1}
	odd := mq.MessageQueue{Topic: "订单\"x", BrokerName: "机房-一", QueueID: 7}
	w := &world{t: t, home: t.TempDir()}
	w.open()
	defer func() { w.close() }()
	garbage, goodBak := "garbage", ""
	for _, v := range readVectors(t) {
		wantErr := v.Error != nil
		switch v.Step {
		case "path":
			if got := filepath.ToSlash(filepath.Join(DirName(v.ClientID), DirName(v.Group), mainName)); got != v.Relative {
				t.Errorf("path is %s, Java's is %s", got, v.Relative)
			}
			continue
		case "load, no file":
		case "readOffset of an unknown queue from store":
			if at, found, err := w.file.Stored(a0); at != None || found || err != nil {
				t.Errorf("%s: %d, %v, %v", v.Step, at, found, err)
			}
		case "readOffset of an unknown queue from memory":
			if at := w.file.Read(a0); at != None {
				t.Errorf("%s: %d", v.Step, at)
			}
		case "persistAll of an empty set":
			w.step(PersistDue{})
		case "updateOffset A0=5":
			w.step(Advanced{Queue: a0, Offset: 5})
		case "persistAll {A0}":
			w.step(PersistDue{Owned: []mq.MessageQueue{a0}})
		case "updateOffset A0=7 A1=9":
			w.step(Advanced{Queue: a0, Offset: 7}, Advanced{Queue: a1, Offset: 9})
		case "persistAll {A1}":
			w.step(PersistDue{Owned: []mq.MessageQueue{a1}})
		case "persistAll {A0, A1}":
			w.step(PersistDue{Owned: []mq.MessageQueue{a0, a1}})
		case "updateOffset A0=3, increase only":
			w.step(Advanced{Queue: a0, Offset: 3, IncreaseOnly: true})
		case "updateOffset A1=2":
			w.step(Advanced{Queue: a1, Offset: 2})
		case "persist A1":
			w.step(PersistQueue{Queue: a1})
		case "persist of a queue not in memory":
			w.step(PersistQueue{Queue: odd})
		case "removeOffset A1, then persistAll {A0, A1}":
			w.step(Removed{Queue: a1}, PersistDue{Owned: []mq.MessageQueue{a0, a1}})
		case "updateAndFreezeOffset A0=100, updateOffset A0=200, persistAll {A0}":
			w.step(Frozen{Queue: a0, Offset: 100}, Advanced{Queue: a0, Offset: 200}, PersistDue{Owned: []mq.MessageQueue{a0}})
		case "updateOffset of a queue with other characters, persistAll":
			w.step(Advanced{Queue: odd, Offset: math.MaxInt64}, PersistDue{Owned: []mq.MessageQueue{a0, odd}})
		case "new store, load":
			w.open()
		case "cloneOffsetTable(OrderEvt)":
			for q, want := range map[mq.MessageQueue]int64{a0: 100, a1: 2} {
				if got := w.file.Read(q); got != want {
					t.Errorf("%s: %v is %d, want %d", v.Step, q, got, want)
				}
			}
		case "main file emptied, new store, load":
			w.put(mainName, "")
			w.open()
		case "main file not JSON, new store, load":
			w.put(mainName, garbage)
			w.open()
			goodBak = *w.get(bakName)
		case "then updateOffset A0=300, persistAll {A0}":
			w.step(Advanced{Queue: a0, Offset: 300}, PersistDue{Owned: []mq.MessageQueue{a0}})
			if *v.Bak != garbage {
				t.Errorf("%s: Java's .bak is %q, expected the damaged file", v.Step, *v.Bak)
			}
			v.Bak = &goodBak // ours keeps the previous generation that is whole (P40)
		case "both not JSON, new store, load":
			w.put(mainName, garbage)
			w.put(bakName, garbage)
			w.open()
		case "then updateOffset A0=400, persistAll {A0}":
			w.step(Advanced{Queue: a0, Offset: 400}, PersistDue{Owned: []mq.MessageQueue{a0}})
		case "then readOffset A0 from store":
			if at, found, err := w.file.Stored(a0); found || at != None || !errors.Is(err, ErrUnreadable) {
				t.Errorf("%s: %d, %v, %v; want an error (Java: %s)", v.Step, at, found, err, v.Result)
			}
		case "main file missing, .bak good, new store, load":
			w.remove(mainName)
			w.put(bakName, *v.Bak)
			w.open()
		default:
			text, ok := strings.CutPrefix(v.Step, "main file written by hand, no .bak, new store, load: ")
			if !ok {
				t.Fatalf("no one does the step %q", v.Step)
			}
			w.remove(bakName)
			w.put(mainName, text)
			w.open()
			wantErr = slices.Contains(errorsWhereJavaHasNone(), text)
		}
		if strings.Contains(v.Step, "new store") {
			if got := errors.Is(w.loaded.Err, ErrUnreadable); got != wantErr || got != (w.loaded.Err != nil) {
				t.Errorf("%s: error %v, want one: %v", v.Step, w.loaded.Err, wantErr)
			}
		}
		if diff := cmp.Diff(v.memory(t), w.memory()); diff != "" {
			t.Errorf("%s: memory (-Java +ours):\n%s", v.Step, diff)
		}
		if diff := cmp.Diff(v.File, w.get(mainName)); diff != "" {
			t.Errorf("%s: file (-Java +ours):\n%s", v.Step, diff)
		}
		if diff := cmp.Diff(v.Bak, w.get(bakName)); diff != "" {
			t.Errorf("%s: .bak (-Java +ours):\n%s", v.Step, diff)
		}
	}
}
