package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	steps "mqscope/engine/step/script"
)

// TestInputThatKeepsWaitingEndsWithItsCommand: a pipe that nobody writes to, and one that has no more for now.
func TestInputThatKeepsWaitingEndsWithItsCommand(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close() // what waits for it ends with it
	ctx, cancel := context.WithCancel(t.Context())
	in, file, err := openInput(ctx, "-", r)
	if err != nil || file != nil {
		t.Fatal(file, err)
	}
	if _, err := w.Write([]byte("abc")); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 2)
	for _, want := range []string{"ab", "c"} {
		if n, err := in.Read(b); err != nil || string(b[:n]) != want {
			t.Fatalf("%q, %v, want %q", b[:n], err, want)
		}
	}
	cancel()
	if n, err := in.Read(b); n != 0 || err != context.Canceled {
		t.Errorf("%d bytes, %v", n, err)
	}
	pipe, end, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	defer end.Close()
	if _, err := readScript(ctx, Process{In: pipe}, "-", steps.OnWorld); !errors.Is(err, context.Canceled) {
		t.Errorf("a script that nobody writes: %v", err)
	}
}

func TestInputIsReadToItsEnd(t *testing.T) {
	text := strings.Repeat("0123456789", 20_000)
	in, _, err := openInput(t.Context(), "-", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(in); err != nil || string(got) != text {
		t.Errorf("%d bytes, %v, want %d", len(got), err, len(text))
	}
	name := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(name, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	in, file, err := openInput(t.Context(), name, nil)
	if err != nil || file == nil {
		t.Fatal(file, err)
	}
	defer file.Close()
	if got, err := io.ReadAll(in); err != nil || string(got) != "x" {
		t.Errorf("%q, %v", got, err)
	}
	if _, _, err := openInput(t.Context(), name+"b", nil); err == nil || !strings.Contains(err.Error(), name+"b: no such file") {
		t.Error(err)
	}
}

// TestNoCommandWritesOverWhatItReads: neither by a page, nor by a recording, nor by its log.
func TestNoCommandWritesOverWhatItReads(t *testing.T) {
	whole, err := os.ReadFile(ourRecording())
	if err != nil {
		t.Fatal(err)
	}
	file := write(t, "a.mqrec", string(whole))
	link := filepath.Join(filepath.Dir(file), "link.mqrec")
	if err := os.Link(file, link); err != nil {
		t.Fatal(err)
	}
	capture := write(t, "a.pcap", "")
	for _, args := range [][]string{
		{"replay", file, "--export-html", file, "--force"},
		{"replay", file, "--export-html", link, "--force"},
		{"replay", file, "--export-html", "-"},
		{"replay", file, "--headless", "--log-file", link},
		{"replay", file, "--headless", "--log-file", file + ".marks"},
		{"import", capture, "-o", capture, "--force"},
		{"record", "-n", "192.0.2.1:9876", "-g", "g", "-t", "orders", "-o", "new.mqrec", "--log-file", "./new.mqrec"},
	} {
		if r := mqscope(t, args...); r.code != exitUsage || strings.Count(r.err, "\n") != 1 {
			t.Errorf("%q: code %d, %q", args, r.code, r.err)
		}
	}
	if after, err := os.ReadFile(file); err != nil || string(after) != string(whole) {
		t.Errorf("the recording was changed: %v", err)
	}
}
