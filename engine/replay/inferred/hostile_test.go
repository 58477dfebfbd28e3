package inferred

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mqscope/engine/capture"
	"mqscope/engine/capture/infer"
	"mqscope/engine/capture/infer/infertest"
	"mqscope/engine/mq"
	"mqscope/engine/recording"
	"mqscope/engine/replay"
	"mqscope/engine/snapshot"
)

func content(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// open makes a Track of the bytes of a file.
func open(t testing.TB, data []byte) (*Track, error) {
	t.Helper()
	again := func() (*recording.Reader, error) { return recording.NewReader(bytes.NewReader(data), int64(len(data))) }
	r, err := again()
	if err != nil {
		return nil, err
	}
	tr, err := newTrack(r, replay.Options{Again: again})
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	t.Cleanup(func() {
		if err := tr.Close(); err != nil {
			t.Error(err)
		}
	})
	return tr, nil
}

// walk plays all of a Track, seeks and draws, and returns how many events there were.
func walk(t testing.TB, tr *Track) (events uint64) {
	t.Helper()
	for {
		_, err := tr.Next()
		if err == nil {
			continue
		}
		_, damaged := errors.AsType[*recording.Damage](err)
		if !errors.Is(err, io.EOF) && !damaged {
			t.Fatalf("neither the end nor damage: %v", err)
		}
		if damaged != (tr.Info().Damage != "") && damaged {
			t.Fatalf("damage is not told: %v", err)
		}
		break
	}
	events = tr.State().Seq
	if p := tr.Picture(); p == nil || !p.Replay.Inferred {
		t.Fatal("no picture")
	}
	for _, n := range []uint64{tr.Info().Total / 2, 0, tr.Info().Total} {
		if err := tr.Seek(n); err != nil {
			t.Fatal(err)
		}
	}
	for _, err := range tr.Moments(0) {
		if err != nil {
			break
		}
	}
	return events
}

func TestFilesThatAreCutAnywhere(t *testing.T) {
	whole := content(t, record(t, infertest.Read(t, "pull").Events[:50], RecorderOptions{}))
	var before uint64
	step := 1
	if raceEnabled { // one goroutine at a time plays it: the run without the detector cuts everywhere
		step = 11
	}
	for n := (len(whole) - 1) % step; n < len(whole); n += step { // the last byte but one is among them
		tr, err := open(t, whole[:n])
		if err != nil {
			if before > 0 {
				t.Fatalf("cut at %d: %v", n, err)
			}
			continue
		}
		events := walk(t, tr)
		if events < before || events > 50 {
			t.Fatalf("cut at %d: %d events, %d before", n, events, before)
		}
		before = events
	}
	if before != 50 {
		t.Errorf("the last byte but one: %d events", before)
	}
}

func TestFilesWithAnyBitWrong(t *testing.T) {
	events := infertest.Read(t, "push-tags").Events
	whole := content(t, record(t, events, RecorderOptions{Apart: 64 << 10}))
	rnd := rand.New(rand.NewPCG(7, 8))
	rounds := 1500
	if raceEnabled {
		rounds = 150
	}
	for range rounds {
		data := bytes.Clone(whole)
		at := rnd.IntN(8 * len(data))
		data[at/8] ^= 1 << (at % 8)
		tr, err := open(t, data)
		if err != nil {
			continue
		}
		want := infer.NewState()
		for i := 0; ; i++ { // what is played is what was, up to where it ends
			_, err := tr.Next()
			if err != nil {
				break
			}
			want.Step(events[i])
			if tr.State().Seq != want.Seq || len(tr.State().Groups) != len(want.Groups) || !tr.At().Equal(want.At) {
				t.Fatalf("bit %d: event %d at %v, want %d at %v", at, tr.State().Seq, tr.At(), want.Seq, want.At)
			}
		}
		walk(t, tr)
	}
}

// TestBehindDamageOneGoesOnAtACheckpoint: what lies between is not guessed, and the damage is told.
func TestBehindDamageOneGoesOnAtACheckpoint(t *testing.T) {
	events := infertest.Read(t, "pop").Events
	for i := len(events); len(events) < 8000; i++ {
		e := events[i-900]
		e.Seq, e.At = uint64(i+1), e.At.Add(time.Second)
		events = append(events, e)
	}
	data := content(t, record(t, events, RecorderOptions{Apart: 64 << 10}))
	for i := range 64 {
		data[len(data)/2+i] ^= 0x5a
	}
	tr, err := open(t, data)
	if err != nil {
		t.Fatal(err)
	}
	var last uint64
	for m, err := range tr.Moments(0) {
		if err != nil {
			break
		}
		last = m.Event
	}
	if last == 0 || last >= tr.Info().Total || tr.Info().Damage == "" {
		t.Fatalf("played up to %d of %d, damage %q", last, tr.Info().Total, tr.Info().Damage)
	}
	if err := tr.Seek(last + 1); err != nil || tr.Event() != last {
		t.Errorf("%v: stands at %d, want %d", err, tr.Event(), last)
	}
	if _, err := tr.Next(); err == nil {
		t.Error("plays into the damage")
	}
	if err := tr.Seek(tr.Info().Total); err != nil || tr.State().Seq != 8000 {
		t.Errorf("%v: %d events at the end", err, tr.State().Seq)
	}
}

func TestTimeThatRunsBack(t *testing.T) {
	events := infertest.Read(t, "push-tags").Events
	for i := 100; i < len(events); i++ {
		events[i].At = events[i].At.Add(-time.Hour)
	}
	tr := play(t, record(t, events, RecorderOptions{}), replay.Options{})
	if err := tr.SeekTime(events[99].At); err != nil {
		t.Fatal(err)
	}
	if tr.State().Seq < 100 {
		t.Errorf("stands behind event %d", tr.State().Seq)
	}
	walk(t, tr)
}

func TestMillionsOfQueuesAndHostileNames(t *testing.T) {
	at := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	var events []infer.Event
	for i := range 51_000 {
		name := fmt.Sprintf("g\x1b[31m\u202e%d", i%3)
		q := mq.MessageQueue{Topic: fmt.Sprint("t\x00\n", i), BrokerName: "b"}
		events = append(events, infer.Event{At: at.Add(time.Duration(i) * time.Millisecond), Conn: i, Fact: infer.PullDone{
			Client: fmt.Sprint("c", i), Group: name, Queue: q, Answered: true, Status: mq.Found, Next: int64(i), Max: 1 << 60,
		}})
	}
	long := strings.Repeat("x", 6<<20) // more than a record has room for
	events = append(events, infer.Event{At: at.Add(time.Hour), Fact: infer.Failed{Client: "c", Remark: long}})
	tr := play(t, record(t, events, RecorderOptions{}), replay.Options{})
	if err := tr.Seek(tr.Info().Total); err != nil {
		t.Fatal(err)
	}
	if tr.State().Seq != 51_001 || tr.State().Dropped == 0 {
		t.Errorf("%d events, %d dropped", tr.State().Seq, tr.State().Dropped)
	}
	m, ok := last(tr)
	if !ok || m.Interest == 0 || !strings.Contains(m.Words, "failed of 6291") {
		t.Errorf("in place of what is too large: %.200q", m.Words)
	}
	if err := tr.Seek(tr.Info().Total / 2); err != nil {
		t.Fatal(err)
	}
	if len(tr.Picture().Queues) == 0 || tr.kept.bytes > keptBytes {
		t.Errorf("%d bytes are kept", tr.kept.bytes)
	}
}

func last(tr *Track) (m snapshot.Moment, ok bool) {
	for one, err := range tr.Moments(tr.Info().Total) {
		m, ok = one, err == nil
	}
	return m, ok
}

func TestCapturesThatAreNoRocketMQ(t *testing.T) {
	dir := t.TempDir()
	for name, test := range map[string]struct {
		data []byte
		says string
	}{
		"empty":   {nil, "empty"},
		"other":   {[]byte("#!/bin/sh\necho"), "neither pcap nor pcapng"},
		"nothing": {infertest.Capture(t, "pull")[:24], "no RocketMQ traffic"},
		"cut":     {infertest.Capture(t, "pull")[:30], "no RocketMQ traffic"},
		"ours":    {[]byte("MQREC\r\n\x1a"), "a recording already"},
	} {
		_, err := Import(t.Context(), bytes.NewReader(test.data), filepath.Join(dir, "x.mqrec"), ImportOptions{})
		if err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v, left are %v", err, left)
	}
}

func TestACaptureThatIsCutIsImportedUpToThere(t *testing.T) {
	data := infertest.Capture(t, "push-tags")
	path, s := imported(t, data[:len(data)/2], ImportOptions{Name: "/some/where/clients.pcap"})
	if s.Stats.Notes[capture.NoteFile] != 1 || s.Events == 0 {
		t.Errorf("%+v", s)
	}
	tr := play(t, path, replay.Options{})
	if got := tr.Info().Header.Meta["capture"]; got != "clients.pcap" {
		t.Errorf("of %q", got)
	}
	if walk(t, play(t, path, replay.Options{})) != s.Events {
		t.Error("other events")
	}
}
