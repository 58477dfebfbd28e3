package recording

import (
	"bytes"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// wild returns records whose time jumps to and fro, with a checkpoint now and then.
func wild(seed uint64, n int) []Record {
	rnd := rand.New(rand.NewPCG(seed, 1))
	all := some(n, 0)
	at := start()
	for i := range all {
		at = at.Add(time.Duration(rnd.IntN(2000)-500) * time.Microsecond)
		all[i].At = at
		all[i].Checkpoint = rnd.IntN(40) == 0
	}
	return all
}

// damagedIndex returns data with an index that is missing, wrong or lying.
func damagedIndexes(t *testing.T, data []byte) map[string][]byte {
	t.Helper()
	r := open(t, data)
	i := r.end
	reseal := func(change func(offsets []int64) []int64) []byte {
		out := bytes.Clone(data[:i])
		out = appendIndex(out, r.id, change(slices.Clone(r.marks)))
		return append(out, data[len(data)-trailerLen:]...)
	}
	flipped := bytes.Clone(data)
	flipped[i+30] ^= 4
	noTrailer := bytes.Clone(data[:len(data)-1])
	twice := append(bytes.Clone(data), data[i:]...)
	return map[string][]byte{
		"whole":      data,
		"none":       data[:i],
		"cut":        noTrailer,
		"flipped":    flipped,
		"twice":      twice,
		"only first": reseal(func(o []int64) []int64 { return o[:1] }),
		"every third": reseal(func(o []int64) []int64 {
			return slices.DeleteFunc(o, func(n int64) bool { return n != o[0] && n%3 != 0 })
		}),
		"a lie":         reseal(func(o []int64) []int64 { o[len(o)/2]++; return o }),
		"lies only":     reseal(func(o []int64) []int64 { return []int64{o[0], o[0] + 129, o[0] + 300} }),
		"not ascending": reseal(func(o []int64) []int64 { o[2], o[3] = o[3], o[2]; return o }),
		"empty":         reseal(func([]int64) []int64 { return nil }),
	}
}

func TestSeekingFindsWhatAWalkFinds(t *testing.T) {
	records := wild(1, 600)
	data := write(t, header(), records, 11, Options{})
	for name, data := range damagedIndexes(t, data) {
		t.Run(name, func(t *testing.T) {
			r := open(t, data)
			for n := 0; n <= len(records)+2; n += 3 {
				if err := r.SeekRecord(uint64(n)); err != nil {
					t.Fatal(err)
				}
				wantAt(t, r, records, n)
			}
			for ms := -20; ms < 900; ms += 7 {
				at := start().Add(time.Duration(ms) * time.Millisecond)
				want := slices.IndexFunc(records, func(r Record) bool { return !r.At.Before(at) })
				if want < 0 {
					want = len(records)
				}
				if err := r.SeekTime(at); err != nil {
					t.Fatal(err)
				}
				wantAt(t, r, records, want)
			}
			for n := 0; n <= len(records)+2; n += 3 {
				want := min(n, len(records)-1)
				for want >= 0 && !records[want].Checkpoint {
					want--
				}
				got, err := r.SeekCheckpoint(uint64(n))
				if want < 0 {
					if err != ErrNoCheckpoint {
						t.Fatalf("checkpoint before %d: %d, %v, want none", n, got, err)
					}
					continue
				}
				if err != nil || got != uint64(want) {
					t.Fatalf("checkpoint before %d: %d, %v, want %d", n, got, err, want)
				}
				wantAt(t, r, records, want)
			}
		})
	}
}

// wantAt checks that record n comes next, and the one behind it.
func wantAt(t *testing.T, r *Reader, records []Record, n int) {
	t.Helper()
	for ; n < min(n+2, len(records)); n++ {
		e, err := r.Next()
		if err != nil || e.Number != uint64(n) || !same(e.Record, records[n]) {
			t.Fatalf("got %d %v, want record %d", e.Number, err, n)
		}
		if n%2 == 1 {
			return
		}
	}
	if n >= len(records) {
		if e, err := r.Next(); err != io.EOF {
			t.Fatalf("got %d %v, want the end", e.Number, err)
		}
	}
}

func TestWhatIsWrongWithTheEndIsSaid(t *testing.T) {
	data := write(t, header(), wild(2, 100), 11, Options{})
	for name, want := range map[string]struct {
		end End
		cut bool
	}{
		"whole": {Closed, false}, "none": {Unknown, false}, "cut": {Unknown, true}, "flipped": {Closed, false},
		"twice": {Closed, false}, "not ascending": {Closed, false},
	} {
		i := open(t, damagedIndexes(t, data)[name]).Info()
		if i.End != want.end || (i.Cut != nil) != want.cut {
			t.Errorf("%s: end %v, cut %v", name, i.End, i.Cut)
		}
	}
}

func TestSeekingToWhatIsDamagedSaysSo(t *testing.T) {
	data, _ := small(t, Options{})
	one, _ := open(t, data).locate(func(b *block) bool { return b.next() <= 6 })
	for name, spoil := range map[string]int64{"head": one.at + 20, "records": one.at + blockHeadLen + 2} {
		data := bytes.Clone(data)
		data[spoil] ^= 1
		r := open(t, data)
		if err := r.SeekRecord(6); err != nil {
			t.Fatal(err)
		}
		if e, err := r.Next(); err == nil {
			t.Errorf("%s: record %d although 6 is damaged", name, e.Number)
		}
		r.SkipDamage(true)
		if err := r.SeekRecord(6); err != nil {
			t.Fatal(err)
		}
		e, err := r.Next()
		if err != nil || e.Number != one.next() || e.Gap == nil {
			t.Errorf("%s: %+v, %v, want record %d behind a gap", name, e, err, one.next())
		}
	}
}

func TestACheckpointIsFoundWithoutTheWayToIt(t *testing.T) {
	records := some(100, 10)
	data := write(t, header(), records, 3, Options{})
	one, _ := open(t, data).locate(func(b *block) bool { return b.next() <= 56 })
	for _, to := range []uint64{uint64(one.at), 77, 1 << 60, uint64(open(t, data).start + 1)} {
		data := bytes.Clone(data)
		claim(data, one, func(head []byte) { binary.LittleEndian.PutUint64(head[64:], to) })
		if n, err := open(t, data).SeekCheckpoint(56); err != nil || n != 50 {
			t.Errorf("a way to %d: %d, %v", to, n, err)
		}
	}
}

func TestARecordingThatBeginsInTheMiddle(t *testing.T) {
	h := header()
	h.First = 1000
	r := open(t, write(t, h, some(50, 10), 7, Options{}))
	if e, err := r.Next(); err != nil || e.Number != 1000 || e.Gap != nil {
		t.Errorf("%+v, %v", e, err)
	}
	for seek, want := range map[uint64]uint64{3: 1000, 1000: 1000, 1049: 1049} {
		if err := r.SeekRecord(seek); err != nil {
			t.Fatal(err)
		}
		if e, err := r.Next(); err != nil || e.Number != want || e.Gap != nil {
			t.Errorf("%d: %+v, %v", seek, e, err)
		}
	}
}

func TestATrailerThatLiesIsNotBelieved(t *testing.T) {
	data, records := small(t, Options{})
	r := open(t, data)
	for name, change := range map[string]func(*trailer){
		"more records": func(t *trailer) { t.next += 10 },
		"other last":   func(t *trailer) { t.last = r.start },
		"no blocks":    func(t *trailer) { t.last = 0 },
		"other index":  func(t *trailer) { t.index -= 8 },
		"negative":     func(t *trailer) { t.index = -1 },
		"other chain":  func(t *trailer) { t.chain[0]++ },
		"other file":   func(t *trailer) { t.id++ },
		"no such end":  func(t *trailer) { t.end = 99 },
	} {
		tr, ok := decodeTrailer(data[len(data)-trailerLen:])
		if !ok {
			t.Fatal("no trailer")
		}
		change(&tr)
		changed := tr.append(bytes.Clone(data[:len(data)-trailerLen]))
		r := open(t, changed)
		if r.indexed {
			t.Errorf("%s: believed", name)
		}
		wantRecords(t, all(t, r), records, 0)
	}
}
