package page

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mqscope/engine/capture/infer/infertest"
	"mqscope/engine/recording"
	"mqscope/engine/replay"
	"mqscope/engine/replay/inferred"
)

// recorded is the track of one of the captures of Java's clients.
func recorded(t testing.TB, name, group string) replay.Track {
	t.Helper()
	path := filepath.Join(t.TempDir(), name+".mqrec")
	w, err := recording.Create(path, inferred.Header(recording.Header{Source: replay.SourceCapture, Program: "mqscope test"}), recording.Options{QueueBytes: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	r := inferred.NewRecorder(w, inferred.RecorderOptions{})
	for _, e := range infertest.Read(t, name).Events {
		r.Add(e)
	}
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	track, err := replay.Open(path, replay.Options{Group: group}, map[string]replay.Opener{replay.SourceCapture: inferred.Open})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := track.Close(); err != nil {
			t.Error(err)
		}
	})
	return track
}

// TestPagesOfCaptures: what the README beside the captures says happened is on their pages.
func TestPagesOfCaptures(t *testing.T) {
	for name, want := range map[string]struct {
		group string
		words []string
	}{
		"push-concurrent": {"g_push", []string{"Consumer group g_push", "Inferred from the wire", "a packet capture", "orders/broker-a/3", "%RETRY%g_push/broker-a/0", ">195<", " B from ", "R</b> rebalance"}},
		"push-orderly":    {"g_ord2", []string{"Consumer group g_ord2", ">205<", "rebalance", " events of other groups or clients left out"}},
		"pull":            {"g_pull", []string{"OFFSET_ILLEGAL", "O</b> offset"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := render(t, recorded(t, name, want.group), Span{}, Options{File: name + ".mqrec"})
			for _, w := range want.words {
				if !strings.Contains(got, w) {
					t.Errorf("%q is not on the page", w)
				}
			}
			for line := range strings.Lines(got) { // what a member of g_ord did there
				if strings.Contains(line, "192.0.2.2@c5311") && strings.Contains(line, "begins to pull") {
					t.Errorf("another group's: %s", line)
				}
			}
			if dir := os.Getenv("MQSCOPE_PAGES"); dir != "" { // to be looked at
				if err := os.WriteFile(filepath.Join(dir, name+".html"), []byte(got), 0o600); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
