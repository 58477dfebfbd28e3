package recording

import (
	"fmt"
	"io"
)

// Next returns the next record, or io.EOF. A *Damage says that the next one cannot be read; with
// SkipDamage that is in the Gap of the entry behind it. Records are whole and in order, always.
func (r *Reader) Next() (Entry, error) {
	for r.left == 0 {
		ok, err := r.nextBlock()
		if err != nil {
			return Entry{}, err
		}
		if !ok {
			return Entry{}, io.EOF
		}
	}
	i, rest, err := takeItem(r.rest, r.at)
	if err != nil {
		return Entry{}, err // load has checked it
	}
	e := Entry{Record: i.record(), Number: r.want, Gap: r.gap}
	r.rest, r.at, r.left, r.gap = rest, i.at, r.left-1, nil
	r.want++
	r.after, r.seen = i.at, true
	return e, nil
}

// damage describes what is at r.pos.
func (r *Reader) damage(err error) *Damage {
	d := &Damage{Offset: r.pos, Record: r.want, Reason: err.Error()}
	if r.seen {
		d.After = timeOf(r.after)
	}
	return d
}

// nextBlock reads the block at r.pos into r.cur, or with skip the first one behind it that is whole.
// At the end of the file it returns false.
func (r *Reader) nextBlock() (bool, error) {
	if r.pos >= r.end {
		return false, nil
	}
	b, err := r.blockAt(r.pos, r.end)
	if err == nil && b.first < r.want {
		err = fmt.Errorf("record %d comes again", b.first)
	}
	if err == nil {
		err = r.tryLoad(&b)
	}
	if err != nil {
		d := r.damage(err)
		if !r.skip {
			return false, d
		}
		var ok bool
		if b, ok = r.behind(b); !ok {
			r.pos = r.end
			d.Bytes = r.end - d.Offset
			return false, d
		}
		d.Bytes = b.at - d.Offset
		r.gap = d
	}
	if b.first > r.want {
		if r.gap == nil {
			r.gap = r.damage(fmt.Errorf("records %d to %d are missing", r.want, b.first-1))
			if !r.skip {
				d := r.gap
				r.gap = nil
				return false, d
			}
		}
		r.gap.Missing = b.first - r.want
	}
	r.cur, r.rest, r.left, r.at = b, r.unpacked, b.records, b.firstTime
	r.pos, r.want = b.end(), b.first
	return true, nil
}

// behind finds and loads the next whole block behind the bad one at r.pos, whose head is bad if
// that could be read.
func (r *Reader) behind(bad block) (block, bool) {
	from := r.pos + 1
	for {
		if bad.records > 0 {
			from = r.afterBad(bad)
		}
		b, ok := r.find(from, r.want, r.end)
		if !ok {
			return block{}, false
		}
		if r.tryLoad(&b) == nil {
			return b, true
		}
		bad = b
	}
}

// tryLoad is load, which counts what was read in vain.
func (r *Reader) tryLoad(b *block) error {
	err := r.load(b)
	if err != nil {
		r.wasted += int64(b.stored)
	}
	return err
}

// tired says that more was read in vain than a file has that was not made for that: blocks of
// which each claims to contain many others.
func (r *Reader) tired() bool { return r.wasted > 2*r.size+maxRaw }

// afterBad is where to look for a block behind a bad one with a good head: at its end if there is
// one, else in it.
func (r *Reader) afterBad(bad block) int64 {
	if r.tired() {
		return bad.end()
	}
	if _, err := r.blockAt(bad.end(), r.end); err == nil || bad.end() == r.end {
		return bad.end()
	}
	return bad.at + blockHeadLen
}
