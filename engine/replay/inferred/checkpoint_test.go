package inferred

import (
	"bytes"
	"encoding/binary"
	"testing"

	"mqscope/engine/replay"
)

// TestACheckpointIsReadInHalvesOrAsAWhole: either way it is the same, whatever it says of where it is cut.
func TestACheckpointIsReadInHalvesOrAsAWhole(t *testing.T) {
	tr := play(t, crowded(t, 1000, 2<<20), replay.Options{})
	if err := tr.Seek(tr.Info().Total); err != nil {
		t.Fatal(err)
	}
	c := codec()
	all := appendCheckpoint(nil, c, tr.state, tr.memory)
	end := len(all) - cutBytes
	if end < beside {
		t.Fatalf("%d bytes are read as a whole in any case", end)
	}
	whole := c.Append(nil, &checkpoint{tr.state, tr.memory})
	if !bytes.Equal(all[:end], whole) {
		t.Fatal("the halves are not the whole: a pointer goes from one into the other")
	}
	if !new(checkpoint).halves(c, all) {
		t.Error("it can not be read in halves")
	}
	cut := binary.LittleEndian.Uint32(all[end:])
	for name, b := range map[string][]byte{
		"in halves": all, "of before": whole,
		"cut at 0":             binary.LittleEndian.AppendUint32(bytes.Clone(whole), 0),
		"cut elsewhere":        binary.LittleEndian.AppendUint32(bytes.Clone(whole), cut-1),
		"cut at its end":       binary.LittleEndian.AppendUint32(bytes.Clone(whole), uint32(end)),
		"cut behind its end":   binary.LittleEndian.AppendUint32(bytes.Clone(whole), 1<<31),
		"cut in its last byte": binary.LittleEndian.AppendUint32(bytes.Clone(whole), uint32(end-1)),
	} {
		got, err := unpackCheckpoint(c, b)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if again := c.Append(nil, got); !bytes.Equal(again, whole) {
			t.Errorf("%s: it is another one, of %d bytes, want %d", name, len(again), len(whole))
		}
	}
	for _, at := range []int{0, int(cut) / 2, int(cut), int(cut) + 1, (int(cut) + end) / 2} { // no panic, and an error or another one
		b := bytes.Clone(all)
		b[at] ^= 0xff
		if got, err := unpackCheckpoint(c, b); err == nil && bytes.Equal(c.Append(nil, got), whole) {
			t.Errorf("byte %d changed nothing", at)
		}
	}
}
