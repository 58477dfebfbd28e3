package pack

import (
	"bytes"
	"strings"
	"testing"
)

// FuzzDecode: any bytes are refused or are a value, which comes back from its bytes.
func FuzzDecode(f *testing.F) {
	c := codec()
	f.Add(c.Append(nil, full()))
	f.Add(c.Append(nil, &rich{}))
	f.Add([]byte{})
	f.Add(bytes.Repeat([]byte{0xff}, 100))
	f.Fuzz(func(t *testing.T, src []byte) {
		var one rich
		if _, err := c.Decode(src, &one); err != nil {
			return
		}
		again := c.Append(nil, &one)
		keep := func(*Leaf) ([]byte, Verdict) { return nil, Keep }
		if same, rest, err := c.Rewrite(nil, again, "engine/internal/pack.rich", keep); err != nil || len(rest) > 0 || !bytes.Equal(same, again) {
			t.Fatalf("rewritten: %v", err)
		}
		var two rich
		if rest, err := c.Decode(again, &two); err != nil || len(rest) > 0 {
			t.Fatalf("%v, %d left", err, len(rest))
		}
		if !bytes.Equal(again, c.Append(nil, &two)) {
			t.Fatal("another value")
		}
	})
}

// FuzzAdapt: any description is refused or decodes any bytes without a panic.
func FuzzAdapt(f *testing.F) {
	c := codec()
	text := c.Describe(rich{})
	src := c.Append(nil, full())
	f.Add(text, src)
	f.Add(strings.ReplaceAll(text, " s:", " S:"), src)
	f.Add(strings.ReplaceAll(text, " root:", " tree:"), src)
	f.Add("pack 1\nt struct \"a\" b:0\n", src)
	f.Add("pack 1\nt array 1000000000000 1\nt array 1000000000000 0\nr \"engine/internal/pack.rich\" 1\n", src)
	f.Fuzz(func(t *testing.T, text string, src []byte) {
		a, err := c.Adapt(text)
		if err != nil {
			return
		}
		var r rich
		_, _ = a.Decode(src, &r)
		var v any
		_, _ = a.Decode(src, &v)
		drop := func(*Leaf) ([]byte, Verdict) { return nil, Drop }
		for _, root := range []string{"", "engine/internal/pack.rich"} {
			if out, _, err := a.Rewrite(nil, src, root, drop); err == nil {
				if _, rest, err := a.Rewrite(nil, out, root, drop); err != nil || len(rest) > 0 {
					t.Fatalf("what was rewritten can not be again: %v", err)
				}
			}
		}
	})
}
