package recording

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// faultyDisk is a disk in memory on which writing can fail.
type faultyDisk struct {
	mu    sync.Mutex
	files map[string]*memFile
	// fault is asked before a file is written, truncated or synced; how many bytes of it go
	// through, and what comes back then.
	fault func(op, path string, at int64, n int) (int, error)
}

func newDisk() *faultyDisk { return &faultyDisk{files: map[string]*memFile{}} }

func (d *faultyDisk) file(path string) *memFile {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.files[path]
}

func (d *faultyDisk) ask(op, path string, at int64, n int) (int, error) {
	d.mu.Lock()
	fault := d.fault
	d.mu.Unlock()
	if fault == nil {
		return n, nil
	}
	return fault(op, path, at, n)
}

func (d *faultyDisk) Create(path string) (File, error) {
	if _, err := d.ask("create", path, 0, 0); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.files[path] != nil {
		return nil, &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	}
	f := &memFile{disk: d, path: path}
	d.files[path] = f
	return f, nil
}

func (d *faultyDisk) Open(path string) (File, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if f := d.files[path]; f != nil {
		return f, nil
	}
	return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
}

func (d *faultyDisk) Remove(path string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.files, path)
	return nil
}

func (d *faultyDisk) Clear(path string) error { return d.Remove(path) }

func (d *faultyDisk) Mkdir(string) error { return nil }

func (d *faultyDisk) under(dir string) []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var all []string
	for path := range d.files {
		if strings.HasPrefix(path, dir+"/") {
			all = append(all, path)
		}
	}
	slices.Sort(all)
	return all
}

type memFile struct {
	disk *faultyDisk
	path string

	mu     sync.Mutex
	data   []byte
	synced int
	closed int
}

func (f *memFile) bytes() []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	return bytes.Clone(f.data)
}

func (f *memFile) ReadAt(p []byte, at int64) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return bytes.NewReader(f.data).ReadAt(p, at)
}

func (f *memFile) WriteAt(p []byte, at int64) (int, error) {
	n, err := f.disk.ask("write", f.path, at, len(p))
	f.mu.Lock()
	defer f.mu.Unlock()
	if n > 0 {
		if missing := int(at) + n - len(f.data); missing > 0 {
			f.data = append(f.data, make([]byte, missing)...)
		}
		copy(f.data[at:], p[:n])
	}
	return n, err
}

func (f *memFile) Truncate(size int64) error {
	if _, err := f.disk.ask("truncate", f.path, size, 0); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if int(size) < len(f.data) {
		f.data = f.data[:size]
	}
	return nil
}

func (f *memFile) Size() (int64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return int64(len(f.data)), nil
}

func (f *memFile) Sync() error {
	_, err := f.disk.ask("sync", f.path, 0, 0)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.synced = len(f.data)
	return err
}

func (f *memFile) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed++
	return nil
}

func start() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 7, time.UTC) }

// some returns n records, one a millisecond, every every-th a checkpoint.
func some(n, every int) []Record {
	var all []Record
	for i := range n {
		all = append(all, Record{
			Kind: uint16(i % 7), At: start().Add(time.Duration(i) * time.Millisecond),
			Checkpoint: every > 0 && i%every == 0,
			Payload:    []byte(fmt.Sprintf("record %d %s", i, strings.Repeat("x", i%40))),
		})
	}
	return all
}

func header() Header {
	return Header{
		Program: "mqscope test", Created: start(), Source: "simulation", Cluster: "east", Group: "orders",
		Bodies: "first 256 B", Secrets: "none", Meta: map[string]string{"seed": "7", "": "empty name", "note": ""},
	}
}

// write returns a recording of records, with a new block every perBlock.
func write(t testing.TB, h Header, records []Record, perBlock int, o Options) []byte {
	t.Helper()
	disk := newDisk()
	o, err := o.filled()
	if err != nil {
		t.Fatal(err)
	}
	w, err := newFile(disk, "x", h, o)
	if err != nil {
		t.Fatal(err)
	}
	for n, r := range records {
		if n%perBlock == 0 {
			if err := w.flush(); err != nil {
				t.Fatal(err)
			}
		}
		addTo(t, w, r)
	}
	if err := w.flush(); err != nil {
		t.Fatal(err)
	}
	if err := w.close(Closed, true); err != nil {
		t.Fatal(err)
	}
	return disk.file("x").data
}

func addTo(t testing.TB, w *file, r Record) {
	t.Helper()
	i := r.item()
	if err := w.add(i, append(appendPrefix(nil, i), i.payload...)); err != nil {
		t.Fatal(err)
	}
}

func open(t testing.TB, data []byte) *Reader {
	t.Helper()
	r, err := NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// all reads to the end, with copies of the payloads.
func all(t testing.TB, r *Reader) []Entry {
	t.Helper()
	var got []Entry
	for {
		e, err := r.Next()
		if err == io.EOF {
			return got
		}
		if err != nil {
			t.Fatal(err)
		}
		e.Payload = bytes.Clone(e.Payload)
		got = append(got, e)
	}
}

func same(a, b Record) bool {
	return a.Kind == b.Kind && a.At.Equal(b.At) && a.Checkpoint == b.Checkpoint && bytes.Equal(a.Payload, b.Payload)
}

// wantRecords checks that got are want[from:] with their numbers and without gaps.
func wantRecords(t testing.TB, got []Entry, want []Record, from int) {
	t.Helper()
	if len(got) != len(want)-from {
		t.Fatalf("%d records, want %d", len(got), len(want)-from)
	}
	for n, e := range got {
		if e.Number != uint64(from+n) || e.Gap != nil || !same(e.Record, want[from+n]) {
			t.Fatalf("entry %d is %+v, want record %d: %+v", n, e, from+n, want[from+n])
		}
	}
}
