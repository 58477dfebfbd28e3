package offset

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
)

// Names inside the directory of a group. Java's clients know the first two.
const (
	mainName = "offsets.json"
	bakName  = "offsets.json.bak"
	lockName = "offsets.json.lock"
	newName  = ".new" // behind the name of a file that is being written
)

// maxFileBytes is the size above which an offsets file is not read or written: 130,000 queues
// and more fit in.
const maxFileBytes = 32 << 20

// ErrUnreadable says that there are offsets, and that neither the file nor the previous
// generation of it can be read.
var ErrUnreadable = errors.New("offset file unreadable")

// ErrLocked says that another consumer holds the file.
var ErrLocked = errors.New("offset file in use")

// DiskConfig says where the file is: Dir/ClientID/Group/offsets.json.
type DiskConfig struct {
	// Dir is the directory of all offset files, made with mode 0700 when it is not there.
	// Java's clients have .rocketmq_offsets in the home directory
	// (rocketmq.client.localOffsetStoreDir).
	Dir      string
	ClientID string // as in heartbeats; DirName says how it becomes a name
	Group    string
	// Owner names the holder of the lock to a person whose consumer is refused, such as
	// "mqscope, process 4711".
	Owner string
}

// Disk reads and writes the file of a File. A crash at any point leaves either the old or the
// new offsets, whole, and what was there before is kept as offsets.json.bak. It is safe for
// use by several goroutines.
type Disk struct {
	path  string // of the directory, for people
	files files
	turn  chan struct{} // taken while one call is at the files; guards what follows

	known    generation // as last read or written
	seq      uint64     // of the newest Write done
	unsynced bool       // a rename may not have reached the disk
}

// generation is one version of the file. Its text is nil when there was no file.
type generation struct {
	table table
	text  []byte
}

func newDisk(path string, f files) *Disk {
	return &Disk{path: path, files: f, turn: make(chan struct{}, 1)}
}

// OpenDisk makes the directory and takes the lock; it reads nothing yet. The error is
// ErrLocked when another consumer has the file. Close lets it go, as does the end of the process.
func OpenDisk(cfg DiskConfig) (*Disk, error) {
	if cfg.Dir == "" || cfg.ClientID == "" || cfg.Group == "" {
		return nil, fmt.Errorf("offset file of group %q, client id %q in directory %q: none of the three may be empty",
			cfg.Group, cfg.ClientID, cfg.Dir)
	}
	client, group := DirName(cfg.ClientID), DirName(cfg.Group)
	path := filepath.Join(cfg.Dir, client, group)
	root, err := openDirs(cfg.Dir, client, group)
	if err != nil {
		return nil, fmt.Errorf("open offset directory %s: %w", path, err)
	}
	f := &rootFiles{root: root}
	if err := f.takeLock(cfg.Owner); err != nil {
		err = fmt.Errorf("lock %s: %w", filepath.Join(path, lockName), err)
		return nil, errors.Join(err, root.Close())
	}
	return newDisk(path, f), nil
}

// Path returns where the file is.
func (d *Disk) Path() string { return filepath.Join(d.path, mainName) }

// Close waits for a call that is at the files and lets go of the lock. The error is that of
// ctx when it ended before; the lock is then held on.
func (d *Disk) Close(ctx context.Context) error {
	if err := d.enter(ctx); err != nil {
		return fmt.Errorf("close %s: %w", d.Path(), err)
	}
	defer d.leave()
	return d.files.Close()
}

// enter takes the turn. Where nobody has it, it is had whatever ctx says: a consumer that is
// ended while it starts reads its file, and lets go of it, like any other.
func (d *Disk) enter(ctx context.Context) error {
	select {
	case d.turn <- struct{}{}:
		return nil
	default:
	}
	select {
	case d.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (d *Disk) leave() { <-d.turn }

// Load reads the file, or the previous generation when it is missing or damaged. No file at
// all is no error; Err is ErrUnreadable when there is one but its offsets can not be had.
func (d *Disk) Load(ctx context.Context) Loaded {
	if err := d.enter(ctx); err != nil {
		return Loaded{Err: fmt.Errorf("read %s: %w", d.Path(), err)}
	}
	defer d.leave()
	g, faults, err := d.load()
	if err != nil {
		return Loaded{Faults: faults, Err: err}
	}
	d.known = g
	e := Loaded{Faults: faults}
	for q, at := range g.table {
		e.Positions = append(e.Positions, Position{Queue: q, Offset: at})
	}
	slices.SortFunc(e.Positions, func(a, b Position) int { return a.Queue.Compare(b.Queue) })
	return e
}

// load finds the newest generation that is whole.
func (d *Disk) load() (g generation, faults []string, err error) {
	g, faults, err = d.read(mainName)
	missing := errors.Is(err, fs.ErrNotExist)
	if err == nil {
		return g, faults, nil
	}
	bak, bakFaults, bakErr := d.read(bakName)
	switch {
	case bakErr == nil:
		faults = append(bakFaults, fmt.Sprintf("%s: %v; the previous generation of the offsets is used", d.Path(), err))
		return bak, faults, nil
	case missing && errors.Is(bakErr, fs.ErrNotExist):
		return generation{table: table{}}, nil, nil
	}
	return generation{}, nil, fmt.Errorf("%w: %s: %w; its previous generation %s: %w. "+
		"Put a good copy there, or move both away to start as a new consumer does",
		ErrUnreadable, d.Path(), err, bakName, bakErr)
}

// read reads one file. The error is fs.ErrNotExist when it is not there.
func (d *Disk) read(name string) (g generation, faults []string, err error) {
	text, err := d.files.Read(name)
	if err != nil {
		return g, nil, err
	}
	if d.known.text != nil && bytes.Equal(text, d.known.text) {
		return d.known, nil, nil
	}
	t, dropped, err := parseTable(text)
	if err != nil {
		return g, nil, err
	}
	if dropped > 0 {
		faults = []string{fmt.Sprintf("%s: %d negative offsets are left out", filepath.Join(d.path, name), dropped)}
	}
	return generation{table: t, text: text}, faults, nil
}

// Save puts the positions of w over what the file has (Java: persistAll, persist). It does
// nothing when a later Write is done already. After an error the old file is still there and
// w may be saved again.
func (d *Disk) Save(ctx context.Context, w Write) Saved {
	if err := d.enter(ctx); err != nil {
		return Saved{Write: w, Err: fmt.Errorf("write %s: %w", d.Path(), err)}
	}
	defer d.leave()
	if w.Seq < d.seq {
		return Saved{Write: w}
	}
	old, faults, err := d.current()
	if err == nil {
		err = d.replace(old, w.Positions)
	}
	if err != nil {
		return Saved{Write: w, Faults: faults, Err: fmt.Errorf("write %s: %w", d.Path(), err)}
	}
	d.seq = w.Seq
	return Saved{Write: w, Faults: faults}
}

// current is what the next generation is built on: the file, since others may have written it,
// else what was last known of it. A damaged file never becomes the previous generation.
func (d *Disk) current() (g generation, faults []string, err error) {
	g, faults, err = d.read(mainName)
	if err == nil {
		return g, faults, nil
	}
	if d.known.table == nil {
		return d.load()
	}
	g = d.known
	if errors.Is(err, fs.ErrNotExist) && g.text == nil {
		return g, nil, nil
	}
	return g, []string{fmt.Sprintf("%s: %v; it is written anew", d.Path(), err)}, nil
}

// replace writes the next generation. When both files are as they should be, nothing is done.
func (d *Disk) replace(old generation, positions []Position) error {
	next := old
	if old.text == nil || !old.table.has(positions) {
		next.table = old.table.with(positions)
		next.text = next.table.render()
	}
	if len(next.text) > maxFileBytes {
		return fmt.Errorf("%d bytes for %d queues are more than the %d allowed",
			len(next.text), len(next.table), maxFileBytes)
	}
	if old.text != nil {
		if err := d.put(bakName, old.text); err != nil {
			return err
		}
	}
	if err := d.put(mainName, next.text); err != nil {
		return err
	}
	d.known = next
	if !d.unsynced {
		return nil
	}
	if err := d.files.Sync(); err != nil {
		return fmt.Errorf("sync the directory: %w", err)
	}
	d.unsynced = false
	return nil
}

// put makes a file have this text at one stroke, unless it has it.
func (d *Disk) put(name string, text []byte) error {
	if there, err := d.files.Read(name); err == nil && bytes.Equal(there, text) {
		return nil
	}
	if err := d.files.Remove(name + newName); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := d.write(name+newName, text); err != nil {
		return err
	}
	d.unsynced = true
	return d.files.Rename(name+newName, name)
}

// write makes a new file and brings it to the disk.
func (d *Disk) write(name string, text []byte) error {
	f, err := d.files.Create(name)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
