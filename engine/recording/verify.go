package recording

import (
	"context"
	"errors"
	"io"
)

// Report is what Verify found.
type Report struct {
	Records  uint64   // that can be read
	Blocks   int      // they are in
	TimeBack int      // blocks in which time ran back
	Damages  []Damage // the first maxDamages of them
	More     int      // damages that are not listed
	// Broken is the number of the first record of a block whose hash is not that of its
	// records; Chained says that there is none.
	Broken  uint64
	Chained bool
	// Unproved is how many records are behind damage or a broken chain and before the next span,
	// so that no hash says anything of them.
	Unproved uint64
	Cut      *Damage // as Info has it
}

const maxDamages = 1000

// Whole says that nothing is missing and nothing was changed.
func (r Report) Whole() bool { return r.Chained && len(r.Damages) == 0 && r.Cut == nil }

// Verify reads all of the file and computes the chain anew. Behind damage it goes on at the next
// span. The reader stands where it did before.
func (r *Reader) Verify(ctx context.Context) (Report, error) {
	want, skip := r.want, r.skip
	defer func() { r.skip = skip }()
	r.skip = true
	r.rewind()
	rep := Report{Chained: true, Cut: r.cut}
	if r.bad != nil {
		rep.add(*r.bad)
	}
	h := NewHasher(r.header.First)
	known := true     // h has the span up to here
	var before *block // in front of this one, whole and without a gap
	for {
		e, err := r.Next()
		if err == io.EOF {
			break
		}
		d, damaged := errors.AsType[*Damage](err)
		if err != nil && !damaged {
			return rep, err
		}
		if e.Gap != nil {
			d = e.Gap
		}
		if d != nil {
			rep.add(*d)
			known, before = false, nil
		}
		if err != nil {
			continue
		}
		rep.Records++
		if !known && before != nil && beginsSpan(e.item(), e.Number) {
			h.resume(before.chain, e.Number)
			known = true
		}
		h.Add(e.Record)
		if r.left > 0 {
			continue
		}
		if ctx.Err() != nil {
			return rep, ctx.Err()
		}
		last := r.cur
		before = &last
		known = rep.endBlock(before, known, h.Sum())
	}
	return rep, r.SeekRecord(want)
}

// endBlock returns whether the chain is still known.
func (r *Report) endBlock(b *block, known bool, sum Chain) bool {
	r.Blocks++
	if b.flags&blockTimeBack != 0 {
		r.TimeBack++
	}
	switch {
	case !known:
		r.Unproved += uint64(b.records)
	case sum != b.chain:
		if r.Chained {
			r.Chained, r.Broken = false, b.first
		}
		return false
	}
	return known
}

func (r *Report) add(d Damage) {
	if len(r.Damages) == maxDamages {
		r.More++
		return
	}
	r.Damages = append(r.Damages, d)
}
