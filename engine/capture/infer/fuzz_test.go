package infer_test

import (
	"bytes"
	"testing"

	"mqscope/engine/capture"
	"mqscope/engine/capture/infer"
	"mqscope/engine/capture/infer/infertest"
)

// FuzzInfer: whatever a capture says, making sense of it does not fail, and the same items
// give the same picture.
func FuzzInfer(f *testing.F) {
	for _, name := range []string{"pull", "push-tags"} {
		data := infertest.Capture(f, name)
		f.Add(data[:min(len(data), 24<<10)])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1 && data[0] == 0x1f && data[1] == 0x8b {
			return
		}
		r, err := capture.Read(bytes.NewReader(data), capture.Options{FrameBytes: 1 << 20, Conns: 64})
		if err != nil {
			return
		}
		n, again := infer.New(), infer.NewState()
		for {
			it, err := r.Next()
			if err != nil {
				break
			}
			for _, e := range n.Step(it) {
				again.Step(e)
			}
		}
		if again.Seq != n.State().Seq || len(again.Groups) != len(n.State().Groups) {
			t.Fatalf("events give another picture: %d of %d", again.Seq, n.State().Seq)
		}
		for _, g := range again.SortedGroups() {
			for _, q := range g.SortedQueues() {
				o := n.State().Groups[g.Name].Queues[q.Queue]
				if o == nil || o.Window != q.Window || o.Committed != q.Committed || len(o.Pullers) != len(q.Pullers) {
					t.Fatalf("%+v, want %+v", q, o)
				}
				again.Lag(g.Name, q.Queue)
			}
		}
	})
}
