package processqueue

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestOrderlyScriptsOfJava replays what ConsumeMessageOrderlyService does to a queue, and in
// the mixed scripts whatever one may do. Every result and every list of offsets is compared.
// These differences are meant:
//
//   - Commit of nothing returns None; Java throws.
//   - What is in the consuming set is still cached: its messages count for the span, hold
//     back what Resolve returns, and can be resolved. Java's removeMessage and getMaxSpan do
//     not see them.
//   - A message that is put back after it was committed or cleared is let go. Java caches it
//     again without counting it, and its counters go below zero; here the counters are
//     always those of the contents. (The test puts such messages in anew, to go on.)
//   - A message that is pulled again while it is in the consuming set is a duplicate. Java
//     caches it a second time and would consume it twice; four scripts end where that happens.
//   - Another body size, a lower offset put in late: see TestConcurrentScriptsOfJava.
func TestOrderlyScriptsOfJava(t *testing.T) {
	scripts := append(javaScripts(t, "orderly"), javaScripts(t, "mixed")...)
	if len(scripts) != 133 {
		t.Fatalf("%d scripts, want 133", len(scripts))
	}
	ops, ended := map[string]int{}, 0
	for _, s := range scripts {
		r := &orderlyReplay{t: t, script: s.Script, q: New(testQueue, 1), sizes: map[int64]int64{}, highest: None}
		for n, op := range s.Ops {
			r.at = n
			if r.twice(op) {
				ended++
				break
			}
			ops[op.Op]++
			r.do(op)
			r.compare(op)
		}
	}
	if ended != 4 {
		t.Errorf("%d scripts ended early, want 4", ended)
	}
	want := map[string]int{
		"put": 805, "take": 1040, "rollback": 404, "info": 344, "again": 355, "commit": 191,
		"clear": 118, "hasTemp": 178, "span": 169, "remove": 163, "contains": 145,
	}
	if diff := cmp.Diff(want, ops); diff != "" {
		t.Errorf("operations replayed (-want +got):\n%s", diff)
	}
}

type orderlyReplay struct {
	t          *testing.T
	script, at int
	q          *Queue
	h          Hand
	sizes      map[int64]int64 // of all messages ever put, as last put
	highest    int64
	skewed     bool // Java's counters are wrong from here to the next clear
}

func (r *orderlyReplay) fail(format string, args ...any) {
	r.t.Helper()
	r.t.Fatalf("script %d operation %d: "+format, append([]any{r.script, r.at}, args...)...)
}

// taken and waits are the two maps of Java.
func (r *orderlyReplay) taken() []int64 { return r.inState(consuming, kept) }
func (r *orderlyReplay) waits() []int64 { return r.inState(waiting) }

func (r *orderlyReplay) inState(states ...state) []int64 {
	list := []int64{}
	for i := range r.q.slots.n {
		if s := r.q.slots.at(i); slices.Contains(states, s.state) {
			list = append(list, s.offset)
		}
	}
	return list
}

func (r *orderlyReplay) do(op javaOp) {
	r.t.Helper()
	now := r.q.born
	switch op.Op {
	case "put":
		r.put(op.Messages)
	case "take":
		r.q.Keep(now, &r.h, 0) // several takes make one consuming set
		r.q.TakeOrdered(now, &r.h, op.N)
		if diff := cmp.Diff(decode[[]int64](r.t, op.Result), offsetsOf(r.h.Messages)); diff != "" {
			r.fail("taken (-want +got):\n%s", diff)
		}
	case "commit":
		want := None
		if op.Error == nil {
			want = decode[int64](r.t, op.Result)
		} else if len(r.taken()) > 0 {
			r.fail("Java has nothing to commit, we have %v", r.taken())
		}
		if got := r.q.Commit(now, &r.h, 0); got != want {
			r.fail("commit %d, want %d", got, want)
		}
	case "rollback":
		r.q.Rollback(now, &r.h)
	case "again":
		r.again(op.Offsets)
	case "remove":
		r.remove(op)
	case "clear":
		r.q.Clear()
		r.skewed = false
		r.highest = None
	case "span":
		want := int64(0)
		if first, last, ok := r.q.Bounds(); ok {
			want = last - first
		}
		if java := decode[int64](r.t, op.Result); len(r.taken()) == 0 && want != java {
			r.fail("span %d, Java's is %d", want, java)
		}
		if _, _, got := r.q.Load(); got != want {
			r.fail("span %d, want %d", got, want)
		}
	case "hasTemp":
		if got := r.q.Waiting() > 0; got != decode[bool](r.t, op.Result) {
			r.fail("hasTemp %t", got)
		}
	case "contains":
		if got := slices.Contains(r.waits(), op.Offset); got != decode[bool](r.t, op.Result) {
			r.fail("contains %d: %t", op.Offset, got)
		}
	case "info":
		r.info(decode[map[string]any](r.t, op.Result))
	default:
		r.fail("unknown operation %q", op.Op)
	}
}

// twice tells whether op puts in a message that is in the consuming set.
func (r *orderlyReplay) twice(op javaOp) bool {
	taken := r.taken()
	return op.Op == "put" && slices.ContainsFunc(op.Messages, func(m []int64) bool { return slices.Contains(taken, m[0]) })
}

func (r *orderlyReplay) put(messages [][]int64) {
	r.t.Helper()
	var msgs []stored
	cachedNow := append(r.taken(), r.waits()...)
	for _, m := range messages {
		known := slices.Contains(cachedNow, m[0]) || slices.ContainsFunc(msgs, func(s stored) bool { return s.offset == m[0] })
		if known {
			r.skewed = r.skewed || r.sizes[m[0]] != m[1] // Java counts the old size and subtracts the new one
		} else {
			r.sizes[m[0]] = m[1]
			r.highest = max(r.highest, m[0])
		}
		msgs = append(msgs, stored{m[0], int(m[1])})
	}
	put(r.t, r.q, msgs...)
}

// again puts back the messages last taken. Those that are cached no more come back in Java.
func (r *orderlyReplay) again(offsets []int64) {
	r.t.Helper()
	if !r.h.Empty() && len(r.taken()) > 0 {
		if diff := cmp.Diff(offsets, offsetsOf(r.h.Messages)); diff != "" {
			r.fail("put back (-want +got):\n%s", diff)
		}
	}
	r.q.ConsumeAgain(r.q.born, &r.h)
	all := append(r.taken(), r.waits()...)
	var gone []stored
	for _, off := range offsets {
		if !slices.Contains(all, off) {
			gone = append(gone, stored{off, int(r.sizes[off])})
		}
	}
	if len(gone) > 0 {
		r.skewed = true
		put(r.t, r.q, gone...)
	}
}

// remove leaves out what is in the consuming set, as Java's does.
func (r *orderlyReplay) remove(op javaOp) {
	r.t.Helper()
	taken := r.taken()
	offsets := slices.DeleteFunc(slices.Clone(op.Offsets), func(off int64) bool { return slices.Contains(taken, off) })
	got, java := r.q.Resolve(offsets), decode[int64](r.t, op.Result)
	waits := r.waits()
	switch {
	case len(taken) > 0: // Java skips them: what it returns is too high
		if low := slices.Min(append(taken, waits...)); got != low {
			r.fail("resolved up to %d, want %d", got, low)
		}
	case java >= 0 && len(waits) == 0:
		if got != r.q.highest+1 {
			r.fail("resolved up to %d, want one past %d", got, r.q.highest)
		}
	case got != java:
		r.fail("resolved up to %d, Java says %d", got, java)
	}
}

func (r *orderlyReplay) info(info map[string]any) {
	r.t.Helper()
	check := func(name string, list []int64) {
		want := []float64{0, 0, float64(len(list))}
		if len(list) > 0 {
			want[0], want[1] = float64(slices.Min(list)), float64(slices.Max(list))
		}
		got := []float64{}
		for _, part := range []string{"MinOffset", "MaxOffset", "Count"} {
			got = append(got, info[name+part].(float64))
		}
		if diff := cmp.Diff(got, want); diff != "" {
			r.fail("%s (-java +ours):\n%s", name, diff)
		}
	}
	check("cachedMsg", r.waits())
	check("transactionMsg", r.taken())
}

// compare holds the contents against Java's, and the counters against the contents.
func (r *orderlyReplay) compare(op javaOp) {
	r.t.Helper()
	if diff := cmp.Diff(decode[[]int64](r.t, op.State[2]), r.waits()); diff != "" {
		r.fail("%s: waiting (-want +got):\n%s", op.Op, diff)
	}
	if diff := cmp.Diff(decode[[]int64](r.t, op.State[3]), r.taken()); diff != "" {
		r.fail("%s: consuming set (-want +got):\n%s", op.Op, diff)
	}
	all := append(r.taken(), r.waits()...)
	var sum int64
	for _, off := range all {
		sum += r.sizes[off]
	}
	count, bytes, _ := r.q.Load()
	if count != len(all) || bytes != sum || r.q.Waiting() != len(r.waits()) {
		r.fail("%s: %d messages, %d waiting and %d bytes, holds %d, %d and %d", op.Op, count, r.q.Waiting(), bytes, len(all), len(r.waits()), sum)
	}
	if !r.skewed {
		java := []int64{decode[int64](r.t, op.State[0]), decode[int64](r.t, op.State[1])}
		if diff := cmp.Diff(java, []int64{int64(count), bytes}); diff != "" {
			r.fail("%s: count and bytes (-java +ours):\n%s", op.Op, diff)
		}
	}
}
