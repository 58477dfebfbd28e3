package recording

import (
	"errors"
	"time"
)

// rewind stands in front of the first block.
func (r *Reader) rewind() { r.stand(r.start, r.header.First) }

// stand has the reader go on with the block at pos and the record of that number.
func (r *Reader) stand(pos int64, number uint64) {
	r.pos, r.want, r.left, r.rest, r.gap, r.seen, r.wasted = pos, number, 0, nil, nil, false, 0
}

// errMarks says that a mark of the index is not a block.
var errMarks = errors.New("the index does not fit")

// seek stands in front of the first block that before is false for; it is true for all blocks in
// front of that one.
func (r *Reader) seek(before func(*block) bool) error {
	b, err := r.locate(before)
	if errors.Is(err, errMarks) && r.indexed {
		r.rebuild()
		b, err = r.locate(before)
	}
	if err != nil {
		return err
	}
	if b.records == 0 {
		r.stand(r.end, r.Info().Next)
		return nil
	}
	r.stand(b.at, b.first)
	return nil
}

// locate finds it by the marks, and goes on from block to block where marks are far apart. No
// block: it is behind the end.
func (r *Reader) locate(before func(*block) bool) (block, error) {
	lo, hi := 0, len(r.marks) // marks before lo are before, from hi on they are not
	for lo < hi {
		mid := (lo + hi) / 2
		b, err := r.blockAt(r.marks[mid], r.end)
		if err != nil && r.indexed {
			return block{}, errMarks
		}
		if err != nil {
			lo = 0 // blocks that reach into each other: no program writes those
			break
		}
		if before(&b) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	pos := r.start
	if lo > 0 {
		pos = r.marks[lo-1]
	}
	for last := (block{}); pos < r.end; {
		b, ok := r.blockBehind(&last, pos, r.end, 0)
		if !ok {
			break
		}
		if !before(&b) {
			return b, nil
		}
		last, pos = b, b.end()
	}
	return block{}, nil
}

// SeekRecord stands in front of the record of that number, or of the first one behind it that is
// there, or at the end.
func (r *Reader) SeekRecord(number uint64) error {
	if err := r.seek(func(b *block) bool { return b.next() <= number }); err != nil {
		return err
	}
	if number < r.want {
		r.want = max(number, r.header.First) // so that Next says what is missing from there on
	}
	return r.pass(func(item) bool { return r.want < number })
}

// SeekTime stands in front of the first record of that time or later, or at the end. Where time
// ran back, the first one in the order of the file.
func (r *Reader) SeekTime(at time.Time) error {
	ns := nanoseconds(at)
	if err := r.seek(func(b *block) bool { return b.latest < ns }); err != nil {
		return err
	}
	return r.pass(func(i item) bool { return i.at < ns })
}

// pass goes past the records of the next block that before is true for.
func (r *Reader) pass(before func(item) bool) error {
	ok, err := r.nextBlock()
	if !ok || err != nil {
		if _, damaged := errors.AsType[*Damage](err); damaged {
			return nil // Next says so
		}
		return err
	}
	for r.left > 0 {
		i, rest, err := takeItem(r.rest, r.at)
		if err != nil {
			return err
		}
		if !before(i) {
			return nil
		}
		r.rest, r.at, r.left = rest, i.at, r.left-1
		r.want++
		r.after, r.seen = i.at, true
	}
	return nil
}

// SeekCheckpoint stands in front of the last checkpoint that is not behind the record of that
// number, and returns the checkpoint's. ErrNoCheckpoint: there is none, and the reader stands
// where it was.
func (r *Reader) SeekCheckpoint(number uint64) (uint64, error) {
	want := r.want
	b, err := r.locate(func(b *block) bool { return b.next() <= number })
	if errors.Is(err, errMarks) && r.indexed {
		r.rebuild()
		b, err = r.locate(func(b *block) bool { return b.next() <= number })
	}
	if err != nil {
		return 0, err
	}
	if b.records == 0 {
		b = r.last
	}
	found, ok := r.checkpointUpTo(b, number)
	if !ok {
		if err := r.SeekRecord(want); err != nil { // looking for it may have read other blocks
			return 0, err
		}
		return 0, ErrNoCheckpoint
	}
	r.stand(found.at, found.first)
	return found.first, nil
}

// checkpointUpTo follows the way back from b to a block that begins with a checkpoint.
func (r *Reader) checkpointUpTo(b block, number uint64) (block, bool) {
	for b.records > 0 {
		if b.flags&blockCheckpoint != 0 && b.first <= number {
			return b, true
		}
		if b.checkpoint == 0 {
			return block{}, false
		}
		to, err := r.blockAt(b.checkpoint, r.end)
		if err != nil || to.at >= b.at || to.first >= b.first || to.flags&blockCheckpoint == 0 {
			return r.walkBack(b, number)
		}
		b = to
	}
	return block{}, false
}

// walkBack is for a way that leads nowhere: from mark to mark, the last checkpoint before b.
func (r *Reader) walkBack(b block, number uint64) (block, bool) {
	end := b.at
	for n := len(r.marks) - 1; n >= 0; n-- {
		var found, last block
		for at := r.marks[n]; at < end; {
			one, ok := r.blockBehind(&last, at, end, 0)
			if !ok {
				break
			}
			if one.flags&blockCheckpoint != 0 && one.first <= number {
				found = one
			}
			last, at = one, one.end()
		}
		if found.records > 0 {
			return found, true
		}
		end = min(end, r.marks[n])
	}
	return block{}, false
}

// firstCheckpoint is the number of the first checkpoint of the file.
func (r *Reader) firstCheckpoint() (uint64, bool) {
	var last block
	for pos := r.start; pos < r.end; {
		b, ok := r.blockBehind(&last, pos, r.end, 0)
		if !ok {
			break
		}
		if b.flags&blockCheckpoint != 0 {
			return b.first, true
		}
		last, pos = b, b.end()
	}
	return 0, false
}
