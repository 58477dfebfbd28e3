package recording

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine/lifecycle"
)

const boxLimit = 1 << 20

// box begins a black box on a disk in memory; its packing is off, so that sizes can be told.
func box(t *testing.T, o Options) (*Box, *faultyDisk, *lifecycle.Group) {
	t.Helper()
	disk := newDisk()
	o.FS, o.Uncompressed = disk, true
	b, err := NewBox("box", boxLimit, header(), o)
	if err != nil {
		t.Fatal(err)
	}
	g, _ := lifecycle.NewGroup(t.Context())
	g.Go("box", b.Run)
	return b, disk, g
}

// big returns records of 1 KiB.
func big(n, every int) []Record {
	all := some(n, every)
	for i := range all {
		all[i].Payload = append(all[i].Payload, make([]byte, 1000)...)
	}
	return all
}

func (d *faultyDisk) total(dir string) (n int) {
	for _, path := range d.under(dir) {
		n += len(d.file(path).bytes())
	}
	return n
}

func TestABoxKeepsTheLastBytes(t *testing.T) {
	for every, least := range map[int]int{50: 700, 0: 600, 400: 300} {
		synctest.Test(t, func(t *testing.T) {
			b, disk, g := box(t, Options{})
			records := big(5000, every)
			for n, r := range records {
				b.Append(r)
				if n%100 != 99 {
					continue
				}
				if err := b.Flush(t.Context()); err != nil {
					t.Fatal(err)
				}
				if kept := disk.total("box"); kept > boxLimit+boxLimit/boxSegments {
					t.Fatalf("%d bytes are kept, the limit is %d", kept, boxLimit)
				}
				if n := len(disk.under("box")); n > boxSegments+1 {
					t.Fatalf("%d files", n)
				}
			}
			s, err := b.Save(t.Context(), "saved")
			if err != nil {
				t.Fatal(err)
			}
			r := open(t, disk.file("saved").bytes())
			got := all(t, r)
			wantRecords(t, got, records, int(s.First))
			if s.Next != 5000 || len(got) < least || s.AtCheckpoint != (every > 0) || got[0].Checkpoint != (every > 0) || s.Gaps != 0 {
				t.Errorf("every %d: %+v, %d records", every, s, len(got))
			}
			if rep, err := r.Verify(t.Context()); err != nil || !rep.Whole() || r.Info().End != Closed || r.Header().Group != "orders" {
				t.Errorf("%+v, %v", rep, err)
			}
			if err := b.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := g.Wait(); err != nil {
				t.Fatal(err)
			}
			for _, path := range disk.under("box") {
				if first := all(t, open(t, disk.file(path).bytes()))[0]; every == 50 && !first.Checkpoint {
					t.Errorf("%s begins with record %d, which is no checkpoint", path, first.Number)
				}
			}
			if again, err := b.Save(t.Context(), "again"); err != nil || again != s {
				t.Errorf("behind the end: %+v, %v", again, err)
			}
			if err := b.Discard(); err != nil || len(disk.under("box")) != 0 {
				t.Errorf("%v, left: %v", err, disk.under("box"))
			}
		})
	}
}

func TestABoxIsSavedWhileItGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, disk, g := box(t, Options{})
		records := big(6000, 30)
		g.Go("append", func(context.Context) error {
			for _, r := range records {
				b.Append(r)
				time.Sleep(time.Millisecond)
			}
			return nil
		})
		for n := range 10 {
			time.Sleep(500 * time.Millisecond)
			path := string(rune('a' + n))
			s, err := b.Save(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			got := all(t, open(t, disk.file(path).bytes()))
			wantRecords(t, got, records[:s.Next], int(s.First))
			if !got[0].Checkpoint {
				t.Error("it does not begin with a checkpoint")
			}
		}
		time.Sleep(5 * time.Second)
		_ = b.Close(t.Context())
		if err := g.Wait(); err != nil || b.Err() != nil {
			t.Error(err, b.Err())
		}
	})
}

func TestADamagedBoxIsSavedWithAGap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, disk, g := box(t, Options{BlockBytes: 8 << 10})
		records := big(700, 50)
		for _, r := range records {
			b.Append(r)
		}
		_ = b.Close(t.Context())
		_ = g.Wait()
		paths := disk.under("box")
		disk.file(paths[2]).data[40000] ^= 1
		s, err := b.Save(t.Context(), "saved")
		if err != nil || s.Gaps != 1 {
			t.Fatalf("%+v, %v", s, err)
		}
		r := open(t, disk.file("saved").bytes())
		if n := honest(t, r, records, "saved"); n < 680 || n == 700 {
			t.Errorf("%d records", n)
		}
	})
}

func TestASaveThatFailsLeavesNoFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, disk, g := box(t, Options{})
		for _, r := range big(300, 50) {
			b.Append(r)
		}
		_ = b.Flush(t.Context())
		disk.mu.Lock()
		disk.fault = func(op, path string, at int64, n int) (int, error) {
			if path == "saved" && at > 100000 {
				return 0, syscall.ENOSPC
			}
			return n, nil
		}
		disk.mu.Unlock()
		if _, err := b.Save(t.Context(), "saved"); !errors.Is(err, syscall.ENOSPC) || disk.file("saved") != nil {
			t.Errorf("%v", err)
		}
		if b.Err() != nil {
			t.Errorf("the box has ended with it: %v", b.Err())
		}
		_ = b.Close(t.Context())
		_ = g.Wait()
	})
}

func TestABoxOnAFullDiskEndsAndCanBeSaved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []error
		b, disk, g := box(t, Options{Ended: func(err error) { told = append(told, err) }})
		records := big(1000, 50)
		full := 0
		disk.mu.Lock()
		disk.fault = func(op, path string, at int64, n int) (int, error) {
			if full++; path != "saved" && full > 8 {
				return 0, syscall.ENOSPC
			}
			return n, nil
		}
		disk.mu.Unlock()
		for n, r := range records {
			b.Append(r)
			if n%100 == 0 {
				_ = b.Flush(t.Context())
			}
		}
		if err := g.Wait(); err != nil || !errors.Is(b.Err(), syscall.ENOSPC) || len(told) != 1 {
			t.Errorf("%v, %v, told %v", err, b.Err(), told)
		}
		s, err := b.Save(t.Context(), "saved")
		if err != nil || s.Next == 0 {
			t.Fatalf("%+v, %v", s, err)
		}
		wantRecords(t, all(t, open(t, disk.file("saved").bytes())), records[:s.Next], 0)
	})
}

func TestWhatAKilledBoxLeftIsSaved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "box")
	b, err := NewBox(dir, boxLimit, header(), Options{Uncompressed: true})
	if err != nil {
		t.Fatal(err)
	}
	records := big(3000, 50)
	for _, r := range records {
		b.Append(r)
	}
	if err := b.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	paths, _ := filepath.Glob(filepath.Join(dir, "*"))
	last := paths[len(paths)-1]
	info, err := os.Stat(last)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(last, info.Size()-2000); err != nil {
		t.Fatal(err)
	}
	saved := filepath.Join(t.TempDir(), "saved")
	s, err := SaveLeft(t.Context(), dir, saved, Options{})
	if err != nil || !s.AtCheckpoint || s.Next-s.First < 500 {
		t.Fatalf("%+v, %v", s, err)
	}
	r, err := Open(saved)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	wantRecords(t, all(t, r), records[:s.Next], int(s.First))
	if err := os.Truncate(last, 5); err != nil {
		t.Fatal(err)
	}
	if _, err := SaveLeft(t.Context(), dir, saved+"2", Options{}); err != nil {
		t.Errorf("a file that was only begun: %v", err)
	}
	if _, err := SaveLeft(t.Context(), t.TempDir(), saved+"3", Options{}); err == nil {
		t.Error("saved nothing")
	}
}
