package remoting

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

const (
	// readAhead is the buffer of a connection: small frames cost no read of their own.
	readAhead = 16 << 10
	// trustedBytes is how much is allocated on the word of a length field alone. Above it
	// a buffer grows with what has arrived, unless the connection has had frames as big.
	trustedBytes = 256 << 10
)

// frameReader cuts a byte stream into frames.
type frameReader struct {
	in     *bufio.Reader
	pool   *pool
	limits *Limits
	trust  int
	frames int64
	bytes  int64
}

func newFrameReader(r io.Reader, p *pool, l *Limits) *frameReader {
	return &frameReader{in: bufio.NewReaderSize(r, readAhead), pool: p, limits: l, trust: trustedBytes}
}

// next returns the next frame without its length. The error is io.EOF between frames.
func (f *frameReader) next() (*Buffer, error) {
	head, err := f.in.Peek(4)
	if err != nil {
		return nil, f.short(len(head), err)
	}
	n := int(int32(binary.BigEndian.Uint32(head)))
	if n < envelope || n > f.limits.FrameBytes-4 {
		return nil, badf(-1, "frame length %d is not between %d and %d%s", n, envelope, f.limits.FrameBytes-4, hint(head, f.frames))
	}
	if head, err = f.in.Peek(8); err != nil {
		return nil, f.short(len(head), err)
	}
	if err := checkEnvelope(binary.BigEndian.Uint32(head[4:]), n, f.limits); err != nil {
		return nil, err
	}
	if _, err := f.in.Discard(4); err != nil {
		return nil, err
	}
	b := f.pool.get(min(n, f.trust))
	for read := 0; ; {
		m, err := io.ReadFull(f.in, b.b[read:])
		if read += m; err != nil {
			b.Release()
			return nil, f.short(4+read, err)
		}
		if read == n {
			break
		}
		b = f.pool.grow(b, min(n, 2*read))
	}
	f.trust = max(f.trust, n)
	f.frames++
	f.bytes += int64(4 + n)
	return b, nil
}

// short turns the end of the stream inside a frame into an error that says so.
func (f *frameReader) short(got int, err error) error {
	if got == 0 || !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	return fmt.Errorf("the stream ends %d bytes into a frame: %w", got, io.ErrUnexpectedEOF)
}

// hint guesses from the first bytes of a connection whom it leads to.
func hint(head []byte, frames int64) string {
	switch {
	case frames > 0:
		return ""
	case string(head) == "HTTP" || string(head) == "GET " || string(head) == "POST":
		return ": the other side speaks HTTP, is this the right port?"
	case (head[0] == 0x15 || head[0] == 0x16) && head[1] == 3:
		return ": the other side speaks TLS, switch it on or off on both"
	default:
		return ": is this a RocketMQ port, and is TLS missing?"
	}
}
