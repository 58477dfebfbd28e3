package offset

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"testing"

	"mqscope/engine/mq"
)

var errCrash = errors.New("crash")

// memoryDir is a directory whose machine can crash: after limit more steps nothing happens any
// more. A step is one call, or one byte of a write. What a crash leaves is any mix of what was
// not synced, see leftovers.
type memoryDir struct {
	names  map[string]*inode
	maybe  map[string][]*inode // what a name may stand for after a crash; nil: it is not there
	limit  int                 // steps left, counted down
	fault  error               // what the step at the limit ends in
	once   bool                // only that step fails
	closed bool
}

type inode struct {
	data   []byte
	synced bool
}

func newMemoryDir() *memoryDir {
	return &memoryDir{names: map[string]*inode{}, maybe: map[string][]*inode{}, limit: 1 << 30}
}

// put makes a file that was there long before.
func (d *memoryDir) put(name string, data []byte) {
	if data != nil {
		d.names[name] = &inode{data: bytes.Clone(data), synced: true}
		d.maybe[name] = []*inode{d.names[name]}
	}
}

func (d *memoryDir) get(name string) []byte {
	if n := d.names[name]; n != nil {
		return n.data
	}
	return nil
}

func (d *memoryDir) step() error {
	if d.limit--; d.limit == -1 || d.limit < -1 && !d.once {
		return d.fault
	}
	return nil
}

// link makes a name stand for something else; until the next Sync the disk may have either.
func (d *memoryDir) link(name string, n *inode) {
	if len(d.maybe[name]) == 0 {
		d.maybe[name] = []*inode{nil}
	}
	d.maybe[name] = append(d.maybe[name], n)
	if d.names[name] = n; n == nil {
		delete(d.names, name)
	}
}

func (d *memoryDir) Read(name string) ([]byte, error) {
	if err := d.step(); err != nil {
		return nil, err
	}
	n := d.names[name]
	if n == nil {
		return nil, fs.ErrNotExist
	}
	return bytes.Clone(n.data), nil
}

func (d *memoryDir) Create(name string) (newFile, error) {
	if err := d.step(); err != nil {
		return nil, err
	}
	if d.names[name] != nil {
		return nil, fs.ErrExist
	}
	n := &inode{}
	d.link(name, n)
	return &memoryFile{dir: d, inode: n}, nil
}

func (d *memoryDir) Rename(from, to string) error {
	if err := d.step(); err != nil {
		return err
	}
	n := d.names[from]
	if n == nil {
		return fs.ErrNotExist
	}
	d.link(to, n)
	d.link(from, nil)
	return nil
}

func (d *memoryDir) Remove(name string) error {
	if err := d.step(); err != nil {
		return err
	}
	if d.names[name] == nil {
		return fs.ErrNotExist
	}
	d.link(name, nil)
	return nil
}

func (d *memoryDir) Sync() error {
	if err := d.step(); err != nil {
		return err
	}
	for name := range d.maybe {
		d.maybe[name] = []*inode{d.names[name]}
	}
	return nil
}

func (d *memoryDir) Close() error {
	d.closed = true
	return nil
}

type memoryFile struct {
	dir   *memoryDir
	inode *inode
}

func (f *memoryFile) Write(p []byte) (int, error) {
	f.inode.synced = false
	for i, c := range p {
		if err := f.dir.step(); err != nil {
			return i, err
		}
		f.inode.data = append(f.inode.data, c)
	}
	return len(p), nil
}

func (f *memoryFile) Sync() error {
	if err := f.dir.step(); err != nil {
		return err
	}
	f.inode.synced = true
	return nil
}

func (f *memoryFile) Close() error { return f.dir.step() }

// leftovers are the directories that may be found after a crash: each name stands for any of
// the files it stood for since the last Sync, and a file that was not synced is whole, half,
// empty or full of NULs.
func (d *memoryDir) leftovers() []*memoryDir {
	all := []*memoryDir{newMemoryDir()}
	for _, name := range slices.Sorted(maps.Keys(d.maybe)) {
		var contents [][]byte
		for _, n := range d.maybe[name] {
			switch {
			case n == nil:
				contents = append(contents, nil)
			case n.synced:
				contents = append(contents, n.data)
			default:
				contents = append(contents, n.data, n.data[:len(n.data)/2], []byte{}, make([]byte, len(n.data)))
			}
		}
		var next []*memoryDir
		for _, dir := range all {
			for _, data := range contents {
				with := newMemoryDir()
				for name, n := range dir.names {
					with.put(name, n.data)
				}
				with.put(name, data)
				next = append(next, with)
			}
		}
		all = next
	}
	return all
}

func positionsOf(t table) []Position {
	var all []Position
	for _, q := range slices.SortedFunc(maps.Keys(t), func(a, b mq.MessageQueue) int { return a.Compare(b) }) {
		all = append(all, Position{Queue: q, Offset: t[q]})
	}
	return all
}

// beginnings are what a store may find before a Save.
func beginnings() map[string]struct {
	main, bak []byte
	old       table
} {
	older, old := table{q(0): 3, q(2): 1}, table{q(0): 5, q(1): 6, q(2): 1}
	return map[string]struct {
		main, bak []byte
		old       table
	}{
		"no file":                     {old: table{}},
		"a file without a previous":   {main: old.render(), old: old},
		"a file and its previous one": {main: old.render(), bak: older.render(), old: old},
		"the same file twice":         {main: old.render(), bak: old.render(), old: old},
		"a damaged file":              {main: []byte("garbage"), bak: old.render(), old: old},
		"a damaged previous file":     {main: old.render(), bak: []byte("garbage"), old: old},
		"no file, a previous one":     {bak: old.render(), old: old},
	}
}

// TestCrashAtAnyStepLeavesAWholeFile crashes a Save at each call and each byte written, and
// loads every directory that may be left.
func TestCrashAtAnyStepLeavesAWholeFile(t *testing.T) {
	w := write(1, at(0, 9), at(1, 10))
	for name, begin := range beginnings() {
		t.Run(name, func(t *testing.T) {
			next := begin.old.with(w.Positions)
			found := map[bool]int{} // of each outcome: next or old
			crashed, seen := true, map[string]bool{}
			for limit := 0; crashed; limit++ {
				dir := newMemoryDir()
				dir.put(mainName, begin.main)
				dir.put(bakName, begin.bak)
				dir.put(mainName+newName, []byte("left by an earlier crash"))
				d := newDisk("dir", dir)
				if loaded := d.Load(t.Context()); loaded.Err != nil {
					t.Fatal(loaded.Err)
				}
				dir.limit, dir.fault = limit, errCrash
				err := d.Save(t.Context(), w).Err
				crashed = errors.Is(err, errCrash)
				if err != nil && !crashed {
					t.Fatal(err)
				}
				for _, left := range dir.leftovers() {
					state := fmt.Sprintf("%v %q %q %q", crashed, left.get(mainName), left.get(bakName), slices.Sorted(maps.Keys(left.names)))
					if seen[state] {
						continue
					}
					seen[state] = true
					after := newDisk("dir", left)
					loaded := after.Load(t.Context())
					isNext := slices.Equal(loaded.Positions, positionsOf(next))
					if found[isNext]++; loaded.Err != nil || !isNext && (!crashed || !slices.Equal(loaded.Positions, positionsOf(begin.old))) {
						t.Fatalf("crash at step %d: found %v, error %v; main %q, bak %q", limit,
							loaded.Positions, loaded.Err, left.get(mainName), left.get(bakName))
					}
					if saved := after.Save(t.Context(), w); saved.Err != nil {
						t.Fatalf("crash at step %d: the next save: %v", limit, saved.Err)
					}
					if got, _, err := parseTable(left.get(mainName)); err != nil || !maps.Equal(got, next) {
						t.Fatalf("crash at step %d: the next save wrote %v, error %v", limit, got, err)
					}
				}
			}
			if found[true] == 0 || found[false] == 0 {
				t.Errorf("old found %d times, new %d times: the test does not reach both", found[false], found[true])
			}
		})
	}
}

// TestAnErrorAtAnyStepLeavesTheOldFile lets each step of a Save fail once, as a full or broken
// disk does: consumption goes on with the old file, and the next save makes it good.
func TestAnErrorAtAnyStepLeavesTheOldFile(t *testing.T) {
	full := errors.New("no space left on device")
	w := write(1, at(0, 9), at(1, 10))
	for name, begin := range beginnings() {
		t.Run(name, func(t *testing.T) {
			next := begin.old.with(w.Positions)
			failures := 0
			for limit := 0; ; limit++ {
				dir := newMemoryDir()
				dir.put(mainName, begin.main)
				dir.put(bakName, begin.bak)
				d := newDisk("dir", dir)
				d.Load(t.Context())
				dir.limit, dir.fault, dir.once = limit, full, true
				saved := d.Save(t.Context(), w)
				if dir.limit >= 0 {
					break // more steps than a save has
				}
				if saved.Err != nil {
					failures++
					if !errors.Is(saved.Err, full) {
						t.Fatalf("step %d: %v", limit, saved.Err)
					}
				}
				loaded := newDisk("dir", dir).Load(t.Context())
				if isNext := slices.Equal(loaded.Positions, positionsOf(next)); loaded.Err != nil ||
					!isNext && (saved.Err == nil || !slices.Equal(loaded.Positions, positionsOf(begin.old))) {
					t.Fatalf("step %d: found %v, error %v", limit, loaded.Positions, loaded.Err)
				}
				if saved := d.Save(t.Context(), w); saved.Err != nil {
					t.Fatalf("step %d: the next save: %v", limit, saved.Err)
				}
				for _, left := range dir.leftovers() {
					if loaded := newDisk("dir", left).Load(t.Context()); !slices.Equal(loaded.Positions, positionsOf(next)) {
						t.Fatalf("step %d: after a good save a crash left %v, error %v", limit, loaded.Positions, loaded.Err)
					}
				}
			}
			if failures < 5 {
				t.Errorf("only %d steps failed", failures)
			}
		})
	}
}

// TestUnchangedOffsetsAreNotWrittenAgain counts: an idle consumer leaves the disk alone once
// both files are the same, as Java's are after two writes.
func TestUnchangedOffsetsAreNotWrittenAgain(t *testing.T) {
	dir := newMemoryDir()
	d := newDisk("dir", dir)
	d.Load(t.Context())
	for seq := range uint64(5) {
		before := fmt.Sprintf("%p %p", dir.names[mainName], dir.names[bakName])
		if saved := d.Save(t.Context(), write(seq+1, at(0, 9))); saved.Err != nil {
			t.Fatal(saved.Err)
		}
		if after := fmt.Sprintf("%p %p", dir.names[mainName], dir.names[bakName]); (before == after) != (seq >= 2) {
			t.Errorf("save %d: written %v", seq+1, before != after)
		}
	}
}
