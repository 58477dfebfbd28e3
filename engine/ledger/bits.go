package ledger

// bits is a set of offsets, one bit each.
type bits []uint64

func (b bits) has(offset int64) bool {
	i := offset >> 6
	return i >= 0 && i < int64(len(b)) && b[i]&(1<<(offset&63)) != 0
}

func (b *bits) set(offset int64) {
	i := int(offset >> 6)
	for i >= len(*b) {
		*b = append(*b, 0)
	}
	(*b)[i] |= 1 << (offset & 63)
}

func (b bits) clear(offset int64) {
	if b.has(offset) {
		b[offset>>6] &^= 1 << (offset & 63)
	}
}
