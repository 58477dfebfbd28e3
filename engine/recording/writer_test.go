package recording

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine/lifecycle"
)

// running is a Writer to a disk in memory whose Run goes on beside the test.
type running struct {
	*Writer
	disk  *faultyDisk
	ended []error // what Options.Ended was told
	group *lifecycle.Group
}

// record begins a recording "x" in a bubble; prepare changes disk and options before.
func record(t *testing.T, ctx context.Context, prepare func(*faultyDisk, *Options)) *running {
	t.Helper()
	w := &running{disk: newDisk()}
	o := Options{FS: w.disk, BlockBytes: 4 << 10, Ended: func(err error) { w.ended = append(w.ended, err) }}
	if prepare != nil {
		prepare(w.disk, &o)
	}
	var err error
	if w.Writer, err = Create("x", header(), o); err != nil {
		t.Fatal(err)
	}
	w.group, _ = lifecycle.NewGroup(ctx)
	w.group.Go("run", w.Run)
	return w
}

func (w *running) reader(t *testing.T) *Reader {
	t.Helper()
	return open(t, w.disk.file("x").bytes())
}

// finished checks that Run has ended well, that the file is closed and ends as said, and what was
// told to Ended.
func (w *running) finished(t *testing.T, end End, why error) {
	t.Helper()
	if err := w.group.Wait(); err != nil {
		t.Errorf("Run: %v, want nil: a recording ends nobody else", err)
	}
	f := w.disk.file("x")
	if f.closed != 1 {
		t.Errorf("the file was closed %d times", f.closed)
	}
	if i := w.reader(t).Info(); i.End != end {
		t.Errorf("the file says %q, want %q", i.End, end)
	}
	if !errors.Is(w.Err(), why) || (why == nil) != (w.Err() == nil) {
		t.Errorf("Err is %v, want %v", w.Err(), why)
	}
	if why == nil && len(w.ended) > 0 || why != nil && (len(w.ended) != 1 || w.ended[0] != w.Err()) {
		t.Errorf("Ended was told %v, want once %v", w.ended, why)
	}
}

func TestCloseWritesAllAndWaitsForTheDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := record(t, t.Context(), nil)
		records := some(500, 100)
		for _, r := range records {
			w.Append(r)
		}
		if err := w.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.finished(t, Closed, nil)
		wantRecords(t, all(t, w.reader(t)), records, 0)
		f := w.disk.file("x")
		if f.synced != len(f.data) {
			t.Errorf("%d of %d bytes are on the disk", f.synced, len(f.data))
		}
		w.Append(records[0])
		if err := w.Close(t.Context()); err != nil || f.closed != 1 {
			t.Errorf("again: %v", err)
		}
		if err := w.Flush(t.Context()); err != nil {
			t.Errorf("flush behind the end: %v", err)
		}
	})
}

func TestTheEndOfTheContextFinishesTheFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		w := record(t, ctx, nil)
		records := some(5, 0)
		for _, r := range records {
			w.Append(r)
		}
		cancel()
		w.finished(t, Closed, nil)
		wantRecords(t, all(t, w.reader(t)), records, 0)
	})
}

func TestCloseOfWhatNeverRanWritesToo(t *testing.T) {
	disk := newDisk()
	w, err := Create("x", header(), Options{FS: disk})
	if err != nil {
		t.Fatal(err)
	}
	w.Append(some(1, 0)[0])
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantRecords(t, all(t, open(t, disk.file("x").data)), some(1, 0), 0)
}

func TestARecordIsInTheFileWithinASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := record(t, t.Context(), nil)
		records := some(4, 0)
		for n, r := range records {
			w.Append(r)
			time.Sleep(time.Second - 1)
			synctest.Wait()
			if i := w.reader(t).Info(); i.Next != uint64(n) {
				t.Fatalf("%d records before the second is over, want %d", i.Next, n)
			}
			time.Sleep(time.Nanosecond)
			synctest.Wait()
			if i := w.reader(t).Info(); i.Next != uint64(n+1) || i.Cut != nil {
				t.Fatalf("%d records, cut %v, want %d", i.Next, i.Cut, n+1)
			}
			time.Sleep(time.Minute)
		}
		_ = w.Close(t.Context())
		w.finished(t, Closed, nil)
	})
}

func TestAFullBlockDoesNotWaitForTheSecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := record(t, t.Context(), nil)
		for range 3 {
			w.Append(Record{At: start(), Payload: make([]byte, 3<<10)})
		}
		synctest.Wait()
		if i := w.reader(t).Info(); i.Next < 2 {
			t.Errorf("%d records", i.Next)
		}
		_ = w.Close(t.Context())
		w.finished(t, Closed, nil)
	})
}

func TestFlushReturnsWhenAllIsInTheFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := record(t, t.Context(), nil)
		records := some(20, 0)
		for n, r := range records {
			w.Append(r)
			if err := w.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
			if i := w.reader(t).Info(); i.Next != uint64(n+1) {
				t.Fatalf("%d records, want %d", i.Next, n+1)
			}
		}
		_ = w.Close(t.Context())
		w.finished(t, Closed, nil)
		wantRecords(t, all(t, w.reader(t)), records, 0)
	})
}

// TestManyAppendAtOnce: each one's records are all there, in its order.
func TestManyAppendAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := record(t, t.Context(), nil)
		var wg sync.WaitGroup
		for who := range uint16(8) {
			wg.Go(func() {
				for n := range 500 {
					w.Append(Record{Kind: who, At: time.Now(), Payload: fmt.Appendf(nil, "%d", n)})
					if n%100 == 99 {
						time.Sleep(300 * time.Millisecond)
					}
				}
			})
		}
		wg.Wait()
		if err := w.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.finished(t, Closed, nil)
		next := map[uint16]int{}
		for _, e := range all(t, w.reader(t)) {
			if string(e.Payload) != fmt.Sprint(next[e.Kind]) {
				t.Fatalf("%d has %s, want %d", e.Kind, e.Payload, next[e.Kind])
			}
			next[e.Kind]++
		}
		for who := range uint16(8) {
			if next[who] != 500 {
				t.Errorf("%d: %d records", who, next[who])
			}
		}
	})
}

// TestARecordWithoutATimeHasThatOfTheOneBefore: what comes from beside a clock.
func TestARecordWithoutATimeHasThatOfTheOneBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := record(t, t.Context(), nil)
		w.Append(Record{Kind: 2, At: start()})
		w.Append(Record{Kind: 3})
		w.Append(Record{Kind: 4, At: start().Add(-time.Second)})
		w.Append(Record{Kind: 5})
		_ = w.Close(t.Context())
		w.finished(t, Closed, nil)
		var got []string
		for _, e := range all(t, w.reader(t)) {
			got = append(got, fmt.Sprint(e.Kind, e.At.Sub(start())))
		}
		if want := []string{"2 0s", "3 0s", "4 -1s", "5 -1s"}; !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	})
}

func TestAppendCopiesThePayload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := record(t, t.Context(), nil)
		p := []byte("before")
		w.Append(Record{At: start(), Payload: p})
		copy(p, "behind")
		_ = w.Close(t.Context())
		w.finished(t, Closed, nil)
		if got := all(t, w.reader(t)); !bytes.Equal(got[0].Payload, []byte("before")) {
			t.Errorf("%s", got[0].Payload)
		}
	})
}

func TestOptionsThatCannotBeAreRefusedAllAtOnce(t *testing.T) {
	_, err := Create("x", Header{}, Options{BlockBytes: 1, QueueBytes: 1, FlushEvery: -1, FS: newDisk()})
	if err == nil || strings.Count(err.Error(), "\n") != 2 {
		t.Errorf("got %v", err)
	}
}
