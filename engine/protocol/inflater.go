// Contract: decompresses message bodies: ZLIB (also type 0, which old producers write), LZ4
// frames and zstd. Output is capped in bytes and in proportion to the input, streams that end
// early and unknown types are errors, and compressed bytes are never passed off as a body.
// Bytes behind the end of a ZLIB stream are ignored, as in Java.

package protocol

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"mqscope/engine/mq"
)

// Compression types in bits 8 to 10 of a message's sysFlag (Java: CompressionType).
const (
	CompressionOld int32 = iota // ZLIB, from producers that know no other
	CompressionLZ4
	CompressionZSTD
	CompressionZLIB
)

// Inflater decompresses bodies. Its zero value is ready, it may be used by many goroutines,
// and it must not be copied.
type Inflater struct {
	// MaxBytes is the largest body that comes out: 16 MiB when zero.
	MaxBytes int
	// MaxRatio is how many times larger than its compressed form a body may be: 200 when
	// zero. Bodies up to 64 KiB may always come out.
	MaxRatio int
	// MaxBatchBytes is the most that the bodies of one batch may come to: 128 MiB when zero.
	MaxBatchBytes int

	zlibs, lz4s, zstds, scratch sync.Pool
}

const (
	defaultInflateBytes = 16 << 20
	defaultInflateRatio = 200
	defaultBatchBytes   = 128 << 20
	freeInflateBytes    = 64 << 10 // no ratio below this
)

// InflateBatch decompresses the bodies of b that are compressed: the message then shows the
// plain body, or the reason why it can not be read. Bodies that are not compressed cost
// nothing.
func (f *Inflater) InflateBatch(b *mq.Batch) {
	left := f.MaxBatchBytes
	if left <= 0 {
		left = defaultBatchBytes
	}
	for i := range b.Records {
		if b.Records[i].SysFlag&mq.CompressedFlag == 0 || b.Records[i].BodyLen == 0 {
			continue
		}
		body, err := f.inflate(b.Records[i].SysFlag, b.At(i).StoredBody(), min(left, f.limit()))
		if err != nil {
			b.SetBodyError(i, err)
			continue
		}
		left -= len(body)
		b.SetBody(i, body)
	}
}

// Inflate decompresses src by the compression type in sysFlag. The result is never nil with
// a nil error. Errors wrap ErrUnknownCodec, ErrTooLarge or ErrCorrupt.
func (f *Inflater) Inflate(sysFlag int32, src []byte) ([]byte, error) {
	return f.inflate(sysFlag, src, f.limit())
}

func (f *Inflater) inflate(sysFlag int32, src []byte, limit int) ([]byte, error) {
	if len(src) == 0 {
		return nil, corrupt("", io.ErrUnexpectedEOF)
	}
	codec := (sysFlag & mq.CompressionTypeMask) >> mq.CompressionTypeShift
	switch codec {
	case CompressionOld, CompressionZLIB:
		return f.inflateZLIB(src, limit)
	case CompressionLZ4:
		return f.inflateLZ4(src, limit)
	case CompressionZSTD:
		return f.inflateZSTD(src, limit)
	}
	return nil, fmt.Errorf("%w %d", ErrUnknownCodec, codec)
}

func (f *Inflater) inflateZLIB(src []byte, limit int) ([]byte, error) {
	in := bytes.NewReader(src)
	r, ok := f.zlibs.Get().(io.ReadCloser)
	var err error
	if ok {
		err = r.(zlib.Resetter).Reset(in, nil)
	} else {
		r, err = zlib.NewReader(in)
	}
	if err != nil {
		return nil, corrupt("ZLIB", err)
	}
	out, err := f.read(r, len(src), limit)
	f.zlibs.Put(r)
	return out, named("ZLIB", err)
}

func (f *Inflater) inflateLZ4(src []byte, limit int) ([]byte, error) {
	r, ok := f.lz4s.Get().(*lz4.Reader)
	if !ok {
		r = lz4.NewReader(nil)
	}
	r.Reset(bytes.NewReader(src))
	out, err := f.read(r, len(src), limit)
	r.Reset(bytes.NewReader(nil)) // do not hold on to src
	f.lz4s.Put(r)
	return out, named("LZ4", err)
}

func (f *Inflater) inflateZSTD(src []byte, limit int) ([]byte, error) {
	r, ok := f.zstds.Get().(*zstd.Decoder)
	if !ok {
		var err error
		// One goroutine: the reader decodes where it is called and needs no closing.
		r, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(uint64(windowFor(f.limit()))))
		if err != nil {
			return nil, fmt.Errorf("set up zstd: %w", err)
		}
	}
	if err := r.Reset(bytes.NewReader(src)); err != nil {
		return nil, corrupt("zstd", err)
	}
	out, err := f.read(r, len(src), limit)
	if r.Reset(nil) == nil { // do not hold on to src
		f.zstds.Put(r)
	}
	return out, named("zstd", err)
}

// windowFor is the largest zstd window that a body of limit bytes can need.
func windowFor(limit int) int {
	const least = 8 << 20 // what the format asks every decoder to support
	return max(limit, least)
}

func (f *Inflater) limit() int {
	if f.MaxBytes > 0 {
		return f.MaxBytes
	}
	return defaultInflateBytes
}

// read takes all of r, at most limit bytes and the ratio for an input of n bytes.
func (f *Inflater) read(r io.Reader, n, limit int) ([]byte, error) {
	ratio := f.MaxRatio
	if ratio <= 0 {
		ratio = defaultInflateRatio
	}
	limit = min(limit, max(n*ratio, freeInflateBytes))

	buf, ok := f.scratch.Get().(*[]byte)
	if !ok {
		buf = new([]byte)
		*buf = make([]byte, 0, freeInflateBytes)
	}
	defer f.scratch.Put(buf)
	out := (*buf)[:0]
	for empty := 0; ; {
		if len(out) == cap(out) {
			out = append(out, 0)[:len(out)]
		}
		// One byte more than allowed tells "full" from "too large".
		room := out[len(out):min(cap(out), limit+1)]
		k, err := r.Read(room)
		out = out[:len(out)+k]
		if len(out) > limit {
			*buf = out
			return nil, fmt.Errorf("%w: over %d bytes out of %d", ErrTooLarge, limit, n)
		}
		if errors.Is(err, io.EOF) {
			*buf = out
			plain := make([]byte, len(out))
			copy(plain, out)
			return plain, nil
		}
		if err != nil {
			*buf = out
			return nil, corrupt("", err)
		}
		if k > 0 {
			empty = 0
		} else if empty++; empty > 100 {
			return nil, corrupt("", io.ErrNoProgress)
		}
	}
}

func corrupt(codec string, err error) error {
	if codec == "" {
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return fmt.Errorf("%s: %w: %w", codec, ErrCorrupt, err)
}

func named(codec string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", codec, err)
}
