package inferred

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"mqscope/engine/capture/infer"
	"mqscope/engine/capture/picture"
	"mqscope/engine/internal/pack"
	"mqscope/engine/lifecycle"
	"mqscope/engine/recording"
)

// checkpoint is all that was seen before it.
type checkpoint struct {
	State  *infer.State
	Memory *picture.Memory
}

// The halves of a checkpoint can be read without each other: their bytes one behind the other are its.
type (
	stateHalf  struct{ State *infer.State }
	memoryHalf struct{ Memory *picture.Memory }
)

const (
	partBytes = 1 << 20
	// maxCheckpoint is how large a checkpoint may be. One that would be larger is left out: a jump
	// takes longer then.
	maxCheckpoint = 64 << 20
	// cutBytes are at the end of a checkpoint: where its second half begins, little endian.
	cutBytes = 4
	// beside is from which size on the halves are read at the same time.
	beside = 256 << 10
)

// appendCheckpoint appends a checkpoint, and where it is cut.
func appendCheckpoint(dst []byte, c *pack.Codec, s *infer.State, m *picture.Memory) []byte {
	from := len(dst)
	dst = c.Append(dst, &stateHalf{s})
	cut := uint32(len(dst) - from)
	dst = c.Append(dst, &memoryHalf{m})
	return binary.LittleEndian.AppendUint32(dst, cut)
}

// unpackCheckpoint is the other way round. A large one is read by two goroutines. One of a recording
// of before, or of which something was taken out, does not say where it is cut.
func unpackCheckpoint(codec *pack.Codec, all []byte) (*checkpoint, error) {
	c := &checkpoint{}
	if !c.halves(codec, all) {
		*c = checkpoint{}
		if _, err := codec.Decode(all, c); err != nil {
			return nil, err
		}
	}
	if c.State == nil || c.Memory == nil {
		return nil, errors.New("a checkpoint without what was seen")
	}
	return c, c.State.Check()
}

// halves reads both halves at the same time; false where that is not to be done.
func (c *checkpoint) halves(codec *pack.Codec, all []byte) bool {
	end := len(all) - cutBytes
	if end < beside {
		return false
	}
	cut := int64(binary.LittleEndian.Uint32(all[end:]))
	if cut == 0 || cut >= int64(end) {
		return false
	}
	var s stateHalf
	var m memoryHalf
	g, _ := lifecycle.NewGroup(context.Background())
	g.Go("memory of a checkpoint", func(context.Context) error { return decodeHalf(codec, all[cut:end], &m) })
	err := decodeHalf(codec, all[:cut], &s)
	if other := g.Wait(); err != nil || other != nil {
		return false // read as a whole it says what is wrong
	}
	c.State, c.Memory = s.State, m.Memory
	return true
}

func decodeHalf(codec *pack.Codec, b []byte, to any) error {
	rest, err := codec.Decode(b, to)
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("%d bytes too many", len(rest))
	}
	return err
}

// mostRoom is how much room for the bytes of a checkpoint is kept for the next one.
const mostRoom = 16 << 20

// parts are the bytes of a checkpoint, good until the next call.
func (t *Track) parts() (all []byte, first recording.Entry, err error) {
	all = t.room[:0]
	defer func() {
		if t.room = all; cap(all) > mostRoom {
			t.room = nil
		}
	}()
	for n := 0; ; n++ {
		e, err := t.r.Next()
		if errors.Is(err, io.EOF) {
			err = malformed(first.Number, errors.New("a checkpoint without its end"))
		}
		if err != nil {
			return nil, first, err
		}
		switch {
		case n == 0 && e.Kind != kindCheckpoint, n > 0 && e.Kind != kindPart, len(e.Payload) == 0:
			return nil, e, malformed(e.Number, errors.New("not what a checkpoint is made of"))
		case len(all)+len(e.Payload) > maxCheckpoint+1:
			return nil, e, malformed(e.Number, fmt.Errorf("a checkpoint of more than %d bytes", maxCheckpoint))
		}
		if n == 0 {
			first = e
		}
		more := e.Payload[0] == 1
		all = append(all, e.Payload[1:]...)
		if !more {
			return all, first, nil
		}
	}
}
