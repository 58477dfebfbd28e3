package consumer

import (
	"context"
	"time"

	"mqscope/engine/clock"
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
func openFileOffsets(ctx context.Context, cfg offset.DiskConfig) (*fileOffsets, offset.Loaded, error) {
	disk, err := offset.OpenDisk(cfg)
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
	return l.useFile(ctx, l.cfg.OffsetsDir)
}

// useFile keeps the offsets in a file under dir.
func (m *membership) useFile(ctx context.Context, dir string) error {
	f, loaded, err := openFileOffsets(ctx, offset.DiskConfig{Dir: dir, ClientID: m.clientID, Group: m.group})
	if err != nil {
		return err
	}
	m.file, m.offsets = f, f.store
	m.offsets.Record(m.decisions)
	m.offsetStep(m.clock.Now(), loaded)
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
	m.call(diskLane, func(ctx context.Context) {
		ctx, cancel := clock.WithTimeout(ctx, m.clock, saveWithin)
		defer cancel()
		m.inbox.post(f.disk.Save(ctx, w))
	})
}

// saved notes what a write has brought to the file.
func (m *membership) saved(now time.Time, e offset.Saved) {
	m.offsetStep(now, e)
	for _, p := range e.Write.Positions {
		m.kind.offsetSent(now, event.OffsetSent{Queue: p.Queue, Offset: p.Offset, Err: e.Err})
	}
}

// flush writes what is known now and waits for it: the last act on offsets at a shutdown.
func (f *fileOffsets) flush(ctx context.Context, m *membership, owned []mq.MessageQueue) {
	now := m.clock.Now()
	for _, a := range m.offsets.Step(now, offset.PersistDue{Owned: owned}) {
		if w, ok := a.(offset.Write); ok {
			m.saved(now, f.disk.Save(ctx, w))
		}
	}
	m.closeOffsets(ctx)
}

// closeOffsets lets another process have the file.
func (m *membership) closeOffsets(ctx context.Context) {
	if m.file == nil {
		return
	}
	if err := m.file.disk.Close(ctx); err != nil {
		m.note(m.clock.Now(), event.Warn, "offset", m.file.disk.Path(), "close: "+err.Error())
	}
}
