package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"mqscope/engine"
	"mqscope/engine/clock"
	"mqscope/engine/recording"
	"mqscope/engine/snapshot"
	"mqscope/tui/config"
)

// boxesFolder is where black boxes are kept, each in a folder of its own.
const boxesFolder = "black-boxes"

// newBoxFolder is a folder for a black box of this process: its name tells of which group and
// process it is, and since when. The box makes it.
func newBoxFolder(group string) (string, error) {
	dir, err := config.CacheFolder(boxesFolder)
	if err != nil {
		return "", err
	}
	group = strings.Map(func(c rune) rune {
		if c == '%' || c == '.' || c == '/' || c == '\\' {
			return '_'
		}
		return c
	}, group)
	return filepath.Join(dir, fmt.Sprintf("%s.%d.%d", group, os.Getpid(), time.Now().UnixNano())), nil
}

// leftBox is a black box whose process is gone.
type leftBox struct {
	dir, group string
	since      time.Time
	bytes      int64
}

// leftBoxes finds them, the newest first.
func leftBoxes() ([]leftBox, error) {
	dir, err := config.CacheFolder(boxesFolder)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var left []leftBox
	for _, e := range entries {
		parts := strings.Split(e.Name(), ".")
		if len(parts) != 3 || !e.IsDir() {
			continue
		}
		pid, bad := strconv.Atoi(parts[1])
		since, bad2 := strconv.ParseInt(parts[2], 10, 64)
		if bad != nil || bad2 != nil || alive(pid) {
			continue
		}
		b := leftBox{dir: filepath.Join(dir, e.Name()), group: parts[0], since: time.Unix(0, since)}
		for _, f := range segmentsOf(b.dir) {
			if info, err := os.Stat(f); err == nil {
				b.bytes += info.Size()
			}
		}
		if b.bytes == 0 {
			_ = os.Remove(b.dir) // it was killed before there was anything
			continue
		}
		left = append(left, b)
	}
	slices.SortFunc(left, func(a, b leftBox) int { return b.since.Compare(a.since) })
	return left, nil
}

func segmentsOf(dir string) []string {
	files, _ := filepath.Glob(filepath.Join(dir, "*.mqrec")) // the pattern is ours
	return files
}

// alive tells whether another process of this number runs. One that has got the number of a dead
// one since makes its box look used: it is found once that ends.
func alive(pid int) bool {
	if pid <= 0 || pid == os.Getpid() {
		return false
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	err = p.Signal(syscall.Signal(0))
	_ = p.Release()
	return !errors.Is(err, os.ErrProcessDone) && !errors.Is(err, syscall.ESRCH) && !zombie(pid)
}

// zombie tells whether a process has ended and nobody has asked how, where the system says so.
func zombie(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && strings.Contains(string(stat), ") Z ")
}

// tellLeft says that there are black boxes that nobody has saved.
func tellLeft(errs io.Writer, live *engine.Live) {
	left, err := leftBoxes()
	if err != nil || len(left) == 0 {
		return
	}
	one := left[0]
	text := fmt.Sprintf("a process that was killed left the black box of group %s, begun at %s (%s): mqscope record --save-left FILE saves it",
		one.group, one.since.Format("2006-01-02 15:04:05"), sizeWords(one.bytes))
	if n := len(left) - 1; n > 0 {
		text += fmt.Sprintf("; %d older", n)
	}
	fmt.Fprintln(errs, "mqscope: "+clean(text))
	live.Tell(text)
}

// saveLeft saves the newest black box that was left, and takes it away.
func saveLeft(ctx context.Context, out io.Writer, path string) error {
	left, err := leftBoxes()
	if err != nil {
		return err
	}
	if len(left) == 0 {
		return errors.New("there is no black box that a killed process left: nothing to save")
	}
	one := left[0]
	saved, err := recording.SaveLeft(ctx, one.dir, path, recording.Options{})
	if errors.Is(err, os.ErrExist) {
		return usage("%s is there already: give another name with --save-left", path)
	}
	if err != nil {
		return fmt.Errorf("black box of group %s in %s: %w", one.group, one.dir, err)
	}
	if !saved.AtCheckpoint {
		fmt.Fprintln(out, "no checkpoint is left in it: it can not be played, mqscope events lists it")
	}
	for _, f := range segmentsOf(one.dir) {
		err = errors.Join(err, os.Remove(f))
	}
	err = errors.Join(err, os.Remove(one.dir))
	fmt.Fprintf(out, "black box of group %s, begun at %s, written to %s: %s\n", clean(one.group), one.since.Format("2006-01-02 15:04:05"),
		clean(path), count(int(saved.Next-saved.First), "record"))
	if n := len(left) - 1; n > 0 {
		fmt.Fprintf(out, "%d older: once more saves the next\n", n)
	}
	return err
}

// waitQuietly prints nothing but when the recording begins, and when it ends before the consumer.
func waitQuietly(ctx context.Context, out io.Writer, source engine.Source) error {
	for {
		select {
		case <-source.Updates():
		case <-ctx.Done():
			return nil
		}
		if r := source.Snapshot().Recorder; r.On {
			fmt.Fprintf(out, "recording to %s; ctrl+c ends it\n", clean(r.File))
			break
		}
	}
	tape, ok := source.(interface{ Recorded() snapshot.Recorder })
	for ok && clock.Sleep(ctx, clock.System{}, time.Second) == nil { // no picture is made for this
		if r := tape.Recorded(); r.Err != "" {
			fmt.Fprintf(out, "THE RECORDING HAS ENDED, the consumer goes on: %s\n", clean(r.Err))
			break
		}
	}
	<-ctx.Done()
	return nil
}
