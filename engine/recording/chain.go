package recording

import (
	"crypto/sha256"
	"hash"
)

// spanRecords is how many records a span of the chain has at most.
const spanRecords = 4096

// Chain is the hash of all records of a file up to one of them; its zero value is that of none.
type Chain [sha256.Size]byte

// Hasher computes the Chain of records. It goes by spans: one begins at the first record, at each
// checkpoint and at each number that is a multiple of spanRecords, and its hash has that of the
// span before it in front. So it costs little more than to hash the bytes, and can be taken up
// again behind damage.
type Hasher struct {
	h      hash.Hash
	number uint64 // of the next record
	begun  bool   // h has the span that number is in
	before Chain  // of the spans before it
	taken  []byte // and not given to h yet: records are short, and a call is as dear as hashing one
}

const takenMost = 4 << 10

// NewHasher returns a Hasher of no records; first is the number of the first one.
func NewHasher(first uint64) *Hasher { return &Hasher{h: sha256.New(), number: first} }

// Add takes in the next record.
func (h *Hasher) Add(r Record) {
	i := r.item()
	h.begin(i)
	h.taken = appendPrefix(h.taken, i)
	h.take(i.payload)
}

// add is Add for who has the record's prefix and payload in one piece.
func (h *Hasher) add(i item, whole []byte) {
	h.begin(i)
	h.take(whole)
}

func (h *Hasher) take(b []byte) {
	if len(h.taken)+len(b) <= takenMost {
		h.taken = append(h.taken, b...)
		return
	}
	h.settle()
	h.h.Write(b)
}

// settle gives h what was taken.
func (h *Hasher) settle() {
	h.h.Write(h.taken)
	h.taken = h.taken[:0]
}

func (h *Hasher) begin(i item) {
	if !h.begun || beginsSpan(i, h.number) {
		h.before = h.Sum()
		h.begun = true
		h.h.Reset()
		h.h.Write(h.before[:])
	}
	h.number++
}

// resume goes on with a new span behind records of that hash.
func (h *Hasher) resume(behind Chain, number uint64) {
	h.before, h.begun, h.number, h.taken = behind, false, number, h.taken[:0]
}

// Sum is the hash of what was added.
func (h *Hasher) Sum() Chain {
	if !h.begun {
		return h.before
	}
	h.settle()
	var c Chain
	h.h.Sum(c[:0])
	return c
}

func beginsSpan(i item, number uint64) bool {
	return i.flags&flagCheckpoint != 0 || number%spanRecords == 0
}
