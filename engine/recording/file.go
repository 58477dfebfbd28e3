package recording

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math"

	"github.com/klauspost/compress/zstd"
)

// file writes a recording, block by block. One goroutine owns it.
type file struct {
	f    File
	path string
	enc  *zstd.Encoder

	header     []byte
	id         uint64
	start      int64 // where blocks begin
	at         int64 // where the next one goes
	marks      marks
	last       int64 // where the last one is
	checkpoint int64 // where the last one is that begins with a checkpoint
	written    trailer

	limit  int // raw bytes of a block
	hurry  bool
	plain  int    // so many more blocks are not packed
	raw    []byte // of the block that is being filled
	head   block
	number uint64 // of the next record
	latest int64
	chain  *Hasher
	out    []byte
}

// newFile makes a file and writes its header.
func newFile(disk FS, path string, h Header, o Options) (*file, error) {
	header, err := h.encode()
	if err != nil {
		return nil, err
	}
	if o.Replace {
		if err := disk.Clear(path); err != nil {
			return nil, err
		}
	}
	f, err := disk.Create(path)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%w: give another name, or ask to replace it", err)
	}
	if err != nil {
		return nil, err
	}
	w := &file{
		f: f, path: path, header: header, id: idOf(header), start: int64(len(header)), limit: o.BlockBytes,
		number: h.First, latest: math.MinInt64, chain: NewHasher(h.First),
	}
	w.written.next = h.First
	if !o.Uncompressed {
		w.enc, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
			zstd.WithEncoderCRC(false), zstd.WithWindowSize(1<<20), zstd.WithLowerEncoderMem(true))
	}
	if err == nil {
		err = w.write(header)
	}
	if err != nil {
		_ = f.Close()
		_ = disk.Remove(path)
		if failed, ok := errors.AsType[*DiskError](err); ok {
			err = fmt.Errorf("begin the recording %s: %w", path, failed.Err)
		}
		return nil, err
	}
	return w, nil
}

// write appends p to the file, all of it or nothing.
func (w *file) write(p []byte) error {
	n, err := w.f.WriteAt(p, w.at)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	if err != nil {
		_ = w.f.Truncate(w.at) // where it cannot, a reader sees that the end is cut
		return &DiskError{"write", w.path, err}
	}
	w.at += int64(len(p))
	return nil
}

// add takes a record in; whole is its prefix and payload.
func (w *file) add(i item, whole []byte) error {
	checkpoint := i.flags&flagCheckpoint != 0
	if w.head.records > 0 && (beginsSpan(i, w.number) || len(w.raw)+len(i.payload)+prefixLen > w.limit) {
		if err := w.flush(); err != nil {
			return err
		}
	}
	b := &w.head
	if b.records == 0 {
		*b = block{first: w.number, firstTime: i.at, lastTime: i.at, checkpoint: w.checkpoint}
		if checkpoint {
			b.flags |= blockCheckpoint
		}
	}
	if i.at < w.latest {
		b.flags |= blockTimeBack
	}
	w.raw = appendItem(w.raw, i, b.lastTime)
	b.lastTime, b.records = i.at, b.records+1
	w.latest = max(w.latest, i.at)
	w.number++
	w.chain.add(i, whole)
	if len(w.raw) >= w.limit || checkpoint && w.plain > 0 { // what is behind it is not to be packed with it
		return w.flush()
	}
	return nil
}

// jump says that records before the one with this number are missing.
func (w *file) jump(number uint64) error {
	if number == w.number {
		return nil
	}
	err := w.flush()
	w.number, w.chain.number = number, number
	return err
}

// flush writes the block that is being filled, if there is one.
func (w *file) flush() error {
	b := &w.head
	if b.records == 0 {
		return nil
	}
	w.out = w.out[:0]
	w.out = append(w.out, make([]byte, blockHeadLen)...)
	b.codec = codecRaw
	if w.packs(b) {
		if w.out = w.enc.EncodeAll(w.raw, w.out); len(w.out)-blockHeadLen < len(w.raw) {
			b.codec = codecZstd
		}
		if b.flags&blockCheckpoint == 0 && len(w.raw) < packedGain*(len(w.out)-blockHeadLen) {
			w.plain = packAgain
		}
	}
	if b.codec == codecRaw {
		w.out = append(w.out[:blockHeadLen], w.raw...)
	}
	b.at, b.id, b.latest, b.chain = w.at, w.id, w.latest, w.chain.Sum()
	b.raw, b.stored = uint32(len(w.raw)), uint32(len(w.out)-blockHeadLen)
	b.sum = crc32.Checksum(w.out[blockHeadLen:], castagnoli())
	b.put(w.out)
	if err := w.write(w.out); err != nil {
		return err
	}
	w.marks.add(b.at)
	w.last = b.at
	if b.flags&blockCheckpoint != 0 {
		w.checkpoint = b.at
	}
	w.written.last, w.written.next, w.written.chain = b.at, b.next(), b.chain
	w.raw, w.head = w.raw[:0], block{}
	return nil
}

// A block is packed if that makes it smaller so many times, or nobody has tried for so many blocks.
// What a busy consumer does takes few bytes, of which packing saves less than half, and costs as much
// time as all else of recording it. Checkpoints and messages become several times smaller.
const (
	packedGain = 2
	packAgain  = 32
)

// packs tells whether to pack a block.
func (w *file) packs(b *block) bool {
	switch {
	case w.enc == nil || w.hurry:
		return false
	case w.plain > 0 && b.flags&blockCheckpoint == 0:
		w.plain--
		return false
	}
	return true
}

// close writes index, header and trailer behind the last whole block and closes the file. What is not
// flushed is not in it.
func (w *file) close(why End, sync bool) error {
	t := w.written
	t.id, t.index, t.end = w.id, w.at, why
	out := append(appendIndex(w.out[:0], w.id, w.marks.offsets), w.header...)
	err := w.write(t.append(out))
	if err == nil && sync {
		if err = w.f.Sync(); err != nil {
			err = &DiskError{"sync", w.path, err}
		}
	}
	if closing := w.f.Close(); err == nil && closing != nil {
		err = &DiskError{"close", w.path, closing}
	}
	if w.enc != nil {
		_ = w.enc.Close()
	}
	return err
}
