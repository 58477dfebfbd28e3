package recording

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"
)

// codecs are those of the blocks of a file, of which checkpoints begin some.
func codecs(t *testing.T, data []byte) (plain, packed, checkpoints, alone int) {
	t.Helper()
	r := open(t, data)
	for pos := r.start; pos < r.end; {
		b, err := r.blockAt(pos, r.end)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case b.flags&blockCheckpoint != 0:
			if checkpoints++; b.codec != codecZstd {
				t.Errorf("the checkpoint at %d is not packed", b.first)
			}
			if b.records == 1 {
				alone++
			}
		case b.codec == codecRaw:
			plain++
		default:
			packed++
		}
		pos = b.end()
	}
	return plain, packed, checkpoints, alone
}

// TestWhatPackingSavesLittleOfIsNotPacked has blocks of numbers by chance, which are only now and then
// tried, and of text, which are packed, as are checkpoints.
func TestWhatPackingSavesLittleOfIsNotPacked(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	records := func(payload func(i int) []byte) (list []Record) {
		for i := range 400 {
			list = append(list, Record{Kind: 2, At: start(), Payload: payload(i)})
			if i%100 == 0 {
				list[i].Checkpoint, list[i].Payload = true, bytes.Repeat([]byte("state"), 1000)
			}
		}
		return list
	}
	numbers := records(func(int) []byte { return binary.LittleEndian.AppendUint64([]byte("number"), rnd.Uint64()) })
	text := records(func(i int) []byte {
		return fmt.Appendf(nil, "a message of the topic orders, number %d, and its properties", i)
	})

	data := write(t, header(), numbers, 10, Options{})
	plain, packed, checkpoints, alone := codecs(t, data)
	if checkpoints != 4 || alone != 3 || packed > 3 || packed == 0 || plain < 30 {
		t.Errorf("numbers: %d blocks as they are, %d packed, %d of checkpoints, %d of these alone", plain, packed, checkpoints, alone)
	}
	wantRecords(t, all(t, open(t, data)), numbers, 0)
	if plain, packed, checkpoints, alone := codecs(t, write(t, header(), text, 40, Options{})); checkpoints != 4 || alone > 0 || plain > 0 || packed == 0 {
		t.Errorf("text: %d blocks as they are, %d packed, %d of checkpoints", plain, packed, checkpoints)
	}
	if plain, packed, _, _ := codecs(t, write(t, header(), append(numbers, text...), 40, Options{})); plain == 0 || packed == 0 {
		t.Errorf("numbers and text: %d blocks as they are, %d packed", plain, packed)
	}
}
