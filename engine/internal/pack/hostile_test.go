package pack

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

func TestEveryCutIsAnError(t *testing.T) {
	c := codec()
	a, err := c.Adapt(strings.NewReplacer(" s:", " S:", " root:", " tree:", " deep:", " DEEP:", " err:", " ERR:").Replace(c.Describe(rich{})))
	if err != nil {
		t.Fatal(err)
	}
	src := c.Append(nil, full())
	for n := range src {
		for _, c := range []*Codec{c, a} {
			var got rich
			if _, err := c.Decode(src[:n:n], &got); err == nil {
				t.Errorf("cut at %d of %d: no error", n, len(src))
			}
		}
	}
	var got rich
	if rest, err := a.Decode(src, &got); err != nil || len(rest) > 0 {
		t.Errorf("%v, %d left", err, len(rest))
	}
	if got.byName["n"] == nil || got.byName["n"].left != got.byName["n"] {
		t.Error("what was in a field that is not there any more is gone")
	}
}

func TestEveryFlippedBitIsSurvived(t *testing.T) {
	c := codec()
	src := c.Append(nil, full())
	for n := range src {
		for bit := range 8 {
			changed := append([]byte(nil), src...)
			changed[n] ^= 1 << bit
			var got rich
			_, _ = c.Decode(changed, &got)
		}
	}
}

// allocated is how many bytes f makes room for.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestClaimsTakeNoMemory(t *testing.T) {
	type wide struct{ A [1000]string }
	claim := binary.AppendUvarint(nil, 1<<40)
	c := New()
	for _, v := range []any{
		new(string), new([]byte), new([]int), new([]struct{}), new(map[string]int), new(map[string]struct{}),
		new([]wide), new([][0]int), new([]string), new(map[int8][]wide),
	} {
		var err error
		n := allocated(func() { _, err = c.Decode(claim, v) })
		if err == nil || n > 1<<20 {
			t.Errorf("%T: %v, %d bytes", v, err, n)
		}
	}
	many := append(binary.AppendUvarint(nil, 100_001), make([]byte, 100_000)...)
	type large struct {
		A bool
		B [10_000]byte `pack:"-"`
	}
	for _, v := range []any{new([]large), new([]map[string]large), new(map[bool]large)} {
		var err error
		n := allocated(func() { _, err = c.Decode(many, v) })
		if n > 64<<20 {
			t.Errorf("%T: %v, %d bytes", v, err, n)
		}
	}
}

func TestDepthIsBounded(t *testing.T) {
	c := codec()
	deep := []byte{}
	for range 1_000_000 {
		deep = append(deep, 0, 1) // no name, left is a new one
	}
	if _, err := c.Decode(deep, new(node)); err == nil || !strings.Contains(err.Error(), "deep") {
		t.Error(err)
	}
	for _, fill := range [][]byte{{5, 1}, {2, 0}, {3, 0, 1}} {
		deep := []byte{1}
		for range 1_000_000 {
			deep = append(deep, fill...)
		}
		var v any
		if _, err := c.Decode(deep, &v); err == nil {
			t.Errorf("%v is no error", fill)
		}
	}
	top := &node{}
	for n, at := 0, top; n < 2*maxDepth; n++ {
		at.left = &node{}
		at = at.left
	}
	defer func() {
		if err, _ := recover().(*Error); err == nil || !strings.Contains(err.Error(), "deep") {
			t.Errorf("panic %v", err)
		}
	}()
	c.Append(nil, top)
}

func TestDescriptionsThatExplode(t *testing.T) {
	var b strings.Builder
	b.WriteString("pack 1\nr \"engine/internal/pack.rich\" 0\n")
	const levels = 150
	for n := range levels {
		fmt.Fprintf(&b, "t struct \"x\" one:%d two:%d\n", n+1, n+1)
	}
	empty := b.String() + "t struct \"end\"\n"
	byte1 := b.String() + "t int\n"
	for _, text := range []string{empty, byte1} {
		a, err := New().Adapt(text)
		if err != nil {
			t.Fatal(err)
		}
		var got rich
		_, _ = a.Decode(make([]byte, 1000), &got)
		_, _, _ = a.Rewrite(nil, make([]byte, 1000), "engine/internal/pack.rich", func(*Leaf) ([]byte, Verdict) { return nil, Keep })
	}
	for n := range 9000 {
		fmt.Fprintf(&b, "t pointer %d\n", n)
	}
	if _, err := New().Adapt(b.String()); err == nil {
		t.Error("too many types")
	}
}
