package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// drainPatience bounds one drain; the slowest peer needs some 20 s for a million messages.
const drainPatience = 5 * time.Minute

// bench runs all contestants in turns and prints the table.
func bench(ctx context.Context, s settings) error {
	if s.Messages <= s.Warm || s.Size < 8 || s.Rounds < 1 || s.Queues < 1 {
		return errors.New("n must be above warm, size at least 8, rounds and queues at least 1")
	}
	server := "a cluster of Apache's brokers"
	if s.NameServer == "" {
		server = "the embedded broker"
		addr, stop, err := startBroker(ctx, s)
		if err != nil {
			return err
		}
		defer stop()
		s.NameServer = addr
	}
	if err := child(ctx, s, "fill", "", &struct{ Sent int }{}); err != nil {
		return err
	}
	who := strings.Split(s.Contestants, ",")
	results := map[string][]Result{}
	for round := range s.Rounds {
		turn := slices.Clone(who)
		if round%2 == 1 {
			slices.Reverse(turn)
		}
		for _, w := range turn {
			group := fmt.Sprintf("peers_%s_%s_%d_%d", s.Topic, w, os.Getpid(), round)
			var r Result
			if err := child(ctx, s, w, group, &r); err != nil {
				return err
			}
			fmt.Fprintf(os.Stderr, "round %d %-10s %10.0f msg/s %8.0f ns/msg %7.2f objects/msg\n", round+1, w, r.PerSecond(), r.CPU, r.Objects)
			if s.Raw {
				if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
					return err
				}
			}
			results[w] = append(results[w], r)
		}
	}
	fmt.Printf("%d messages of %d B (%d of them warm-up) in %d queues from %s over TCP; pull %d, handler batch %d, pinned %t;\n%d rounds in turns; %s %s/%s, %d CPUs. Median (least to most).\n\n",
		s.Messages, s.Size, s.Warm, s.Queues, server, s.Pull, s.Batch, s.Pin, s.Rounds, runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	printTable(os.Stdout, who, results)
	return nil
}

// startBroker starts the embedded broker in a process of its own and returns the name
// server's address and what ends the process.
func startBroker(ctx context.Context, s settings) (addr string, stop func(), err error) {
	cmd, err := self(ctx, s, "broker", "")
	if err != nil {
		return "", nil, err
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return "", nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	stop = func() {
		_ = in.Close()
		_ = cmd.Wait() // its last words went to standard error
	}
	var r ready
	if err := json.NewDecoder(bufio.NewReader(out)).Decode(&r); err != nil {
		stop()
		return "", nil, fmt.Errorf("the broker process did not get ready: %w", err)
	}
	return r.NameServer, stop, nil
}

// child runs one role to its end and reads its result.
func child(ctx context.Context, s settings, role, group string, result any) error {
	ctx, cancel := context.WithTimeout(ctx, drainPatience)
	defer cancel()
	cmd, err := self(ctx, s, role, group)
	if err != nil {
		return err
	}
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%s: %w", role, err)
	}
	// The result is the last line: a library may print some of its own before.
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	if err := json.Unmarshal(lines[len(lines)-1], result); err != nil {
		return fmt.Errorf("result of %s: %w in %q", role, err, out)
	}
	return nil
}

// self is this program again, as role.
func self(ctx context.Context, s settings, role, group string) (*exec.Cmd, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	args := []string{
		exe, "-role", role, "-group", group, "-namesrv", s.NameServer, "-topic", s.Topic,
		"-n", strconv.Itoa(s.Messages), "-warm", strconv.Itoa(s.Warm), "-size", strconv.Itoa(s.Size),
		"-queues", strconv.Itoa(s.Queues), "-batch", strconv.Itoa(s.Batch), "-pull", strconv.Itoa(s.Pull),
		"-cpuprofile", s.CPUProfile,
	}
	if s.Pin {
		core := "1"
		if role == "broker" {
			core = "0"
		}
		args = append([]string{"taskset", "-c", core}, args...)
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Stderr = os.Stderr
	return cmd, nil
}

// columns are the table's figures, and whether more is better.
func columns() []column {
	return []column{
		{"msg/s", "%.0f", true, Result.PerSecond},
		{"CPU ns/msg", "%.0f", false, func(r Result) float64 { return r.CPU }},
		{"objects/msg", "%.2f", false, func(r Result) float64 { return r.Objects }},
		{"bytes/msg", "%.0f", false, func(r Result) float64 { return r.Bytes }},
		{"collections", "%.0f", false, func(r Result) float64 { return float64(r.GCs) }},
		{"msg per call", "%.1f", true, func(r Result) float64 { return r.PerCall }},
		{"first message ms", "%.1f", false, func(r Result) float64 { return r.StartMs }},
		{"peak MiB", "%.0f", false, func(r Result) float64 { return float64(r.PeakKB) / 1024 }},
	}
}

type column struct {
	title, format string
	more          bool
	of            func(Result) float64
}

// printTable writes a Markdown table. The last row says how many times better the first
// contestant is than the second.
func printTable(w io.Writer, who []string, results map[string][]Result) {
	cols := columns()
	row := func(cells []string) { fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | ")) }
	head, line := []string{""}, []string{"---"}
	for _, c := range cols {
		head, line = append(head, c.title), append(line, "---:")
	}
	row(head)
	row(line)
	medians := map[string][]float64{}
	for _, name := range who {
		cells := []string{name}
		for _, c := range cols {
			least, mid, most := spread(results[name], c.of)
			medians[name] = append(medians[name], mid)
			cells = append(cells, fmt.Sprintf(c.format+" ("+c.format+" to "+c.format+")", mid, least, most))
		}
		row(cells)
	}
	if len(who) < 2 {
		return
	}
	cells := []string{"times better"}
	for i, c := range cols {
		a, b := medians[who[0]][i], medians[who[1]][i]
		if !c.more {
			a, b = b, a
		}
		if b == 0 {
			cells = append(cells, "–")
			continue
		}
		cells = append(cells, fmt.Sprintf("%.1f", a/b))
	}
	row(cells)
}

func spread(results []Result, of func(Result) float64) (least, mid, most float64) {
	var v []float64
	for _, r := range results {
		v = append(v, of(r))
	}
	slices.SortFunc(v, cmp.Compare[float64])
	mid = v[len(v)/2]
	if len(v)%2 == 0 {
		mid = (v[len(v)/2-1] + mid) / 2
	}
	return v[0], mid, v[len(v)-1]
}
