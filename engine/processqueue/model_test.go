package processqueue

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

// model is a slow, obvious ProcessQueue: maps from offset.
type model struct {
	msgs    map[int64]*modelMessage // not done
	done    map[int64]bool
	highest int64
	commit  int64
}

type modelMessage struct {
	m       mq.Message
	size    int
	state   state
	started time.Time
}

func (d *model) sorted() []int64 { return slices.Sorted(maps.Keys(d.msgs)) }

func (d *model) resolve(off int64) {
	delete(d.msgs, off)
	d.done[off] = true
}

func (d *model) settle() {
	offsets := d.sorted()
	if len(offsets) == 0 {
		d.commit = d.highest + 1
		clear(d.done)
		return
	}
	d.commit = offsets[0]
	maps.DeleteFunc(d.done, func(off int64, _ bool) bool { return off < offsets[0] })
}

// holds tells whether the model still has exactly this message, in one of the states.
func (d *model) holds(m mq.Message, states ...state) *modelMessage {
	have := d.msgs[m.QueueOffset()]
	if have != nil && have.m == m && slices.Contains(states, have.state) {
		return have
	}
	return nil
}

// world drives a Queue and the model with the same random operations.
type world struct {
	t      *testing.T
	rng    *rand.Rand
	q      *Queue
	d      *model
	now    time.Time
	step   int64 // widest gap between offsets
	next   int64
	owners []*counter
	taken  []mq.Message // by listeners
	failed []mq.Message // those that Failed gave back
	swept  []mq.Message // by Expire
}

const modelTimeout = 90 * time.Second

func TestQueueEqualsAnObviousModel(t *testing.T) {
	for _, shape := range []struct {
		name string
		step int64
	}{
		{"offsets without gaps", 1},
		{"a few offsets filtered away", 4},
		{"offsets far apart", 100_000},
	} {
		for seed := range uint64(6) {
			t.Run(fmt.Sprintf("%s, seed %d", shape.name, seed), func(t *testing.T) {
				w := &world{
					t: t, rng: rand.New(rand.NewPCG(seed, uint64(shape.step))), q: New(testQueue, 1),
					d:    &model{msgs: map[int64]*modelMessage{}, done: map[int64]bool{}, highest: None, commit: None},
					step: shape.step,
				}
				w.now = w.q.born
				for range 400 {
					w.oneStep()
					w.check()
				}
				w.finishAll()
			})
		}
	}
}

func (w *world) oneStep() {
	w.now = w.now.Add(time.Duration(w.rng.IntN(4)) * time.Second)
	switch w.rng.IntN(12) {
	case 0, 1:
		w.putNew()
	case 2:
		w.putAnyOrder()
	case 3, 4, 5:
		w.take(1 + w.rng.IntN(8))
	case 6, 7, 8:
		w.finish(w.rng.IntN(6))
	case 9:
		w.failOne()
		w.retryOrFinishOne()
	case 10:
		w.expire()
		w.sweepEnds()
	case 11:
		w.again()
		w.resolveSome()
		if w.rng.IntN(60) == 0 {
			w.clear()
		}
	}
}

func (w *world) put(msgs []stored) {
	owner := &counter{}
	w.owners = append(w.owners, owner)
	b := batchOf(w.t, owner, msgs...)
	var want Added
	for i, m := range msgs {
		if w.d.msgs[m.offset] != nil {
			want.Duplicates++
			continue
		}
		w.d.msgs[m.offset] = &modelMessage{m: b.At(i), size: m.body, state: waiting}
		delete(w.d.done, m.offset)
		w.d.highest = max(w.d.highest, m.offset)
		want.Count++
		want.Bytes += int64(m.body)
	}
	got := w.q.Put(b, nil)
	b.Release(1)
	if got != want {
		w.t.Fatalf("Put of %v: %+v, want %+v", msgs, got, want)
	}
}

func (w *world) putNew() {
	var msgs []stored
	for range w.rng.IntN(33) {
		msgs = append(msgs, stored{w.next, w.rng.IntN(50)})
		w.next += 1 + w.rng.Int64N(w.step)
	}
	w.put(msgs)
}

// putAnyOrder puts offsets around the cached ones, some of them known, in any order.
func (w *world) putAnyOrder() {
	var msgs []stored
	from := max(w.next-40*w.step, 0)
	for range w.rng.IntN(8) {
		off := from + w.rng.Int64N(41*w.step)
		if known := w.d.sorted(); len(known) > 0 && w.rng.IntN(2) == 0 {
			off = known[w.rng.IntN(len(known))] + w.rng.Int64N(3)
		}
		msgs = append(msgs, stored{off, w.rng.IntN(50)})
		w.next = max(w.next, off+1)
	}
	w.put(msgs)
}

func (w *world) take(n int) {
	var want []int64
	for _, off := range w.d.sorted() {
		if m := w.d.msgs[off]; m.state == waiting && len(want) < n {
			m.state, m.started = consuming, w.now
			want = append(want, off)
		}
	}
	got, more := w.q.Take(w.now, nil, n)
	if diff := gocmp.Diff(want, offsetsOf(got), gocmp.Transformer("empty", func(l []int64) []int64 { return append([]int64{}, l...) })); diff != "" {
		w.t.Fatalf("taken (-want +got):\n%s", diff)
	}
	if left := w.waiting(); more != (left > 0) {
		w.t.Fatalf("more is %t with %d waiting", more, left)
	}
	w.taken = append(w.taken, got...)
}

// pull removes a random message from list.
func (w *world) pull(list *[]mq.Message) (mq.Message, bool) {
	if len(*list) == 0 {
		return mq.Message{}, false
	}
	i := w.rng.IntN(len(*list))
	m := (*list)[i]
	*list = slices.Delete(*list, i, i+1)
	return m, true
}

func (w *world) finish(n int) {
	var msgs []mq.Message
	for range n {
		if m, ok := w.pull(&w.taken); ok {
			msgs = append(msgs, m)
		}
	}
	w.finishThese(msgs)
}

func (w *world) finishThese(msgs []mq.Message) {
	if len(msgs) == 0 {
		return
	}
	hadAny := len(w.d.msgs) > 0
	for _, m := range msgs {
		if w.d.holds(m, consuming, settling) != nil {
			w.d.resolve(m.QueueOffset())
		} else if have := w.d.holds(m, expiring); have != nil {
			have.state = expiredOK
		}
	}
	if hadAny {
		w.d.settle()
	}
	w.q.Finish(w.now, msgs)
}

func (w *world) failOne() {
	m, ok := w.pull(&w.taken)
	if !ok {
		return
	}
	mine := false
	if have := w.d.holds(m, consuming); have != nil {
		have.state = settling
		mine = true
	} else if have := w.d.holds(m, expiring); have != nil {
		have.state = expiredFailed
	}
	if got := w.q.Failed(m); got != mine {
		w.t.Fatalf("Failed(%d) is %t, want %t", m.QueueOffset(), got, mine)
	}
	if mine {
		w.failed = append(w.failed, m)
	}
}

func (w *world) retryOrFinishOne() {
	m, ok := w.pull(&w.failed)
	if !ok {
		return
	}
	if w.rng.IntN(2) == 0 {
		w.finishThese([]mq.Message{m})
		return
	}
	have := w.d.holds(m, settling)
	if have != nil {
		have.state = retrying
	}
	if got := w.q.Retry(m); got != (have != nil) {
		w.t.Fatalf("Retry(%d) is %t", m.QueueOffset(), got)
	}
}

func (w *world) again() {
	for _, off := range w.d.sorted() {
		m := w.d.msgs[off]
		if m.state == retrying && w.rng.IntN(3) == 0 {
			m.state = waiting
			if !w.q.Again(off) {
				w.t.Fatalf("Again(%d) is false", off)
			}
		} else if m.state != retrying && w.q.Again(off) {
			w.t.Fatalf("Again(%d) is true in state %d", off, m.state)
		}
	}
}

func (w *world) expire() {
	var want []int64
	for _, off := range w.d.sorted() {
		// The queue counts whole milliseconds, and the clock here moves by seconds.
		if m := w.d.msgs[off]; m.state == consuming && w.now.Sub(m.started) >= modelTimeout {
			m.state = expiring
			want = append(want, off)
		}
	}
	got := w.q.Expire(w.now, modelTimeout, nil)
	if !slices.Equal(want, offsetsOf(got)) {
		w.t.Fatalf("expired %v, want %v", offsetsOf(got), want)
	}
	w.swept = append(w.swept, got...)
}

func (w *world) sweepEnds() {
	m, ok := w.pull(&w.swept)
	if !ok {
		return
	}
	sent, wantRetry := w.rng.IntN(2) == 0, false
	switch have := w.d.holds(m, expiring, expiredOK, expiredFailed); {
	case have == nil:
	case have.state == expiredOK || sent:
		w.d.resolve(m.QueueOffset())
		w.d.settle()
	case have.state == expiring:
		have.state = consuming
	default:
		have.state = retrying
		wantRetry = true
	}
	if got := w.q.Expired(w.now, m, sent); got != wantRetry {
		w.t.Fatalf("Expired(%d, %t) is %t, want %t", m.QueueOffset(), sent, got, wantRetry)
	}
}

func (w *world) resolveSome() {
	offsets := []int64{w.next + 7}
	for _, off := range w.d.sorted() {
		if w.rng.IntN(10) == 0 {
			offsets = append(offsets, off)
		}
	}
	want := None
	if len(w.d.msgs) > 0 {
		for _, off := range offsets {
			if w.d.msgs[off] != nil {
				w.d.resolve(off)
			}
		}
		w.d.settle()
		want = w.d.commit
	}
	if got := w.q.Resolve(offsets); got != want {
		w.t.Fatalf("Resolve: %d, want %d", got, want)
	}
}

func (w *world) clear() {
	clear(w.d.msgs)
	clear(w.d.done)
	w.q.Clear()
}

func (w *world) waiting() int {
	n := 0
	for _, m := range w.d.msgs {
		if m.state == waiting {
			n++
		}
	}
	return n
}

func (w *world) check() {
	w.t.Helper()
	offsets := w.d.sorted()
	if !slices.Equal(offsets, cached(w.q)) {
		w.t.Fatalf("cached %v, want %v", cached(w.q), offsets)
	}
	var bytes, span int64
	for _, m := range w.d.msgs {
		bytes += int64(m.size)
	}
	if len(offsets) > 0 {
		span = offsets[len(offsets)-1] - offsets[0]
	}
	type load struct {
		Count, Waiting, Held int
		Bytes, Span, Commit  int64
	}
	want := load{len(offsets), w.waiting(), len(w.taken) + len(w.failed), bytes, span, w.d.commit}
	got := load{Waiting: w.q.Waiting(), Held: w.q.Running(), Commit: w.q.Committable()}
	got.Count, got.Bytes, got.Span = w.q.Load()
	if diff := gocmp.Diff(want, got); diff != "" {
		w.t.Fatalf("counts (-want +got):\n%s", diff)
	}
	w.checkRuns(w.q.Window(0).Runs)
}

func (w *world) checkRuns(runs []snapshot.Run) {
	w.t.Helper()
	stateAt := func(off int64) snapshot.MessageState {
		i, ok := slices.BinarySearchFunc(runs, off, func(r snapshot.Run, off int64) int {
			if r.To < off {
				return -1
			}
			return cmp.Compare(max(r.From, off), off)
		})
		if !ok {
			w.t.Fatalf("offset %d is in no run of %v", off, runs)
		}
		return runs[i].State
	}
	for i := 1; i < len(runs); i++ {
		if runs[i].From != runs[i-1].To+1 || runs[i].To < runs[i].From || runs[i].State == runs[i-1].State {
			w.t.Fatalf("runs %v and %v do not join", runs[i-1], runs[i])
		}
	}
	for off, m := range w.d.msgs {
		if got := stateAt(off); got != m.state.shown() {
			w.t.Fatalf("offset %d shows as %d, want %d", off, got, m.state.shown())
		}
	}
	for off := range w.d.done {
		if got := stateAt(off); got != snapshot.Done {
			w.t.Fatalf("offset %d shows as %d, want done", off, got)
		}
	}
}

// finishAll ends what is under way; then nothing may be left and all bytes must be free.
func (w *world) finishAll() {
	w.t.Helper()
	for len(w.swept) > 0 {
		w.sweepEnds()
	}
	w.finishThese(w.failed)
	w.finishThese(w.taken)
	w.taken, w.failed = nil, nil
	w.q.Resolve(w.d.sorted())
	if count, bytes, span := w.q.Load(); count != 0 || bytes != 0 || span != 0 || w.q.slots.n != 0 || w.q.Running() != 0 {
		w.t.Fatalf("left: count %d, bytes %d, span %d, slots %d", count, bytes, span, w.q.slots.n)
	}
	for i, o := range w.owners {
		if o.released != 1 {
			w.t.Fatalf("bytes of batch %d were released %d times", i, o.released)
		}
	}
}
