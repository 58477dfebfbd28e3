package protocol

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// vectors reads one file of what Java computes, a value a line.
func vectors[T any](t testing.TB, name string) []T {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "testdata", "vectors", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var r io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	var out []T
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var v T
		d := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		d.UseNumber()
		if err := d.Decode(&v); err != nil {
			t.Fatalf("%s: line %d: %v", name, len(out)+1, err)
		}
		out = append(out, v)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if len(out) == 0 {
		t.Fatalf("%s is empty", name)
	}
	return out
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// javaError is what a Java call threw.
type javaError struct{ Class, Message string }

// javaBytes is how the vectors say what bytes are.
type javaBytes struct {
	Length int
	SHA256 string
}

// javaBytesOf describes b in that way. Java reads an empty body as null.
func javaBytesOf(b []byte) *javaBytes {
	sum := sha256.Sum256(b)
	return &javaBytes{len(b), hex.EncodeToString(sum[:])}
}

// recordPart is a piece of a record that was too long to write out.
type recordPart struct {
	Hex    string
	Noise  string
	Length int
	Repeat string
	Times  int
}

func (p recordPart) bytes(t testing.TB) []byte {
	t.Helper()
	switch {
	case p.Noise != "":
		return noise(p.Noise, p.Length)
	case p.Repeat != "":
		return bytes.Repeat(unhex(t, p.Repeat), p.Times)
	}
	return unhex(t, p.Hex)
}

// noise is the pseudo-random bytes that the vectors use.
func noise(seed string, length int) []byte {
	var out []byte
	for i := 0; len(out) < length; i++ {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s:%d", seed, i))
		out = append(out, sum[:]...)
	}
	return out[:length]
}
