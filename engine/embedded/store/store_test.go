package store_test

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/embedded/store"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

var host = netip.MustParseAddrPort("127.0.0.1:10911")

func newStore(t testing.TB, cfg store.Config) *store.Store {
	t.Helper()
	if cfg.Delays == nil {
		cfg.Delays = []time.Duration{time.Second, 5 * time.Second, time.Minute}
	}
	return store.New(cfg)
}

// put stores one message at time ms.
func put(t testing.TB, s *store.Store, topic string, queue int32, ms int64, tags, body string) store.Place {
	t.Helper()
	p, err := s.Append(s.Queue(topic, queue), message(ms, tags, body), protocol.TagCode(tags))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func message(ms int64, tags, body string) *protocol.StoredMessage {
	m := &protocol.StoredMessage{StoreTime: ms, BornTime: ms, BornHost: host, StoreHost: host, Body: []byte(body)}
	if tags != "" {
		m.Properties = protocol.AppendProperties(nil, []protocol.Property{{Name: mq.PropertyTags, Value: tags}})
	}
	return m
}

// bodies lists "offset=body" of the records of a read.
func bodies(t testing.TB, records []byte) []string {
	t.Helper()
	var b mq.Batch
	b.Reset(records, nil)
	if err := protocol.IndexMessages(&b, 0); err != nil {
		t.Fatal(err)
	}
	var list []string
	for i := range b.Len() {
		list = append(list, fmt.Sprintf("%d=%s", b.At(i).QueueOffset(), b.At(i).Body()))
	}
	return list
}

func read(t testing.TB, s *store.Store, q *store.Queue, offset int64, w store.Window) (store.Result, []string) {
	t.Helper()
	r, _ := s.Read(q, offset, w, nil)
	list := bodies(t, r.Body)
	if len(list) != r.Count {
		t.Errorf("count %d of %d records", r.Count, len(list))
	}
	return r, list
}

func all(want int32) store.Window { return store.Window{Want: want, Filter: &store.Filter{All: true}} }

func TestReadSaysWhereInTheQueueAnOffsetLies(t *testing.T) {
	s := newStore(t, store.Config{})
	q := s.Queue("T", 0)
	type outcome struct {
		Status         store.Status
		Next, Min, Max int64
	}
	at := func(q *store.Queue, offset int64) outcome {
		r, _ := read(t, s, q, offset, all(32))
		return outcome{r.Status, r.Next, r.Min, r.Max}
	}
	for _, q := range []*store.Queue{q, nil} {
		if diff := cmp.Diff(outcome{store.NoMessageInQueue, 0, 0, 0}, at(q, 5)); diff != "" {
			t.Errorf("empty queue (-want +got):\n%s", diff)
		}
	}
	for i := range 10 {
		put(t, s, "T", 0, int64(i), "", fmt.Sprint(i))
	}
	s.Trim(q, 4)
	for _, test := range []struct {
		name   string
		offset int64
		want   outcome
	}{
		{"before the smallest", 3, outcome{store.OffsetTooSmall, 4, 4, 10}},
		{"negative", -1, outcome{store.OffsetTooSmall, 4, 4, 10}},
		{"the smallest", 4, outcome{store.Found, 10, 4, 10}},
		{"the last", 9, outcome{store.Found, 10, 4, 10}},
		{"the end", 10, outcome{store.OffsetOverflowOne, 10, 4, 10}},
		{"beyond the end", 11, outcome{store.OffsetOverflowBadly, 10, 4, 10}},
	} {
		if diff := cmp.Diff(test.want, at(q, test.offset)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
	s.Trim(q, 10)
	if diff := cmp.Diff(outcome{store.OffsetOverflowOne, 10, 10, 10}, at(q, 10)); diff != "" {
		t.Errorf("a fully expired queue at its end (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(outcome{store.OffsetTooSmall, 10, 10, 10}, at(q, 0)); diff != "" {
		t.Errorf("a fully expired queue before its end (-want +got):\n%s", diff)
	}
}

func TestReadLimitsCountBytesAndScan(t *testing.T) {
	s := newStore(t, store.Config{MaxBytes: 16 << 20})
	q := s.Queue("T", 0)
	for i := range 1000 {
		tag := "B"
		if i == 990 {
			tag = "A"
		}
		put(t, s, "T", 0, int64(i), tag, "x")
	}
	size := put(t, s, "T", 0, 0, "B", "x").Size
	a, b := &store.Filter{Codes: []int32{65}}, &store.Filter{Codes: []int32{1, 66}}
	for _, test := range []struct {
		name   string
		offset int64
		w      store.Window
		status store.Status
		count  int
		next   int64
	}{
		{"32 by default", 0, store.Window{Want: 64, Filter: b}, store.Found, 32, 32},
		{"as many as wanted", 0, store.Window{Want: 5, Filter: b}, store.Found, 5, 5},
		{"one if none is wanted", 0, store.Window{Want: 0, Filter: b}, store.Found, 1, 1},
		{"more when allowed", 0, store.Window{Want: 100, MaxCount: 200, Filter: b}, store.Found, 100, 100},
		{"bytes end an answer", 0, store.Window{Want: 32, MaxBytes: 3*size + 1, Filter: b}, store.Found, 3, 3},
		{"one message however large", 0, store.Window{Want: 32, MaxBytes: 1, Filter: b}, store.Found, 1, 1},
		{"a filtered scan ends after 800", 0, store.Window{Want: 32, Filter: a}, store.NoMatchedMessage, 0, 800},
		{"scanning goes on behind the last match", 500, store.Window{Want: 32, Filter: a}, store.Found, 1, 1001},
		{"a large wish scans further", 0, store.Window{Want: 995, MaxCount: 1000, Filter: a}, store.Found, 1, 995},
	} {
		r, _ := read(t, s, q, test.offset, test.w)
		if r.Status != test.status || r.Count != test.count || r.Next != test.next {
			t.Errorf("%s: %v, %d messages, next %d; want %v, %d, %d", test.name, r.Status, r.Count, r.Next, test.status, test.count, test.next)
		}
	}
}

func TestFilterComparesTheLow32Bits(t *testing.T) {
	f := store.Filter{Codes: []int32{-5}}
	for tag, want := range map[int64]bool{-5: true, 0xfffffffb: true, 5: false, 0: false} {
		if f.Match(tag) != want {
			t.Errorf("tag %d matches: %v", tag, !want)
		}
	}
	if none := (store.Filter{}); none.Match(0) {
		t.Error("a filter without codes matches")
	}
}

func TestReadGathersWhatLiesApart(t *testing.T) {
	// Small segments, so that answers cross their ends, and three queues in turn.
	s := newStore(t, store.Config{MaxBytes: store.LeastMaxBytes})
	for i := range 1500 {
		put(t, s, "T", int32(i%3), int64(i), "", fmt.Sprintf("%d-%s", i, strings.Repeat("x", i%400)))
	}
	var buf []byte
	for id := range int32(3) {
		q := s.Queue("T", id)
		for at := q.Min(); at < q.Max(); {
			var r store.Result
			r, buf = s.Read(q, at, store.Window{Want: 32, Filter: &store.Filter{All: true}}, buf)
			for _, text := range bodies(t, r.Body) {
				n := int(at)*3 + int(id)
				if want := fmt.Sprintf("%d=%d-%s", at, n, strings.Repeat("x", n%400)); text != want {
					t.Fatalf("queue %d: %.40s, want %.40s", id, text, want)
				}
				at++
			}
			if at != r.Next {
				t.Fatalf("queue %d: next %d after %d", id, r.Next, at)
			}
		}
	}
}

func TestReadOfOneQueueAloneCopiesNothing(t *testing.T) {
	s := newStore(t, store.Config{})
	q := s.Queue("T", 0)
	for i := range 100 {
		put(t, s, "T", 0, int64(i), "", "some body")
	}
	w := all(32)
	if allocs := testing.AllocsPerRun(100, func() { s.Read(q, 10, w, nil) }); allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}

func TestMemoryIsBoundedOverAllQueues(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 7))
	dropped := map[string]int64{}
	const limit = 2 << 20
	s := newStore(t, store.Config{MaxBytes: limit, OnDrop: func(list []store.Dropped) {
		for _, d := range list {
			key := fmt.Sprint(d.Topic, d.QueueID)
			if d.From != dropped[key] || d.To <= d.From {
				t.Errorf("%s: dropped %d to %d after %d", key, d.From, d.To, dropped[key])
			}
			dropped[key] = d.To
		}
	}})
	stored := map[string]int64{}
	for i := range 20_000 {
		topic := fmt.Sprint("T", rnd.IntN(8))
		id := int32(rnd.IntN(16))
		put(t, s, topic, id, int64(i), "", strings.Repeat("x", rnd.IntN(300)))
		stored[fmt.Sprint(topic, id)]++
		if s.Bytes() > limit {
			t.Fatalf("%d bytes after %d messages", s.Bytes(), i)
		}
	}
	var kept, gone int64
	for topic := range 8 {
		for _, q := range s.Queues(fmt.Sprint("T", topic)) {
			key := fmt.Sprint(q.Topic, q.ID)
			if q.Max() != stored[key] || q.Min() != dropped[key] {
				t.Errorf("%s: %d to %d, want %d to %d", key, q.Min(), q.Max(), dropped[key], stored[key])
			}
			for at := q.Min(); at < q.Max(); at++ {
				if s.RecordAt(q, at) == nil {
					t.Fatalf("%s: no record at %d", key, at)
				}
			}
			kept += q.Max() - q.Min()
			gone += q.Min()
		}
	}
	if kept+gone != 20_000 || s.Dropped() != gone || s.Count() != kept || gone == 0 || kept < 1000 {
		t.Errorf("kept %d, gone %d; the store says %d and %d", kept, gone, s.Count(), s.Dropped())
	}
}

func TestAMessageOverHalfTheMemoryIsRefused(t *testing.T) {
	s := newStore(t, store.Config{MaxBytes: store.LeastMaxBytes})
	if _, err := s.Append(s.Queue("T", 0), message(0, "", strings.Repeat("x", 600<<10)), 0); err != store.ErrFull {
		t.Errorf("%v, want ErrFull", err)
	}
	if s.Queue("T", 0).Max() != 0 {
		t.Error("it was stored all the same")
	}
}

func TestRecordsAreFoundByTheirPlaceOnly(t *testing.T) {
	s := newStore(t, store.Config{MaxBytes: store.LeastMaxBytes})
	var places []store.Place
	for i := range 1500 {
		places = append(places, put(t, s, "T", int32(i%5), int64(i), "", fmt.Sprint("body", i)))
	}
	good := map[int64]int{}
	for i, p := range places {
		good[p.PhysicalOffset] = i
	}
	start, end := s.LogRange()
	for pos := start - 300; pos < end+300; pos++ {
		record := s.Record(pos)
		i, begins := good[pos]
		switch {
		case record == nil && begins && pos >= start:
			t.Fatalf("message %d is not found at %d", i, pos)
		case record != nil && !begins:
			t.Fatalf("something was found at %d, where no record begins", pos)
		case record != nil && !strings.Contains(string(record), fmt.Sprint("body", i)):
			t.Fatalf("another message was found at %d", pos)
		}
	}
	for _, pos := range []int64{-1, 1 << 62, -1 << 62} {
		if s.Record(pos) != nil {
			t.Errorf("something was found at %d", pos)
		}
	}
}

func TestSearchByStoreTime(t *testing.T) {
	s := newStore(t, store.Config{})
	q := s.Queue("T", 0)
	for _, ms := range []int64{100, 200, 200, 300} {
		put(t, s, "T", 0, ms, "", "x")
	}
	for _, test := range []struct {
		name         string
		at           int64
		lower, upper int64
	}{
		{"before all", 50, 0, 0},
		{"at the first", 100, 0, 0},
		{"between", 150, 1, 0},
		{"at equal times", 200, 1, 2},
		{"before the last", 299, 3, 2},
		{"after all", 999, 4, 3},
	} {
		if lower, upper := s.Search(q, test.at, false), s.Search(q, test.at, true); lower != test.lower || upper != test.upper {
			t.Errorf("%s: lower %d, upper %d; want %d and %d", test.name, lower, upper, test.lower, test.upper)
		}
	}
	if got := s.Search(nil, 5, false); got != 0 {
		t.Errorf("unknown queue: %d", got)
	}
}

func TestQueueEqualsASlice(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 8 {
		s := newStore(t, store.Config{})
		q := s.Queue("T", 0)
		var model []string // by offset
		lo := int64(0)
		for range 2000 {
			switch n := rnd.IntN(100); {
			case n < 90:
				body := fmt.Sprint(rnd.Uint32())
				put(t, s, "T", 0, 0, "", body)
				model = append(model, body)
			case n < 96:
				to := lo + int64(rnd.IntN(60))
				s.Trim(q, to)
				lo = max(lo, min(to, int64(len(model))))
			default:
				to := max(int64(len(model)-rnd.IntN(80)), lo)
				s.Truncate(q, to)
				model = model[:to]
			}
			if q.Min() != lo || q.Max() != int64(len(model)) {
				t.Fatalf("%d to %d, want %d to %d", q.Min(), q.Max(), lo, len(model))
			}
		}
		for at := lo; at < int64(len(model)); at++ {
			if _, list := read(t, s, q, at, all(1)); list[0] != fmt.Sprintf("%d=%s", at, model[at]) {
				t.Fatalf("%s, want %s", list[0], model[at])
			}
		}
	}
}

func TestADeletedTopicBeginsAtZero(t *testing.T) {
	s := newStore(t, store.Config{})
	for i := range 5 {
		put(t, s, "T", 0, int64(i), "", "x")
	}
	put(t, s, "other", 0, 0, "", "y")
	s.Commits.Put("g", "T", 0, 3)
	before := s.Bytes()
	s.DeleteTopic("T")
	if _, ok := s.Commits.Get("g", "T", 0); ok || s.Lookup("T", 0) != nil || s.Bytes() >= before {
		t.Errorf("something of the topic is left")
	}
	if p := put(t, s, "T", 0, 9, "", "z"); p.QueueOffset != 0 {
		t.Errorf("offset %d", p.QueueOffset)
	}
	if _, list := read(t, s, s.Lookup("other", 0), 0, all(32)); list[0] != "0=y" {
		t.Errorf("another topic: %v", list)
	}
}

func BenchmarkAppend(b *testing.B) {
	s := newStore(b, store.Config{MaxBytes: 64 << 20})
	m := message(1, "TagA", strings.Repeat("x", 128))
	q := s.Queue("T", 0)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Append(q, m, 7); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRead32(b *testing.B) {
	s := newStore(b, store.Config{MaxBytes: 64 << 20})
	for i := range 40_000 {
		put(b, s, "T", int32(i%4), int64(i), "TagA", strings.Repeat("x", 128))
	}
	q := s.Queue("T", 0)
	w := all(32)
	var buf []byte
	at := int64(0)
	b.ReportAllocs()
	for b.Loop() {
		var r store.Result
		if r, buf = s.Read(q, at, w, buf); r.Next+32 > q.Max() {
			r.Next = 0
		}
		at = r.Next
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/32, "ns/msg")
}
