package remoting

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
)

// streamOf is the captured frames one after the other, as often as they come.
func streamOf(t testing.TB) (stream []byte, frames [][]byte) {
	t.Helper()
	for _, r := range rows(t, "captured.jsonl") {
		f := r.frame(t)
		frames = append(frames, f)
		stream = append(stream, f...)
	}
	return stream, frames
}

func readAll(t *testing.T, r io.Reader, l Limits) ([][]byte, error) {
	t.Helper()
	l = l.withDefaults()
	in := newFrameReader(r, &pool{}, &l)
	var got [][]byte
	for {
		b, err := in.next()
		if err != nil {
			return got, err
		}
		got = append(got, bytes.Clone(b.b))
		b.Release()
	}
}

func TestFramesArriveInAnyPieces(t *testing.T) {
	stream, frames := streamOf(t)
	readers := map[string]func(io.Reader) io.Reader{
		"one byte per read":        iotest.OneByteReader,
		"half of what is asked":    iotest.HalfReader,
		"the end with the last":    iotest.DataErrReader,
		"everything in one read":   func(r io.Reader) io.Reader { return r },
		"seven bytes of each read": func(r io.Reader) io.Reader { return &pieces{r, 7} },
	}
	for name, wrap := range readers {
		t.Run(name, func(t *testing.T) {
			got, err := readAll(t, wrap(bytes.NewReader(stream)), Limits{})
			if !errors.Is(err, io.EOF) || len(got) != len(frames) {
				t.Fatalf("%d of %d frames, then %v", len(got), len(frames), err)
			}
			for i := range frames {
				if !bytes.Equal(got[i], frames[i][4:]) {
					t.Fatalf("frame %d differs", i)
				}
			}
		})
	}
}

type pieces struct {
	r io.Reader
	n int
}

func (p *pieces) Read(b []byte) (int, error) { return p.r.Read(b[:min(len(b), p.n)]) }

func TestStreamThatEndsInsideAFrame(t *testing.T) {
	_, frames := streamOf(t)
	whole := frames[0]
	for cut := range whole {
		got, err := readAll(t, bytes.NewReader(append(bytes.Clone(whole), whole[:cut]...)), Limits{})
		want := io.ErrUnexpectedEOF
		if cut == 0 {
			want = io.EOF
		}
		if len(got) != 1 || !errors.Is(err, want) || cut > 0 && errors.Is(err, io.EOF) {
			t.Fatalf("cut at %d: %d frames, %v", cut, len(got), err)
		}
	}
}

func TestBadLengthsAreRefusedBeforeTheFrameIsRead(t *testing.T) {
	word := func(n uint32, rest ...byte) []byte { return append(binary.BigEndian.AppendUint32(nil, n), rest...) }
	tests := []struct {
		name, want string
		bytes      []byte
	}{
		{"length 0", "frame length 0", word(0)},
		{"length 3", "frame length 3", word(3)},
		{"length -1", "frame length -1", word(0xffffffff)},
		{"the smallest length", "frame length -2147483648", word(0x80000000)},
		{"the largest length", "frame length 2147483647", word(0x7fffffff)},
		{"one over the limit", "frame length 16777213", word(16777213)},
		{"an answer of a web server", "speaks HTTP", []byte("HTTP/1.1 400 Bad Request\r\n")},
		{"a TLS alert", "speaks TLS", []byte{0x15, 3, 1, 0, 2, 2, 70}},
		{"a header longer than its frame", "header of 97 bytes in a frame of 100", word(100, 0, 0, 0, 97)},
		{"a header over the limit", "Limits.HeaderBytes", word(1<<20, 0, 1, 0, 1)},
		{"an unknown header type", "unknown header type 2", word(100, 2, 0, 0, 0)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			// The reader fails the test when more is asked for than the first bytes.
			got, err := readAll(t, io.MultiReader(bytes.NewReader(tt.bytes), iotest.ErrReader(errors.New("read on"))), Limits{})
			if e := badFrame(t, err); len(got) > 0 || !strings.Contains(e.Error(), tt.want) {
				t.Errorf("error is %q, want %q in it", e, tt.want)
			}
		})
	}
}

// A length field is only a promise: 16 MiB are not allocated for a stream that brings 300 KiB.
func TestMemoryFollowsWhatArrives(t *testing.T) {
	head := binary.BigEndian.AppendUint32(nil, 16<<20-4)
	head = append(head, 0, 0, 0, 2, '{', '}')
	stream := append(head, make([]byte, 300<<10)...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := readAll(t, bytes.NewReader(stream), Limits{})
	runtime.ReadMemStats(&after)
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Fatal(err)
	}
	if grew := after.TotalAlloc - before.TotalAlloc; grew > 1<<20 {
		t.Errorf("%d bytes were allocated", grew)
	}
}

func TestBigFramesComeWhole(t *testing.T) {
	l := Limits{}.withDefaults()
	body := make([]byte, 3<<20+17)
	for i := range body {
		body[i] = byte(i >> 8)
	}
	one, err := AppendFrame(nil, &Command{Code: 1, Body: body}, l)
	if err != nil {
		t.Fatal(err)
	}
	p := &pool{}
	in := newFrameReader(bytes.NewReader(append(bytes.Clone(one), one...)), p, &l)
	for range 2 {
		b, err := in.next()
		if err != nil || !bytes.Equal(b.b, one[4:]) {
			t.Fatalf("%v, or the frame differs", err)
		}
		b.Release()
	}
}

func TestBufferReleasedTwicePanics(t *testing.T) {
	p := &pool{}
	b := p.get(100)
	b.Release()
	(*Buffer)(nil).Release()
	defer func() {
		if recover() == nil {
			t.Error("the second release went unnoticed")
		}
	}()
	b.Release()
}

func TestBufferClasses(t *testing.T) {
	p := &pool{}
	for _, n := range []int{0, 1, 511, 512, 513, 1024, 1025, 256 << 10, 16<<20 - 4, 16 << 20} {
		b := p.get(n)
		if len(b.b) != n || cap(b.b) < n || cap(b.b) >= 2*max(n, 512) {
			t.Errorf("for %d bytes: length %d, capacity %d", n, len(b.b), cap(b.b))
		}
		b.Release()
	}
}
