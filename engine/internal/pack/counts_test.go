package pack

import (
	"encoding/binary"
	"testing"
)

type counted struct {
	Buckets [9]uint32
	After   string
}

func TestArraysOfCountsComeBack(t *testing.T) {
	c := New()
	for _, in := range []counted{{}, {[9]uint32{0, 1, 127, 128, 1<<32 - 1, 0, 300, 0, 5}, "x"}, {[9]uint32{8: 1 << 20}, ""}} {
		all := c.Append(nil, &in)
		var out counted
		if rest, err := c.Decode(all, &out); err != nil || len(rest) > 0 || out != in {
			t.Errorf("%v came back as %v, %d bytes are left: %v", in, out, len(rest), err)
		}
		for n := range all {
			if _, err := c.Decode(all[:n], &out); err == nil {
				t.Errorf("%v is whole after %d of %d bytes", in, n, len(all))
			}
		}
	}
	large := append(binary.AppendUvarint([]byte{0, 0, 0}, 1<<32), 0, 0, 0, 0, 0, 0)
	if _, err := c.Decode(large, new(counted)); err == nil {
		t.Error("a count of more than 32 bits was taken")
	}
}
