package processqueue

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// javaOp is one operation on Java's ProcessQueue and what it did.
type javaOp struct {
	Op       string
	Messages [][]int64 // offset, body bytes, perhaps MAX_OFFSET
	Offsets  []int64
	Offset   int64
	N        int
	Error    json.RawMessage
	Result   json.RawMessage
	State    []json.RawMessage // count, bytes, cached, taken, queueOffsetMax, consuming, backlog
}

type javaScript struct {
	Script int
	Style  string
	Ops    []javaOp
}

func javaScripts(t *testing.T, style string) []javaScript {
	t.Helper()
	f, err := os.Open("../../testdata/vectors/processqueue.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var scripts []javaScript
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var s javaScript
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			t.Fatal(err)
		}
		if s.Style == style {
			scripts = append(scripts, s)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return scripts
}

func decode[T any](t *testing.T, raw json.RawMessage) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestS3ConcurrentScriptsOfJava replays what ConsumeMessageConcurrentlyService does to a queue.
// Three differences are meant. The flag that Put returned for orderly consumption is gone.
// An emptied queue names one past the highest offset, where Java names one past the offset
// that was put in last (lower only when offsets were put in out of order). And when an
// offset is put in again with a body of another size, Java's sum is wrong from then on,
// since it never counts the new size but subtracts it; ours keeps the first message.
func TestS3ConcurrentScriptsOfJava(t *testing.T) {
	scripts := javaScripts(t, "concurrent")
	if len(scripts) != 67 {
		t.Fatalf("%d scripts, want 67", len(scripts))
	}
	for _, s := range scripts {
		q := New(testQueue, 1)
		highest := None
		sizes := map[int64]int64{} // of what is cached
		resized := false
		for n, op := range s.Ops {
			switch op.Op {
			case "put":
				var msgs []stored
				for _, m := range op.Messages {
					msgs = append(msgs, stored{m[0], int(m[1])})
					highest = max(highest, m[0])
					if size, ok := sizes[m[0]]; !ok {
						sizes[m[0]] = m[1]
					} else if size != m[1] {
						resized = true
					}
				}
				put(t, q, msgs...)
			case "remove":
				want := decode[int64](t, op.Result)
				if want >= 0 && string(op.State[0]) == "0" {
					want = highest + 1
				}
				for _, off := range op.Offsets {
					delete(sizes, off)
				}
				if got := q.Resolve(op.Offsets); got != want {
					t.Fatalf("script %d op %d: committable %d, want %d", s.Script, n, got, want)
				}
			case "span":
				if _, _, got := q.Load(); got != decode[int64](t, op.Result) {
					t.Fatalf("script %d op %d: span %d, want %s", s.Script, n, got, op.Result)
				}
			case "clear":
				q.Clear()
				clear(sizes)
				resized = false
			case "info":
				info := decode[map[string]any](t, op.Result)
				first, last, _ := q.Bounds()
				if float64(first) != info["cachedMsgMinOffset"] || float64(last) != info["cachedMsgMaxOffset"] {
					t.Fatalf("script %d op %d: bounds %d %d, want %v", s.Script, n, first, last, info)
				}
			default:
				t.Fatalf("script %d op %d: unknown operation %q", s.Script, n, op.Op)
			}
			count, bytes, _ := q.Load()
			sum := int64(0)
			for _, size := range sizes {
				sum += size
			}
			if java := decode[int64](t, op.State[1]); bytes != sum || !resized && bytes != java {
				t.Fatalf("script %d op %d %s: %d bytes, want %d (Java %d)", s.Script, n, op.Op, bytes, sum, java)
			}
			if int64(count) != decode[int64](t, op.State[0]) {
				t.Fatalf("script %d op %d %s: count %d, want %s", s.Script, n, op.Op, count, op.State[0])
			}
			if diff := cmp.Diff(decode[[]int64](t, op.State[2]), cached(q)); diff != "" {
				t.Fatalf("script %d op %d %s: cached offsets (-want +got):\n%s", s.Script, n, op.Op, diff)
			}
		}
	}
}
