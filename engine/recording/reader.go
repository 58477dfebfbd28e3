package recording

import (
	"fmt"
	"hash/crc32"
	"io"
	"time"

	"github.com/klauspost/compress/zstd"
)

// Reader reads a recording, from wherever it is sought to. It holds one block at a time, so its
// memory does not grow with the file. One goroutine owns it.
type Reader struct {
	src    io.ReaderAt
	size   int64
	closer io.Closer
	dec    *zstd.Decoder

	header  Header
	id      uint64 // of the file; 0 with salvage, until there is a block
	start   int64  // where blocks begin
	end     int64  // where the last whole one ends
	marks   []int64
	indexed bool // marks are the file's own: not proved yet
	last    block
	why     End
	cut     *Damage
	bad     *Damage // the header
	skip    bool
	wasted  int64 // bytes read for blocks that were no good

	head             [blockHeadLen]byte
	window           []byte // of find
	stored, unpacked []byte

	pos   int64  // where the next block is to be
	want  uint64 // number of the record that comes next
	after int64  // time of the one before, if seen
	seen  bool
	cur   block
	rest  []byte // of cur, not handed out yet
	at    int64  // time of the record before in cur
	left  uint32 // records of cur not handed out yet
	gap   *Damage
}

// Entry is a record of a file.
type Entry struct {
	Record         // its payload is good until the next call
	Number uint64  // counts from Header.First
	Gap    *Damage // what is missing in front of it
}

// Info is what a Reader knows of a file without reading all of it.
type Info struct {
	Next  uint64    // number of the first record behind the last
	Bytes int64     // of the file
	End   End       // why it ends; Unknown when it was not closed
	Cut   *Damage   // what is behind the last whole block
	Head  *Damage   // the header, of which the copy was read
	Begin time.Time // of the first record, zero when there is none
	Last  time.Time // of the last one
	Chain Chain     // of the records up to that
}

// readAt fills p; what the file does not have is an error.
func (r *Reader) readAt(p []byte, at int64) error {
	n, err := r.src.ReadAt(p, at)
	if n == len(p) {
		return nil
	}
	if err == nil || err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("read %d bytes at %d: %w", len(p), at, err)
}

// blockAt reads the head of the block at that offset, which is of this file and whole.
func (r *Reader) blockAt(at, end int64) (block, error) {
	if at > end-blockHeadLen {
		return block{}, errBlockCut
	}
	if err := r.readAt(r.head[:], at); err != nil {
		return block{}, err
	}
	return r.ours(r.head[:], at, end)
}

func (r *Reader) ours(head []byte, at, end int64) (block, error) {
	b, err := decodeBlock(head)
	if err != nil {
		return block{}, err
	}
	b.at = at
	switch {
	case r.id != 0 && b.id != r.id:
		return block{}, errNoBlock
	case b.end() > end:
		return block{}, errBlockCut
	}
	return b, nil
}

// load reads the records of a block; they are in r.unpacked then, all of them well formed.
func (r *Reader) load(b *block) error {
	r.stored = sizedTo(r.stored, int(b.stored))
	if err := r.readAt(r.stored, b.at+blockHeadLen); err != nil {
		return err
	}
	if crc32.Checksum(r.stored, castagnoli()) != b.sum {
		return errBlockSum
	}
	if b.codec == codecRaw {
		r.stored, r.unpacked = r.unpacked, r.stored
		return b.check(r.unpacked)
	}
	out, err := r.dec.DecodeAll(r.stored, sizedTo(r.unpacked, int(b.raw))[:0])
	if err != nil {
		return fmt.Errorf("%w: %w", errBlockBody, err)
	}
	r.unpacked = out
	return b.check(out)
}

// sizedTo returns a slice of n bytes, buf's own if it has room.
func sizedTo(buf []byte, n int) []byte {
	if cap(buf) < n {
		return make([]byte, n)
	}
	return buf[:n]
}

// Header is what the recording says of itself.
func (r *Reader) Header() Header { return r.header }

// Info is what is known of the file.
func (r *Reader) Info() Info {
	i := Info{Next: r.header.First, Bytes: r.size, End: r.why, Cut: r.cut, Head: r.bad}
	if r.last.records > 0 {
		i.Next, i.Last, i.Chain = r.last.next(), timeOf(r.last.lastTime), r.last.chain
	}
	if b, ok := r.blockBehind(&block{}, r.start, r.end, 0); ok {
		i.Begin = timeOf(b.firstTime)
	}
	return i
}

// Damage is what is known to be wrong of the file, nil while nothing is.
func (i Info) Damage() *Damage {
	if i.Cut != nil {
		return i.Cut
	}
	return i.Head
}

// SkipDamage has Next go on behind damage, at the next whole block: the entry there has a Gap.
func (r *Reader) SkipDamage(on bool) { r.skip = on }

// Close closes the file that Open opened.
func (r *Reader) Close() error {
	r.dec.Close()
	if r.closer == nil {
		return nil
	}
	return r.closer.Close()
}
