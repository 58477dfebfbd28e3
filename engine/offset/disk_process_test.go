package offset

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// otherProcess names the environment variable that makes the test binary a second process.
const otherProcess = "MQSCOPE_TEST_OFFSETS_IN"

func TestMain(m *testing.M) {
	if dir := os.Getenv(otherProcess); dir != "" {
		if err := saveUntilKilled(dir); err != nil {
			_, _ = fmt.Fprintln(os.Stdout, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func processConfig(dir, owner string) DiskConfig {
	return DiskConfig{Dir: dir, ClientID: "10.1.2.9@DEFAULT", Group: "GID_pay", Owner: owner}
}

// saveUntilKilled writes two offsets that belong together, and says each that is safe.
func saveUntilKilled(dir string) error {
	d, err := OpenDisk(processConfig(dir, "the other process"))
	if err != nil {
		return err
	}
	loaded := d.Load(context.Background())
	if loaded.Err != nil {
		return loaded.Err
	}
	offset := int64(0)
	if len(loaded.Positions) > 0 {
		offset = loaded.Positions[0].Offset
	}
	for seq := uint64(1); ; seq++ {
		if saved := d.Save(context.Background(), write(seq, at(0, offset), at(1, offset))); saved.Err != nil {
			return saved.Err
		}
		if _, err := fmt.Fprintln(os.Stdout, offset); err != nil {
			return err
		}
		offset++
	}
}

// startOther runs a second process and returns what it says line by line.
func startOther(t *testing.T, dir string) (lines *bufio.Scanner, kill func()) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), otherProcess+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return bufio.NewScanner(out), func() {
		_ = cmd.Process.Kill()
		_, _ = io.Copy(io.Discard, out)
		_ = cmd.Wait() // says that it was killed
	}
}

// TestSecondProcessRefuses is fault FD3, seen from both sides. The lock of a process that was
// killed holds nobody up.
func TestSecondProcessRefuses(t *testing.T) {
	dir := t.TempDir()
	lines, kill := startOther(t, dir)
	if !lines.Scan() || lines.Text() != "0" {
		kill()
		t.Fatalf("the other process says %q", lines.Text())
	}
	_, err := OpenDisk(processConfig(dir, "this one"))
	if !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), "the other process") {
		t.Errorf("while another has it: %v", err)
	}
	kill()
	d := openDisk(t, processConfig(dir, "this one"))

	lines, kill = startOther(t, dir)
	defer kill()
	if !lines.Scan() || !strings.Contains(lines.Text(), ErrLocked.Error()) || !strings.Contains(lines.Text(), "this one") {
		t.Errorf("while this one has it the other says %q", lines.Text())
	}
	if loaded := d.Load(t.Context()); loaded.Err != nil || len(loaded.Positions) != 2 {
		t.Errorf("loaded %+v", loaded)
	}
}

func TestASecondDiskOfOneProcessRefusesToo(t *testing.T) {
	dir := t.TempDir()
	d, err := OpenDisk(processConfig(dir, "the first"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := OpenDisk(processConfig(dir, "the second")); !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), "the first") {
		t.Errorf("while it is open: %v", err)
	}
	if err := d.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	openDisk(t, processConfig(dir, "the second"))
}

// TestKilledProcessLosesNothingItSaved kills a process that saves without pause, many times.
func TestKilledProcessLosesNothingItSaved(t *testing.T) {
	dir := t.TempDir()
	for round := range 8 {
		lines, kill := startOther(t, dir)
		said := int64(-1)
		for range round*3 + 1 {
			if !lines.Scan() {
				kill()
				t.Fatalf("round %d: the other process ended: %v", round, lines.Err())
			}
			v, err := strconv.ParseInt(lines.Text(), 10, 64)
			if err != nil {
				kill()
				t.Fatalf("round %d: the other process says %q", round, lines.Text())
			}
			said = v
		}
		kill()
		d, err := OpenDisk(processConfig(dir, "this one"))
		if err != nil {
			t.Fatal(err)
		}
		loaded := d.Load(t.Context())
		if loaded.Err != nil || len(loaded.Faults) > 0 || len(loaded.Positions) != 2 ||
			loaded.Positions[0].Offset != loaded.Positions[1].Offset || loaded.Positions[0].Offset < said {
			t.Errorf("round %d: %d was saved, loaded %+v", round, said, loaded)
		}
		if err := d.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}
