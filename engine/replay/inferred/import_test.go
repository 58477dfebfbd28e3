package inferred

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mqscope/engine/capture"
	"mqscope/engine/capture/infer"
	"mqscope/engine/capture/infer/infertest"
	"mqscope/engine/recording"
	"mqscope/engine/replay"
)

func TestImportTellsWhatItFound(t *testing.T) {
	for _, name := range infertest.Names(t) {
		data := infertest.Capture(t, name)
		var told int64
		path, s := imported(t, data, ImportOptions{Progress: func(bytes int64, _ uint64) { told = bytes }})
		events := infertest.Of(t, data).Events
		if s.Events != uint64(len(events)) || s.Read != int64(len(data)) || !s.From.Equal(events[0].At) || !s.To.Equal(events[len(events)-1].At) {
			t.Errorf("%s: %+v, want %d events", name, s, len(events))
		}
		if told > s.Read {
			t.Errorf("%s: progress up to %d", name, told)
		}
		tr := play(t, path, replay.Options{})
		if i := tr.Info(); i.Header.Source != replay.SourceCapture || i.Header.Bodies != "none" || !i.From.Equal(s.From) || !i.To.Equal(s.To) || i.Damage != "" {
			t.Errorf("%s: %+v", name, i)
		}
	}
}

// stopAfter ends ctx once so many bytes were read.
type stopAfter struct {
	io.Reader
	left int
	stop context.CancelFunc
}

func (s *stopAfter) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p[:min(len(p), 1<<10)])
	if s.left -= n; s.left < 0 {
		s.stop()
	}
	return n, err
}

func TestImportThatIsEndedHasWhatWasRead(t *testing.T) {
	data := infertest.Capture(t, "push-orderly")
	ctx, stop := context.WithCancel(t.Context())
	path := filepath.Join(t.TempDir(), "x.mqrec")
	s, err := Import(ctx, &stopAfter{bytes.NewReader(data), len(data) / 2, stop}, path, ImportOptions{})
	if err != nil || !s.Early || s.Events == 0 || s.Events > 600 {
		t.Fatalf("%v, %+v", err, s)
	}
	if n := walk(t, play(t, path, replay.Options{})); n != s.Events {
		t.Errorf("%d events, want %d", n, s.Events)
	}
}

// fullDisk has room for so many bytes.
type fullDisk struct {
	memDisk
	room int64
}

func (d *fullDisk) Create(string) (recording.File, error) { return d, nil }

func (d *fullDisk) WriteAt(p []byte, at int64) (int, error) {
	if at+int64(len(p)) > d.room {
		return 0, syscall.ENOSPC
	}
	return d.memFile.WriteAt(p, at)
}

func TestImportOntoAFullDiskEndsWithItsError(t *testing.T) {
	data := infertest.Capture(t, "push-orderly")
	in, err := capture.Read(repeated(data, 32<<20), capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	o := ImportOptions{}
	w, err := recording.Create("x", o.header(), recording.Options{FS: &fullDisk{room: 64 << 10}, QueueBytes: queueBytes})
	if err != nil {
		t.Fatal(err)
	}
	err = newImporter(in, w, o).run(t.Context())
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "make room") {
		t.Errorf("%v", err)
	}
}

func TestSecretsInTextsAreScrubbed(t *testing.T) {
	const secret = "secret"
	var seen int
	scrub := func(s string) string {
		if strings.Contains(s, secret) {
			seen++
		}
		return strings.ReplaceAll(s, secret, "-")
	}
	var events []infer.Event
	for _, f := range []infer.Fact{
		infer.PullDone{Answered: true, Remark: secret}, infer.PullDone{Why: secret}, infer.Called{Result: secret}, infer.Called{Why: secret},
		infer.Failed{Remark: secret}, infer.Unreadable{Text: secret}, infer.Noted{Note: capture.Note{Text: secret}},
	} {
		events = append(events, infer.Event{Fact: f})
	}
	m := &memory{}
	r := NewRecorder(m, RecorderOptions{Scrub: scrub})
	for _, e := range events {
		r.Add(e)
	}
	r.checkpoint(events[0].At)
	for _, rec := range m.records {
		if bytes.Contains(rec.Payload, []byte(secret)) {
			t.Errorf("kept in a record of kind %d: %q", rec.Kind, rec.Payload)
		}
	}
	if seen != len(events) {
		t.Errorf("%d texts were seen, of %d", seen, len(events))
	}
}

func TestImportFollowsNoLinkAndLeavesWhatIsThere(t *testing.T) {
	dir := t.TempDir()
	there := filepath.Join(dir, "there.mqrec")
	if err := os.WriteFile(there, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link.mqrec")
	if err := os.Symlink(there, link); err != nil {
		t.Fatal(err)
	}
	for path, replace := range map[string]bool{there: false, link: true, dir: true} {
		if _, err := Import(t.Context(), bytes.NewReader(infertest.Capture(t, "pull")), path, ImportOptions{Replace: replace}); err == nil {
			t.Errorf("%s was written", path)
		}
	}
	// A capture that can not be read does not cost what is to be replaced.
	if _, err := Import(t.Context(), bytes.NewReader(infertest.Capture(t, "pull")[:24]), there, ImportOptions{Replace: true}); err == nil {
		t.Error("no error")
	}
	if got := content(t, there); string(got) != "mine" {
		t.Errorf("there is now %q", got)
	}
}
