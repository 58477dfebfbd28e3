package recording

import (
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// Open opens the recording at path.
func Open(path string) (*Reader, error) { return openWith(Disk{}, path, NewReader) }

// Salvage opens a recording whose header is damaged, and has no copy: Header is empty then.
func Salvage(path string) (*Reader, error) { return openWith(Disk{}, path, NewSalvage) }

func openWith(disk FS, path string, with func(io.ReaderAt, int64) (*Reader, error)) (*Reader, error) {
	f, err := disk.Open(path)
	if wrong, ok := errors.AsType[*NotRecordingError](err); ok {
		return nil, &FileError{path, wrong}
	}
	if err != nil {
		return nil, err
	}
	size, err := f.Size()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	r, err := with(f, size)
	if err != nil {
		_ = f.Close()
		return nil, &FileError{path, err}
	}
	r.closer = f
	return r, nil
}

func newReader(src io.ReaderAt, size int64) (*Reader, error) {
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(maxRaw), zstd.WithDecoderMaxWindow(maxRaw))
	if err != nil {
		return nil, fmt.Errorf("zstd: %w", err)
	}
	return &Reader{src: src, size: size, dec: dec}, nil
}

// NewReader reads a recording of size bytes. It stands at the first record.
func NewReader(src io.ReaderAt, size int64) (*Reader, error) {
	r, err := newReader(src, size)
	if err != nil {
		return nil, err
	}
	if err := r.readHeader(); err != nil && !r.readCopy() {
		return nil, err
	}
	r.open()
	return r, nil
}

// readCopy takes the copy of the header at the end of a file that was closed, in place of the
// header that could not be read.
func (r *Reader) readCopy() bool {
	t, tail, ok := r.readTail()
	if !ok {
		return false
	}
	whole := headerBehind(tail)
	if len(whole) < headLen || idOf(whole) != t.id {
		return false
	}
	if n, err := bodyLen(whole); err != nil || n != len(whole)-headLen {
		return false
	}
	h, err := decodeHeader(whole)
	if err != nil {
		return false
	}
	r.header, r.id, r.start = h, t.id, int64(len(whole))
	r.bad = &Damage{Bytes: r.start, Record: h.First, Reason: "the header, of which the copy at the end was read"}
	return true
}

// NewSalvage is NewReader for a file whose header is damaged, and the copy at its end too, or that was
// not closed and has none. The first whole block says which file it is.
func NewSalvage(src io.ReaderAt, size int64) (*Reader, error) {
	r, err := newReader(src, size)
	if err != nil {
		return nil, err
	}
	err = r.readHeader()
	if _, newer := errors.AsType[*VersionError](err); newer {
		return nil, err
	}
	if err != nil && !r.readCopy() {
		b, ok := r.find(0, 0, size)
		if !ok {
			return nil, fmt.Errorf("no block of a recording is in it: %w", err)
		}
		r.header, r.id, r.start = Header{First: b.first}, b.id, b.at
	}
	r.open()
	return r, nil
}

func (r *Reader) open() {
	if !r.openIndex() {
		r.rebuild()
	}
	r.rewind()
}

func (r *Reader) readHeader() error {
	head := make([]byte, min(headLen, r.size))
	if err := r.readAt(head, 0); err != nil {
		return err
	}
	if len(head) < headLen {
		if len(head) >= len(magic) && string(head[:len(magic)]) != magic {
			return notOurs(head)
		}
		return &EmptyError{r.size}
	}
	n, err := bodyLen(head)
	if err != nil {
		return err
	}
	if int64(headLen+n) > r.size {
		return &EmptyError{r.size}
	}
	whole := append(head, make([]byte, n)...)
	if err := r.readAt(whole[headLen:], headLen); err != nil {
		return err
	}
	h, err := decodeHeader(whole)
	if err != nil {
		return err
	}
	r.header, r.id, r.start = h, idOf(whole), int64(len(whole))
	return nil
}
