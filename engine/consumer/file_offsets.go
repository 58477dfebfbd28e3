package consumer

import (
	"context"
	"time"

	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/offset"
	"mqscope/engine/rebalance"
)

// saveWithin bounds one write of the offsets file: a disk that hangs holds up no other.
const saveWithin = 10 * time.Second

// diskLane is the lane of calls to the disk.
const diskLane = "disk of offsets"

// fileOffsets is the edge of a broadcasting consumer's offsets: the store in memory is fed by
// and written to a file (Java: LocalFileOffsetStore).
type fileOffsets struct {
	store *offset.File
	disk  *offset.Disk
}

// openFileOffsets reads the file. Its error says which file can not be read or is held by
// another process, and what to do: the consumer must not start at 0 instead.
func openFileOffsets(ctx context.Context, cfg *Config) (*fileOffsets, offset.Loaded, error) {
	disk, err := offset.OpenDisk(offset.DiskConfig{Dir: cfg.OffsetsDir, ClientID: cfg.ClientID, Group: cfg.Group})
	if err != nil {
		return nil, offset.Loaded{}, err
	}
	loaded := disk.Load(ctx)
	if loaded.Err != nil {
		_ = disk.Close(ctx) // the failure to read it is what counts
		return nil, loaded, loaded.Err
	}
	return &fileOffsets{store: offset.NewFile(), disk: disk}, loaded, nil
}

// openOffsets gives a broadcasting consumer its file.
func (l *loop) openOffsets(ctx context.Context) error {
	if l.cfg.Model != mq.Broadcasting {
		return nil
	}
	f, loaded, err := openFileOffsets(ctx, l.cfg)
	if err != nil {
		return err
	}
	l.file, l.offsets = f, f.store
	l.offsetStep(l.clock.Now(), loaded)
	return nil
}

// read answers a question for a committed offset.
func (f *fileOffsets) read(a rebalance.ReadOffset) event.OffsetRead {
	e := event.OffsetRead{Queue: a.Queue, Epoch: a.Epoch, Source: a.Source}
	e.Offset, e.Found, e.Err = f.store.Stored(a.Queue)
	return e
}

// write brings offsets to the disk, off the loop.
func (f *fileOffsets) write(m *membership, w offset.Write) {
	m.calls.do(diskLane, func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, saveWithin)
		defer cancel()
		m.inbox.post(f.disk.Save(ctx, w))
	})
}

// saved notes what a write has brought to the file.
func (l *loop) saved(now time.Time, e offset.Saved) {
	l.offsetStep(now, e)
	for _, p := range e.Write.Positions {
		l.offsetSent(now, event.OffsetSent{Queue: p.Queue, Offset: p.Offset, Err: e.Err})
	}
}

// flush writes what is known now and waits for it: the last act on offsets at a shutdown.
func (f *fileOffsets) flush(ctx context.Context, l *loop, owned []mq.MessageQueue) {
	now := l.clock.Now()
	for _, a := range l.offsets.Step(now, offset.PersistDue{Owned: owned}) {
		if w, ok := a.(offset.Write); ok {
			l.saved(now, f.disk.Save(ctx, w))
		}
	}
	l.closeOffsets(ctx)
}

// closeOffsets lets another process have the file.
func (l *loop) closeOffsets(ctx context.Context) {
	if l.file == nil {
		return
	}
	if err := l.file.disk.Close(ctx); err != nil {
		l.note(l.clock.Now(), event.Warn, "offset", l.file.disk.Path(), "close: "+err.Error())
	}
}
