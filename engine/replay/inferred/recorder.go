package inferred

import (
	"fmt"
	"time"

	"mqscope/engine/capture"
	"mqscope/engine/capture/infer"
	"mqscope/engine/capture/picture"
	"mqscope/engine/internal/pack"
	"mqscope/engine/recording"
)

// How many bytes of events are between checkpoints: at least so many, and largerApart times the size
// of a checkpoint, but no more than a jump can take in its time. That bound gives way where more than
// five sixths of a file would be checkpoints.
const (
	defaultApart = 1 << 20
	largerApart  = 2
	mostApart    = 3 << 19
	leastShare   = 5
)

// apartBy is how far a checkpoint of that size is from the next one.
func apartBy(size, least int) int {
	return max(least, min(largerApart*size, mostApart), size/leastShare)
}

// To is what a Recorder appends to: a recording.Writer or a recording.Box.
type To interface{ Append(recording.Record) }

// RecorderOptions say what is recorded; zero values mean all of it.
type RecorderOptions struct {
	// Group leaves events out that are about another group.
	Group string
	// Apart is how many bytes of events are between checkpoints at least, 64 KiB or more: a Box
	// begins with one, so it wants them to be nearer than its segments. Default 1 MiB.
	Apart int
	// Scrub takes secrets out of texts from the network. Default: they are kept as they are.
	Scrub func(string) string
}

// Recorder appends events to a recording. It belongs to one goroutine.
type Recorder struct {
	to     To
	o      RecorderOptions
	codec  *pack.Codec
	state  *infer.State
	memory *picture.Memory
	entry  entry
	buf    []byte
	since  int // bytes since the last checkpoint
	due    int
	bytes  int64
}

// NewRecorder returns a recorder that has seen nothing. The recording has a Header of this
// package.
func NewRecorder(to To, o RecorderOptions) *Recorder {
	if o.Apart == 0 {
		o.Apart = defaultApart
	}
	o.Apart = max(o.Apart, 64<<10)
	return &Recorder{to: to, o: o, codec: codec(), state: infer.NewState(), memory: picture.NewMemory()}
}

// State is the picture of what was recorded. It goes on changing.
func (r *Recorder) State() *infer.State { return r.state }

// Bytes is how many bytes of payloads were appended.
func (r *Recorder) Bytes() int64 { return r.bytes }

// Add records an event, with a number of its own.
func (r *Recorder) Add(e infer.Event) {
	if r.o.Group != "" {
		if g := infer.About(e.Fact).Group; g != "" && g != r.o.Group {
			return
		}
	}
	if r.state.Seq == 0 || r.since >= r.due {
		r.checkpoint(e.At)
	}
	if r.o.Scrub != nil {
		e.Fact = scrubbed(e.Fact, r.o.Scrub)
	}
	e.Seq = r.state.Seq + 1
	r.pack(e)
	if len(r.buf) > recording.MaxPayload {
		e.Fact = infer.Noted{Note: capture.Note{
			Kind: capture.NoteGivenUp, Bytes: int64(len(r.buf)),
			Text: fmt.Sprintf("%s of %d bytes is left out: it is too large for a recording", infer.Kind(e.Fact), len(r.buf)),
		}}
		r.pack(e)
	}
	r.step(e)
	r.append(recording.Record{Kind: kindEvent, At: e.At, Payload: r.buf})
	r.since += len(r.buf)
}

func (r *Recorder) append(rec recording.Record) {
	r.to.Append(rec)
	r.bytes += int64(len(rec.Payload))
}

func (r *Recorder) pack(e infer.Event) {
	r.entry = entry{Seq: e.Seq, Conn: e.Conn, Jumped: jumped(r.state, e.Fact), Fact: e.Fact}
	r.buf = r.codec.Append(r.buf[:0], &r.entry)
}

func (r *Recorder) step(e infer.Event) {
	r.state.Step(e)
	r.memory.Step(r.state, e)
}

// checkpoint writes what was seen so far, in parts that fit into records.
func (r *Recorder) checkpoint(at time.Time) {
	all := appendCheckpoint(make([]byte, 0, 64<<10), r.codec, r.state, r.memory)
	r.since, r.due = 0, apartBy(len(all), r.o.Apart)
	if len(all) > maxCheckpoint {
		return
	}
	for first := true; first || len(all) > 0; first = false {
		n := min(len(all), partBytes)
		rec := recording.Record{Kind: kindPart, At: at, Checkpoint: first, Payload: append(r.buf[:0], 0)}
		if first {
			rec.Kind = kindCheckpoint
		}
		if n < len(all) {
			rec.Payload[0] = 1
		}
		rec.Payload = append(rec.Payload, all[:n]...)
		r.append(rec)
		r.buf, all = rec.Payload, all[n:]
	}
}

// jumped tells whether a fact is a commit below what was committed before.
func jumped(s *infer.State, f infer.Fact) bool {
	c, ok := f.(infer.Committed)
	if !ok || c.Code != 0 {
		return false
	}
	g := s.Groups[c.Group]
	if g == nil {
		return false
	}
	q := g.Queues[c.Queue]
	return q != nil && q.Committed.OK() && c.Offset < q.Committed.V
}

// scrubbed is the fact with what scrub makes of the texts from the network in it.
func scrubbed(fact infer.Fact, scrub func(string) string) infer.Fact {
	changed := false
	clean := func(text *string) {
		if s := scrub(*text); s != *text {
			*text, changed = s, true
		}
	}
	var out infer.Fact
	switch f := fact.(type) {
	case infer.PullDone:
		if f.Remark == "" && f.Why == "" {
			return fact // as most are
		}
		clean(&f.Remark)
		clean(&f.Why)
		out = f
	case infer.Called:
		clean(&f.Result)
		clean(&f.Why)
		out = f
	case infer.Failed:
		clean(&f.Remark)
		out = f
	case infer.Unreadable:
		clean(&f.Text)
		out = f
	case infer.Noted:
		clean(&f.Note.Text)
		out = f
	}
	if !changed {
		return fact
	}
	return out
}
