package recording

import (
	"context"
	"crypto/sha256"
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
	Cut     *Damage // as Info has it
}

const maxDamages = 1000

// Whole says that nothing is missing and nothing was changed.
func (r Report) Whole() bool { return r.Chained && len(r.Damages) == 0 && r.Cut == nil }

// Verify reads all of the file and computes the chain anew. Behind damage it goes on with what
// the block behind it says. The reader stands where it did before.
func (r *Reader) Verify(ctx context.Context) (Report, error) {
	want, skip := r.want, r.skip
	defer func() { r.skip = skip }()
	r.skip = true
	r.rewind()
	rep := Report{Chained: true, Cut: r.cut}
	h := sha256.New()
	var chain Chain
	var prefix [prefixLen]byte
	known := true // the chain up to here
	for {
		e, err := r.Next()
		if err == io.EOF {
			break
		}
		d, isDamage := errors.AsType[*Damage](err)
		if err != nil && !isDamage {
			return rep, err
		}
		if e.Gap != nil {
			d = e.Gap
		}
		if d != nil {
			rep.add(*d)
			known = false
		}
		if err != nil {
			continue
		}
		rep.Records++
		i := e.item()
		chain = chain.next(h, appendPrefix(prefix[:0], i), i.payload)
		if r.left > 0 {
			continue
		}
		if ctx.Err() != nil {
			return rep, ctx.Err()
		}
		rep.endBlock(&r.cur, known && chain != r.cur.chain)
		chain, known = r.cur.chain, true
	}
	return rep, r.SeekRecord(want)
}

func (r *Report) endBlock(b *block, wrong bool) {
	r.Blocks++
	if b.flags&blockTimeBack != 0 {
		r.TimeBack++
	}
	if wrong && r.Chained {
		r.Chained, r.Broken = false, b.first
	}
}

func (r *Report) add(d Damage) {
	if len(r.Damages) == maxDamages {
		r.More++
		return
	}
	r.Damages = append(r.Damages, d)
}
