package inferred

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"time"

	"mqscope/engine/capture"
	"mqscope/engine/capture/infer"
	"mqscope/engine/capture/infer/infertest"
	"mqscope/engine/recording"
	"mqscope/engine/snapshot"
)

// memory is what a Recorder appends to in these tests.
type memory struct{ records []recording.Record }

func (m *memory) Append(r recording.Record) {
	r.Payload = bytes.Clone(r.Payload)
	m.records = append(m.records, r)
}

func recordsOf(t testing.TB, events []infer.Event) []recording.Record {
	t.Helper()
	m := &memory{}
	r := NewRecorder(m, RecorderOptions{Apart: 64 << 10})
	for _, e := range events {
		r.Add(e)
	}
	r.checkpoint(events[len(events)-1].At)
	return m.records
}

// FuzzRecord: payloads of any bytes are events, checkpoints or errors; what follows from them is
// taken, drawn and recorded again without failing.
func FuzzRecord(f *testing.F) {
	records := recordsOf(f, infertest.Read(f, "push-tags").Events)
	events := infertest.Read(f, "push-orderly").Events
	seen := map[string]bool{}
	for _, r := range records {
		kind := "checkpoint"
		if r.Kind == kindEvent {
			var e entry
			if err := decodeEvent(codec(), recording.Entry{Record: r}, &e); err != nil {
				f.Fatal(err)
			}
			kind = infer.Kind(e.Fact)
		} else {
			r.Payload = r.Payload[1:]
		}
		if !seen[kind] {
			seen[kind] = true
			f.Add(r.Kind == kindEvent, r.Payload)
		}
	}
	f.Add(false, records[len(records)-1].Payload[1:])
	c := codec()
	f.Fuzz(func(t *testing.T, event bool, payload []byte) {
		tr := &Track{codec: c, group: "g_ord"}
		tr.fresh()
		if event {
			e := recording.Entry{Record: recording.Record{Kind: kindEvent, At: time.Unix(1, 0), Payload: payload}, Number: 1}
			if err := tr.take(e); err != nil {
				return
			}
			m := momentOf(1, e.At, &tr.entry)
			if m.Kind == "unknown" || m.Interest > snapshot.InterestGap {
				t.Fatalf("%+v", m)
			}
		} else {
			cp, err := unpackCheckpoint(c, payload)
			if err != nil {
				return
			}
			tr.stand(cp.State, cp.Memory, 1, cp.State.At)
		}
		for _, e := range events[:min(len(events), 300)] {
			e := entry{Seq: e.Seq, Conn: e.Conn, Fact: e.Fact}
			if err := tr.take(recording.Entry{Record: recording.Record{Payload: c.Append(nil, &e)}, Number: 2}); err != nil {
				break // the checkpoint claimed what no traffic leads to
			}
		}
		if tr.Picture() == nil {
			t.Fatal("no picture")
		}
	})
}

// memDisk has one file, in memory: the real one takes its time to be sure.
type memDisk struct {
	recording.Disk
	memFile
}

func (d *memDisk) Create(string) (recording.File, error) { return &d.memFile, nil }
func (d *memDisk) Remove(string) error                   { return nil }

type memFile struct{ data []byte }

func (m *memFile) WriteAt(p []byte, at int64) (int, error) {
	if need := int(at) + len(p); need > len(m.data) {
		m.data = append(m.data, make([]byte, need-len(m.data))...)
	}
	return copy(m.data[at:], p), nil
}

func (m *memFile) ReadAt(p []byte, at int64) (int, error) {
	return bytes.NewReader(m.data).ReadAt(p, at)
}
func (m *memFile) Truncate(size int64) error { m.data = m.data[:size]; return nil }
func (m *memFile) Size() (int64, error)      { return int64(len(m.data)), nil }
func (m *memFile) Sync() error               { return nil }
func (m *memFile) Close() error              { return nil }

// FuzzImport: whatever a capture says, it becomes a recording that plays to its end.
func FuzzImport(f *testing.F) {
	for _, name := range []string{"pull", "push-tags"} {
		data := infertest.Capture(f, name)
		f.Add(data[:min(len(data), 24<<10)], "")
		f.Add(data[:min(len(data), 24<<10)], "g_tags")
	}
	f.Add(infertest.Capture(f, "pull")[:24], "")
	f.Fuzz(func(t *testing.T, data []byte, group string) {
		if len(data) > 1 && data[0] == 0x1f && data[1] == 0x8b {
			return // packed: it could be very long
		}
		in, err := capture.Read(bytes.NewReader(data), capture.Options{FrameBytes: 1 << 20, Conns: 64})
		if err != nil {
			return
		}
		disk := &memDisk{}
		o := ImportOptions{Group: group}
		w, err := recording.Create("x", o.header(), recording.Options{FS: disk, QueueBytes: queueBytes})
		if err != nil {
			t.Fatal(err)
		}
		m := newImporter(in, w, o)
		if err := m.run(t.Context()); err != nil {
			if _, none := errors.AsType[*capture.NoTrafficError](err); !none {
				t.Fatal(err)
			}
			return
		}
		events := m.rec.State().Seq
		tr, err := open(t, disk.data)
		if err != nil {
			if events > 0 {
				t.Fatal(err)
			}
			return
		}
		for {
			if _, err := tr.Next(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
		if tr.State().Seq != events || tr.Picture() == nil {
			t.Fatalf("%d events played, %d imported", tr.State().Seq, events)
		}
	})
}
