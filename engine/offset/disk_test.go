package offset

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/event"
	"mqscope/engine/mq"
)

func openDisk(t *testing.T, cfg DiskConfig) *Disk {
	t.Helper()
	d, err := OpenDisk(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return d
}

func testConfig(t *testing.T) DiskConfig {
	t.Helper()
	return DiskConfig{Dir: filepath.Join(t.TempDir(), "offsets"), ClientID: "10.1.2.9@DEFAULT", Group: "GID_pay", Owner: "process 1"}
}

// TestP40CorruptFileIsRestoredFromThePreviousGeneration damages the file of a running
// consumer, and the file a consumer starts with.
func TestP40CorruptFileIsRestoredFromThePreviousGeneration(t *testing.T) {
	damages := []struct {
		name string
		text string
	}{
		{"empty", ""},
		{"half JSON", javaTable[:len(javaTable)/2]},
		{"wrong types", `{"offsetTable":{{"topic":"t","brokerName":"b","queueId":0}:"soon"}}`},
		{"another file", `[{"topic":"t"}]`},
		{"full of NULs", strings.Repeat("\x00", 4096)},
	}
	for _, tt := range damages {
		t.Run(tt.name, func(t *testing.T) {
			w := &world{t: t, home: t.TempDir()}
			w.open()
			w.step(set(0, 5), persist(0), set(0, 9), persist(0))
			good := *w.get(mainName)

			w.put(mainName, tt.text)
			w.step(persist(0))
			if got := *w.get(mainName); got != good {
				t.Errorf("after one interval the file of a running consumer is %q", got)
			}
			if len(w.entries) != 1 || w.entries[0].Level != event.Warn || !strings.Contains(w.entries[0].What, w.disk.Path()) {
				t.Errorf("told: %+v", w.entries)
			}

			w.step(set(0, 12), persist(0))
			w.put(mainName, tt.text)
			w.open()
			defer func() { w.close() }()
			if got := w.file.Read(q(0)); got != 9 {
				t.Errorf("the next process starts at %d, want 9 of the previous generation", got)
			}
			if len(w.entries) != 1 || w.entries[0].Level != event.Warn || !strings.Contains(w.entries[0].What, "previous generation") {
				t.Errorf("told: %+v", w.entries)
			}
			w.step(persist(0))
			if main, bak := *w.get(mainName), *w.get(bakName); main != good || bak != good {
				t.Errorf("after one interval the file is %q, the previous one %q", main, bak)
			}
		})
	}
}

func TestBothUnreadableIsAnErrorWithARemedy(t *testing.T) {
	w := &world{t: t, home: t.TempDir()}
	w.open()
	w.put(mainName, "garbage")
	w.put(bakName, "")
	w.open()
	defer func() { w.close() }()
	err := w.loaded.Err
	if !errors.Is(err, ErrUnreadable) {
		t.Fatalf("error %v", err)
	}
	for _, part := range []string{w.disk.Path(), bakName, "move both away"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not say %q", err, part)
		}
	}
	if saved := w.disk.Save(t.Context(), write(1, at(0, 5))); !errors.Is(saved.Err, ErrUnreadable) {
		t.Errorf("a save over it: %v", saved.Err)
	}
	if main, bak := *w.get(mainName), *w.get(bakName); main != "garbage" || bak != "" {
		t.Errorf("what nobody could read was replaced by %q and %q", main, bak)
	}
}

func TestEntriesThatOthersWroteAreKept(t *testing.T) {
	w := &world{t: t, home: t.TempDir()}
	w.open()
	defer func() { w.close() }()
	w.step(set(0, 5), persist(0))
	w.put(mainName, `{"offsetTable":{{"brokerName":"b","queueId":0,"topic":"t"}:4,{"brokerName":"b","queueId":7,"topic":"t"}:70}}`)
	w.step(set(0, 6), persist(0))
	want := table{q(0): 6, q(7): 70}
	got, _, err := parseTable([]byte(*w.get(mainName)))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("file (-want +got):\n%s", diff)
	}
}

// TestSavesFromManyGoroutines lets the writes of one store be carried out in any order: the
// file ends as the newest says.
func TestSavesFromManyGoroutines(t *testing.T) {
	const writers, writes = 8, 40
	d := openDisk(t, testConfig(t))
	d.Load(t.Context())
	order := rand.New(rand.NewPCG(1, 2)).Perm(writes)
	work := make(chan Write)
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for w := range work {
				if saved := d.Save(t.Context(), w); saved.Err != nil {
					t.Error(saved.Err)
				}
			}
		})
	}
	for _, i := range order {
		work <- write(uint64(i+1), at(0, int64(i)*10), at(1, int64(i)*10+1))
	}
	close(work)
	wg.Wait()
	want := Loaded{Positions: []Position{at(0, (writes-1)*10), at(1, (writes-1)*10+1)}}
	if diff := cmp.Diff(want, d.Load(t.Context())); diff != "" {
		t.Errorf("loaded (-want +got):\n%s", diff)
	}
}

func TestNoCallWaitsLongerThanItsContext(t *testing.T) {
	dir := newMemoryDir()
	d := newDisk("dir", dir)
	if err := d.enter(t.Context()); err != nil { // a call that hangs in the disk
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := d.Load(ctx).Err; !errors.Is(err, context.Canceled) {
		t.Errorf("load: %v", err)
	}
	if err := d.Save(ctx, write(1, at(0, 1))).Err; !errors.Is(err, context.Canceled) {
		t.Errorf("save: %v", err)
	}
	if err := d.Close(ctx); !errors.Is(err, context.Canceled) || dir.closed {
		t.Errorf("close: %v, lock given up: %v", err, dir.closed)
	}
}

func TestTooLargeATableIsNotWritten(t *testing.T) {
	dir := newMemoryDir()
	d := newDisk("dir", dir)
	name := strings.Repeat("x", maxFileBytes/2)
	positions := []Position{{Queue: mq.MessageQueue{Topic: name}}, {Queue: mq.MessageQueue{Topic: name, BrokerName: "b"}}}
	if err := d.Save(t.Context(), Write{Seq: 1, Positions: positions}).Err; err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("error %v", err)
	}
	if len(dir.names) != 0 {
		t.Errorf("%d files", len(dir.names))
	}
}

func TestAFileThatIsTooLongIsNotRead(t *testing.T) {
	w := &world{t: t, home: t.TempDir()}
	w.open()
	defer func() { w.close() }()
	if err := os.Truncate(filepath.Join(w.disk.path, lockName), maxFileBytes+1); err != nil {
		t.Fatal(err)
	}
	if text, err := w.disk.files.Read(lockName); err == nil || !strings.Contains(err.Error(), "longer") {
		t.Errorf("%d bytes, error %v", len(text), err)
	}
}

func TestP41EveryClientIDHasAPathOfItsOwn(t *testing.T) {
	home := t.TempDir()
	ids := []string{
		"10.1.2.9@DEFAULT", "10.1.2.9@4711#123@unit@STREAM", "[fe80::1%eth0]@DEFAULT", "a:b", "a*b", "a?b", "a/b", `a\b`,
		"..", ".", "../..", "../x", "/etc", "CON", "nul.txt", "com1", "a.", "a ", " ", "~", "~a", "a\x00b", "a\nb", "\xff",
		"客户端@机房", "a%3Ab", "~a%3Ab", strings.Repeat("x", 300), strings.Repeat("x", 301), strings.Repeat("x", 255),
		strings.Repeat("机", 100), strings.Repeat(":", 300),
	}
	for i, id := range ids {
		cfg := DiskConfig{Dir: home, ClientID: id, Group: "GID_pay"}
		d := openDisk(t, cfg)
		if loaded := d.Load(t.Context()); loaded.Err != nil || len(loaded.Positions) != 0 {
			t.Errorf("id %q: %+v before the first save", id, loaded)
		}
		if saved := d.Save(t.Context(), write(1, at(0, int64(i)))); saved.Err != nil {
			t.Errorf("id %q: %v", id, saved.Err)
		}
		if rel, err := filepath.Rel(home, d.Path()); err != nil || strings.Count(filepath.ToSlash(rel), "/") != 2 || strings.HasPrefix(rel, "..") {
			t.Errorf("id %q has the path %s", id, d.Path())
		}
	}
	for i, id := range ids {
		path := filepath.Join(home, DirName(id), "GID_pay", mainName)
		text, err := os.ReadFile(path)
		if got, _, _ := parseTable(text); err != nil || got[q(0)] != int64(i) {
			t.Errorf("id %q: %v, error %v", id, got, err)
		}
	}
}

func TestDirName(t *testing.T) {
	const longID = "10.1.2.9@"
	tests := []struct {
		name, id      string
		unix, windows string // "" is the id itself
	}{
		{name: "an id as Java's clients make it", id: "10.1.2.9@4711#123456789@unit1@STREAM"},
		{name: "a group in a namespace", id: "%RETRY%ns%GID-pay_1", windows: ""},
		{name: "an address of IPv6, which has colons", id: "[fe80::1]@DEFAULT", windows: "~%5Bfe80%3A%3A1%5D@DEFAULT"},
		{name: "signs that only Windows refuses", id: `*?"<>|\`, windows: "~%2A%3F%22%3C%3E%7C%5C"},
		{name: "a slash", id: "a/../b", unix: "~a%2F..%2Fb", windows: "~a%2F..%2Fb"},
		{name: "the directory above", id: "..", unix: "~.%2E", windows: "~.%2E"},
		{name: "the directory itself", id: ".", unix: "~%2E", windows: "~%2E"},
		{name: "a device of Windows", id: "con.x", windows: "~con.x"},
		{name: "a port of Windows", id: "LPT9", windows: "~LPT9"},
		{name: "a name that only begins like a port", id: "COM10"},
		{name: "an end that Windows cuts off", id: "a.", windows: "~a%2E"},
		{name: "a name that looks encoded", id: "~a", unix: "~%7Ea", windows: "~%7Ea"},
		{name: "a control character", id: "a\tb", unix: "~a%09b", windows: "~a%09b"},
		{name: "the longest name there is", id: strings.Repeat("x", 255)},
		{
			name: "a name that is too long", id: longID + strings.Repeat("x", 291),
			unix:    "~" + longID + strings.Repeat("x", 90) + "~01487391424028ef8a8d51414e25928c",
			windows: "~" + longID + strings.Repeat("x", 90) + "~01487391424028ef8a8d51414e25928c",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, windows := range []bool{false, true} {
				want := tt.unix
				if windows {
					want = tt.windows
				}
				if want == "" {
					want = tt.id
				}
				if got := dirName(tt.id, windows); got != want {
					t.Errorf("on Windows %v: %q, want %q", windows, got, want)
				}
			}
		})
	}
}

func TestConfigMustSayWhere(t *testing.T) {
	for _, cfg := range []DiskConfig{
		{ClientID: "c", Group: "g"}, {Dir: t.TempDir(), Group: "g"}, {Dir: t.TempDir(), ClientID: "c"},
	} {
		if _, err := OpenDisk(cfg); err == nil || !strings.Contains(err.Error(), "empty") {
			t.Errorf("%+v: %v", cfg, err)
		}
	}
}

// BenchmarkDiskLoad reads a file of 4,096 queues, BenchmarkDiskSave changes one offset of it
// and writes both generations with all syncs.
func BenchmarkDiskLoad(b *testing.B) {
	dir := newMemoryDir()
	dir.put(mainName, manyQueues(4096).render())
	for b.Loop() {
		if loaded := newDisk("dir", dir).Load(b.Context()); loaded.Err != nil {
			b.Fatal(loaded.Err)
		}
	}
}

func BenchmarkDiskSave(b *testing.B) {
	d, err := OpenDisk(DiskConfig{Dir: b.TempDir(), ClientID: "c", Group: "g"})
	if err != nil {
		b.Fatal(err)
	}
	positions := positionsOf(manyQueues(4096))
	seq := uint64(0)
	for b.Loop() {
		seq++
		positions[0].Offset++
		if saved := d.Save(b.Context(), Write{Seq: seq, Positions: positions}); saved.Err != nil {
			b.Fatal(saved.Err)
		}
	}
	if err := d.Close(b.Context()); err != nil {
		b.Error(err)
	}
}

// BenchmarkDiskSaveUnchanged is what an idle consumer does every 5 s.
func BenchmarkDiskSaveUnchanged(b *testing.B) {
	dir := newMemoryDir()
	d := newDisk("dir", dir)
	positions := positionsOf(manyQueues(4096))
	save := func() {
		if saved := d.Save(b.Context(), Write{Seq: 1, Positions: positions}); saved.Err != nil {
			b.Fatal(saved.Err)
		}
	}
	save()
	save() // from now on both generations are equal
	for b.Loop() {
		save()
	}
	if !bytes.Equal(dir.get(mainName), dir.get(bakName)) {
		b.Error("the files differ")
	}
}

// TestAnEndedContextKeepsNobodyFromAFreeFile: neither from reading it nor from letting go of it.
func TestAnEndedContextKeepsNobodyFromAFreeFile(t *testing.T) {
	dir := t.TempDir()
	ended, end := context.WithCancel(t.Context())
	end()
	for range 100 {
		d, err := OpenDisk(DiskConfig{Dir: dir, ClientID: "c", Group: "g"})
		if err != nil {
			t.Fatal(err)
		}
		if loaded := d.Load(ended); loaded.Err != nil {
			t.Fatal(loaded.Err)
		}
		if err := d.Close(ended); err != nil {
			t.Fatal(err)
		}
	}
}
