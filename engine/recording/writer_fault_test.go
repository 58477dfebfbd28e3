package recording

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine/lifecycle"
)

// TestADiskThatStandsStillEndsTheRecording: nobody who appends waits, the end is told at once, and
// what was queued is in the file when the disk goes on.
func TestADiskThatStandsStillEndsTheRecording(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		goOn := make(chan struct{})
		w := record(t, t.Context(), func(d *faultyDisk, o *Options) {
			o.QueueBytes = MaxPayload + prefixLen
			d.fault = func(op, _ string, at int64, n int) (int, error) {
				if op == "write" && at > 0 {
					<-goOn
				}
				return n, nil
			}
		})
		before := time.Now()
		r := Record{At: start(), Payload: make([]byte, 1<<20)}
		w.Append(r)
		synctest.Wait() // it hangs in the disk
		for range 10 {
			w.Append(r)
		}
		synctest.Wait()
		if !errors.Is(w.Err(), ErrBehind) || len(w.ended) != 1 || !time.Now().Equal(before) {
			t.Errorf("err %v, told %v", w.Err(), w.ended)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := w.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("close: %v", err)
		}
		close(goOn)
		w.finished(t, Behind, ErrBehind)
		got := all(t, w.reader(t))
		if len(got) < 4 || len(got) > 6 {
			t.Errorf("%d records of a queue for 5", len(got))
		}
	})
}

func TestAFullDiskEndsTheRecordingAtAWholeBlock(t *testing.T) {
	for _, c := range []struct {
		name      string
		err       error
		partial   int  // bytes of the failing write that go through
		truncates bool // the disk lets the torn block be taken away
		again     bool // there is room for the end of the file then
		end       End
	}{
		{"full", syscall.ENOSPC, 0, true, true, DiskFull},
		{"full within a block", syscall.ENOSPC, 200, true, true, DiskFull},
		{"full for good", syscall.ENOSPC, 200, true, false, Unknown},
		{"broken", syscall.EIO, 100, true, true, DiskFault},
		{"broken for good", syscall.EIO, 100, false, false, Unknown},
		{"a short write", nil, 130, true, true, DiskFault},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var failed atomic.Bool
				w := record(t, t.Context(), func(d *faultyDisk, _ *Options) {
					d.fault = func(op, _ string, at int64, n int) (int, error) {
						switch {
						case op == "truncate" && !c.truncates:
							return 0, syscall.EIO
						case op != "write" || at < 2000, failed.Load() && c.again:
							return n, nil
						}
						failed.Store(true)
						return min(n, c.partial), c.err
					}
				})
				records := some(1000, 0)
				for n, r := range records {
					w.Append(r)
					if n%10 != 0 {
						continue
					}
					if err := w.Flush(t.Context()); err != w.Err() || err == nil && failed.Load() {
						t.Fatalf("flushed with %v on a disk that has failed", err)
					}
				}
				why := c.err
				if why == nil {
					why = io.ErrShortWrite
				}
				w.finished(t, c.end, why)
				if !strings.Contains(w.Err().Error(), "x: ") || !strings.Contains(w.Err().Error(), "the recording has ended") {
					t.Errorf("%v: want the file and what follows", w.Err())
				}
				r := w.reader(t)
				got := all(t, r)
				if len(got) < 20 || len(got) > 900 {
					t.Fatalf("%d records", len(got))
				}
				wantRecords(t, got, records[:len(got)], 0)
				if cut := r.Info().Cut; (cut != nil) != !c.truncates {
					t.Errorf("cut: %v", cut)
				}
			})
		})
	}
}

func TestAnEndThatCannotBeWrittenIsTold(t *testing.T) {
	for op, end := range map[string]End{"sync": Closed, "index": Unknown} {
		synctest.Test(t, func(t *testing.T) {
			var failing bool
			w := record(t, t.Context(), func(d *faultyDisk, _ *Options) {
				d.fault = func(asked, _ string, _ int64, n int) (int, error) {
					if asked == op || op == "index" && asked == "write" && failing {
						return 0, syscall.EIO
					}
					return n, nil
				}
			})
			w.Append(some(1, 0)[0])
			_ = w.Flush(t.Context())
			w.disk.mu.Lock()
			failing = true
			w.disk.mu.Unlock()
			if err := w.Close(t.Context()); !errors.Is(err, syscall.EIO) {
				t.Errorf("close: %v", err)
			}
			w.finished(t, end, syscall.EIO)
			wantRecords(t, all(t, w.reader(t)), some(1, 0), 0)
		})
	}
}

// TestAFaultBehindTheEndOfTheContextIsTold: the disk fails when all else is over already.
func TestAFaultBehindTheEndOfTheContextIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		goOn := make(chan struct{})
		ctx, cancel := context.WithCancel(t.Context())
		w := record(t, ctx, func(d *faultyDisk, _ *Options) {
			d.fault = func(op, _ string, _ int64, n int) (int, error) {
				if op == "sync" {
					<-goOn
					return 0, syscall.EIO
				}
				return n, nil
			}
		})
		w.Append(some(1, 0)[0])
		cancel()
		synctest.Wait()
		close(goOn)
		w.finished(t, Closed, syscall.EIO)
	})
}

func TestARecordThatIsTooLargeEndsTheRecording(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := record(t, t.Context(), nil)
		w.Append(Record{At: start(), Payload: make([]byte, MaxPayload)})
		w.Append(Record{At: start(), Payload: make([]byte, MaxPayload+1)})
		w.Append(Record{At: start()})
		w.finished(t, Oversize, ErrTooLarge)
		if got := all(t, w.reader(t)); len(got) != 1 || len(got[0].Payload) != MaxPayload {
			t.Errorf("%d records", len(got))
		}
	})
}

func TestAPanicEndsTheRecordingOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := record(t, t.Context(), func(d *faultyDisk, _ *Options) {
			once := false
			d.fault = func(op, _ string, at int64, n int) (int, error) {
				if op == "write" && at > 0 && !once {
					once = true
					panic("a fault of the program")
				}
				return n, nil
			}
		})
		w.Append(some(1, 0)[0])
		if err := w.Flush(t.Context()); err == nil {
			t.Error("flushed")
		}
		if err := w.group.Wait(); err != nil {
			t.Error(err)
		}
		if p, ok := errors.AsType[*lifecycle.PanicError](w.Err()); !ok || len(w.ended) != 1 || w.reader(t).Info().End != Faulty {
			t.Errorf("%v, %v, told %v", p, w.Err(), w.ended)
		}
	})
}

func TestAFileThatCannotBeBegunIsNotLeft(t *testing.T) {
	disk := newDisk()
	disk.fault = func(op, _ string, _ int64, n int) (int, error) {
		if op == "write" {
			return 3, syscall.ENOSPC
		}
		return n, nil
	}
	_, err := Create("x", Header{}, Options{FS: disk})
	if !errors.Is(err, syscall.ENOSPC) || disk.file("x") != nil || !strings.Contains(err.Error(), "begin the recording x") {
		t.Errorf("%v, %v", err, disk.files)
	}
}

func TestPackingGivesWayWhenTheQueueFills(t *testing.T) {
	for queued, packed := range map[int]bool{20: true, 60: false} {
		synctest.Test(t, func(t *testing.T) {
			goOn := make(chan struct{})
			w := record(t, t.Context(), func(d *faultyDisk, o *Options) {
				o.QueueBytes = 10 << 20
				d.fault = func(op, _ string, at int64, n int) (int, error) {
					if op == "write" && at > 0 {
						<-goOn
					}
					return n, nil
				}
			})
			r := Record{At: start(), Payload: make([]byte, 100<<10)}
			w.Append(r)
			synctest.Wait()
			for range queued {
				w.Append(r)
			}
			close(goOn)
			_ = w.Close(t.Context())
			w.finished(t, Closed, nil)
			if l := w.reader(t).last; (l.codec == codecZstd) != packed {
				t.Errorf("%d queued: codec %d", queued, l.codec)
			}
		})
	}
}
