package remade

import (
	"errors"
	"io"
	"slices"

	"mqscope/engine/event"
	"mqscope/engine/recording"
)

// fillBytes is how much of the file Fill reads at once.
const fillBytes = 1 << 20

// lines fills up the event stream behind a jump. A place to begin at has the last lines only; those
// before are read from the file, from one checkpoint back to the next, until there are as many as
// playing there would have left.
type lines struct {
	again func() (*recording.Reader, error)
	r     *recording.Reader // beside the track's own; nil while nothing is read

	first  []event.Entry // those of the first checkpoint: there are none before
	oldest uint64        // the number of the first of them

	from  uint64 // the stream has all lines told at this record and behind it
	ended bool   // what is before can not be had
	part  part   // that is being read
	found found

	// The longest stream that was left by a jump, and its from.
	left     []event.Entry
	leftFrom uint64
}

// part is some records of the file, of which the first is a checkpoint.
type part struct {
	begin, end uint64
	next       uint64 // was not read yet
	told       []event.Entry
}

// found are lines of parts that are not in the stream yet: the newest part first.
type found struct {
	parts [][]event.Entry
	n     int
	from  uint64 // as that of lines
}

// leave keeps what the stream has, before another takes its place.
func (t *Track) leave() {
	l := &t.lines
	l.flush(t)
	l.stop()
	if all := t.remake.Lines().Entries; len(all) >= len(l.left) {
		l.left, l.leftFrom = all, l.from
	}
}

// arrived begins anew with a stream that lacks lines told before record from. Where it meets what was
// left before, it has those lines at once.
func (t *Track) arrived(from uint64) {
	l := &t.lines
	l.from, l.ended = from, false
	l.stop()
	oldest, _, room := t.remake.Oldest()
	if n := len(l.left); n > 0 && room > 0 && l.left[0].Seq < oldest && oldest <= l.left[n-1].Seq {
		// The line before the oldest is not the last one, which may have counted more since.
		t.remake.Older(l.left[:oldest-l.left[0].Seq])
		l.from = l.leftFrom
	}
}

// stop forgets what is being read.
func (l *lines) stop() { l.part, l.found = part{}, found{} }

// Lacks tells whether the event stream lacks lines that can be read. It is that of a replay.Filler.
func (t *Track) Lacks() bool {
	oldest, _, room := t.remake.Oldest()
	return !t.lines.ended && !t.stuck && room > 0 && oldest > t.lines.oldest
}

// Fill reads some of them. It is that of a replay.Filler.
func (t *Track) Fill() {
	l := &t.lines
	if t.Lacks() {
		if err := l.read(t); err != nil { // who plays there is told what is wrong
			l.flush(t)
			l.ended = true
		}
	}
	if !t.Lacks() && l.r != nil {
		_ = l.r.Close() // it was only read
		l.r = nil
	}
}

// read goes on by some of the file.
func (l *lines) read(t *Track) error {
	if err := l.open(); err != nil {
		return err
	}
	p := &l.part
	if p.next == p.end {
		if err := l.back(t); err != nil {
			return err
		}
	}
	for n := 0; n < fillBytes && p.next < p.end; {
		e, err := l.r.Next()
		if err == nil {
			err = p.take(t, e)
		}
		if err != nil {
			return err
		}
		n += len(e.Payload) + 16
		p.next = e.Number + 1
	}
	if p.next < p.end {
		return nil
	}
	return l.add(t)
}

func (l *lines) open() error {
	if l.r != nil {
		return nil
	}
	if l.again == nil {
		return errors.New("nobody says how to open the file again")
	}
	r, err := l.again()
	if err != nil {
		return err
	}
	l.r, l.part = r, part{}
	return nil
}

// back begins with the part before what was read.
func (l *lines) back(t *Track) error {
	end := l.from
	if l.found.from > 0 {
		end = l.found.from
	}
	if end <= t.first {
		return io.EOF
	}
	begin, err := l.r.SeekCheckpoint(end - 1)
	if err != nil {
		return err
	}
	l.part = part{begin: begin, next: begin, end: end}
	return nil
}

// take takes a record of a part.
func (p *part) take(t *Track, e recording.Entry) error {
	line, ok, err := t.remake.Told(e.Record)
	if err != nil || !ok {
		return err
	}
	if line.Seq == 0 {
		return errors.New("the recording numbers no lines")
	}
	if n := len(p.told); n > 0 && p.told[n-1].Seq == line.Seq {
		p.told[n-1].Count += line.Count
		return nil
	}
	p.told = append(p.told, line)
	return nil
}

// add takes the lines of a part that was read. Now and then, so that it costs little, they are put
// into the stream.
func (l *lines) add(t *Track) error {
	oldest, has, room := t.remake.Oldest()
	if n := len(l.found.parts); n > 0 {
		oldest = l.found.parts[n-1][0].Seq
	}
	told := l.part.told
	if l.part.begin <= t.first {
		told = slices.Concat(l.first, told)
	}
	for n := len(told); n > 0 && told[n-1].Seq >= oldest; n = len(told) {
		told = told[:n-1]
	}
	for i := range told {
		if told[i].Seq+uint64(len(told)-i) != oldest {
			return errors.New("lines are missing")
		}
	}
	if len(told) > 0 {
		l.found.parts = append(l.found.parts, told)
	}
	l.found.n += len(told)
	l.found.from = l.part.begin
	if l.part.begin <= t.first || l.found.n >= room || l.found.n >= 4*has {
		l.flush(t)
	}
	return nil
}

// flush puts what was found into the stream.
func (l *lines) flush(t *Track) {
	if l.found.from == 0 {
		return
	}
	slices.Reverse(l.found.parts)
	t.remake.Older(slices.Concat(l.found.parts...))
	l.from, l.found = l.found.from, found{}
}
