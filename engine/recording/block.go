package recording

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
)

const (
	blockMark    = "\xf7MQBLK\r\n"
	blockHeadLen = 128
	maxNumber    = 1 << 62 // of a record, so that no sum overflows
)

const (
	codecRaw  = 0
	codecZstd = 1
)

const (
	blockCheckpoint = 1
	blockTimeBack   = 2
)

// block is the head of a block, and where it is.
type block struct {
	at         int64 // where it begins in the file; not stored
	id         uint64
	first      uint64
	records    uint32
	codec      byte
	flags      byte
	stored     uint32
	raw        uint32
	firstTime  int64
	lastTime   int64
	latest     int64 // of all records up to its end
	checkpoint int64 // where the last block before this one is that begins with a checkpoint
	chain      Chain
	sum        uint32 // of the stored bytes
}

func (b *block) end() int64 { return b.at + blockHeadLen + int64(b.stored) }

// next is the number of the first record behind it.
func (b *block) next() uint64 { return b.first + uint64(b.records) }

// put writes the head into dst, which has blockHeadLen bytes.
func (b *block) put(dst []byte) {
	clear(dst[:blockHeadLen])
	le := binary.LittleEndian
	copy(dst, blockMark)
	le.PutUint64(dst[8:], b.id)
	le.PutUint64(dst[16:], b.first)
	le.PutUint32(dst[24:], b.records)
	dst[28], dst[29] = b.codec, b.flags
	le.PutUint32(dst[32:], b.stored)
	le.PutUint32(dst[36:], b.raw)
	le.PutUint64(dst[40:], uint64(b.firstTime))
	le.PutUint64(dst[48:], uint64(b.lastTime))
	le.PutUint64(dst[56:], uint64(b.latest))
	le.PutUint64(dst[64:], uint64(b.checkpoint))
	copy(dst[72:], b.chain[:])
	le.PutUint32(dst[104:], b.sum)
	le.PutUint32(dst[124:], crc32.Checksum(dst[:124], castagnoli()))
}

var (
	errNoBlock    = errors.New("there is no block")
	errBlockHead  = errors.New("the head of the block is damaged")
	errBlockClaim = errors.New("the block claims what cannot be")
	errBlockSum   = errors.New("the records of the block are damaged")
	errBlockBody  = errors.New("the records of the block are not what its head says")
	errBlockCut   = errors.New("the block is cut")
)

// decodeBlock reads the head of a block of any file.
func decodeBlock(src []byte) (block, error) {
	le := binary.LittleEndian
	if len(src) < blockHeadLen || string(src[:8]) != blockMark {
		return block{}, errNoBlock
	}
	if crc32.Checksum(src[:124], castagnoli()) != le.Uint32(src[124:]) {
		return block{}, errBlockHead
	}
	b := block{
		id: le.Uint64(src[8:]), first: le.Uint64(src[16:]), records: le.Uint32(src[24:]),
		codec: src[28], flags: src[29], stored: le.Uint32(src[32:]), raw: le.Uint32(src[36:]),
		firstTime: int64(le.Uint64(src[40:])), lastTime: int64(le.Uint64(src[48:])),
		latest: int64(le.Uint64(src[56:])), checkpoint: int64(le.Uint64(src[64:])), sum: le.Uint32(src[104:]),
	}
	copy(b.chain[:], src[72:])
	switch {
	case b.raw > maxRaw, b.stored > b.raw, b.stored == 0,
		b.records == 0, uint64(b.records)*smallestItem > uint64(b.raw), b.first > maxNumber,
		b.codec > codecZstd, b.codec == codecRaw && b.stored != b.raw,
		b.flags&^(blockCheckpoint|blockTimeBack) != 0,
		b.latest < max(b.firstTime, b.lastTime), b.checkpoint < 0,
		src[30]|src[31] != 0, [16]byte(src[108:124]) != [16]byte{}:
		return block{}, errBlockClaim
	}
	return b, nil
}

// check reads all records of a block once: a reader hands out none of a block that is not whole.
func (b *block) check(raw []byte) error {
	if len(raw) != int(b.raw) {
		return errBlockBody
	}
	at := b.firstTime
	for n := range b.records {
		i, rest, err := takeItem(raw, at)
		if err != nil {
			return err
		}
		checkpoint := n == 0 && b.flags&blockCheckpoint != 0
		if checkpoint != (i.flags&flagCheckpoint != 0) || n == 0 && i.at != at || i.at > b.latest {
			return errBlockBody
		}
		at, raw = i.at, rest
	}
	if len(raw) != 0 || at != b.lastTime {
		return errBlockBody
	}
	return nil
}
