package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// turns is one run of the bench.
type turns struct {
	s       settings
	out     io.Writer
	who     []string
	stem    string // of topics and groups, new for each run
	java    *java  // nil without that contestant
	filled  bool   // the topic of the row catchup
	stored  int    // messages in the topic that is produced to
	failed  int    // turns
	results results
}

// bench runs all rows and writes the table to out.
func bench(ctx context.Context, s settings, out io.Writer) error {
	b := &turns{s: s, out: out, who: strings.Split(s.Contestants, ","), stem: "peers" + strconv.FormatInt(time.Now().Unix(), 36)}
	if slices.Contains(b.who, "java") {
		v, err := openJava(ctx)
		if err != nil {
			return err
		}
		defer v.close()
		b.java = v
	}
	what, end, err := b.openBroker(ctx)
	if err != nil {
		return err
	}
	defer end()
	err = b.rows(ctx)
	// What was measured before a failure is shown all the same.
	fmt.Fprintf(out, "Bodies of %d B, %d queues, pulls of %d, handlers called with %d, on %s over TCP; %s %s/%s, %d CPUs; median of %d turns, for latency of %d (least to most); taken again after a failure: %d.\n\n",
		s.Size, s.Queues, s.Pull, s.Batch, what, runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), s.turns("catchup"), s.turns("latency"), b.failed)
	b.results.print(out, b.who)
	return err
}

func (b *turns) rows(ctx context.Context) error {
	began := time.Now()
	for row := range strings.SplitSeq(b.s.Rows, ",") {
		fmt.Fprintf(os.Stderr, "%s: %s\n", row, time.Since(began).Round(time.Second))
		if err := b.row(ctx, row); err != nil {
			return fmt.Errorf("row %s: %w", row, errors.Join(ctx.Err(), err))
		}
	}
	return nil
}

// row measures one row in turns.
func (b *turns) row(ctx context.Context, row string) error {
	switch row {
	case "idle":
		return b.idle(ctx)
	case "latency":
		b.stored = min(b.s.total(), 100_000)
		if err := b.setup(ctx, b.topic(row), b.s.Queues, b.stored); err != nil {
			return err
		}
	default:
		// Both rows drain the same topic.
		if err := b.fillOnce(ctx); err != nil {
			return err
		}
	}
	for round := range b.s.turns(row) {
		for _, orderly := range []bool{false, true} {
			turn := slices.Clone(b.who)
			if round%2 == 1 {
				slices.Reverse(turn)
			}
			for _, who := range turn {
				j := b.job(row, who, orderly, round)
				if err := b.again(ctx, &j, func() error { return b.turn(ctx, row, j) }); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// turns is how many each contestant has in a row. Those of latency are long: half will do.
func (s *settings) turns(row string) int {
	if row == "latency" {
		return (s.Rounds + 1) / 2
	}
	return s.Rounds
}

// again takes a turn once more after a failure, in another group: a contestant may need two
// tries to start on a busy machine. That it failed is told, and counted in the output.
func (b *turns) again(ctx context.Context, j *job, turn func() error) error {
	err := turn()
	if err == nil || ctx.Err() != nil {
		return err
	}
	b.failed++
	fmt.Fprintln(os.Stderr, "once more:", err)
	j.Group += "_again"
	return turn()
}

// turn is one measurement of one contestant.
func (b *turns) turn(ctx context.Context, row string, j job) error {
	ctx, cancel := context.WithTimeout(ctx, b.s.Patience)
	defer cancel()
	var r report
	var err error
	if row == "latency" {
		r, err = b.latency(ctx, j)
	} else {
		r, err = b.whole(ctx, j)
	}
	if err != nil {
		return err
	}
	return b.note(row, j, r)
}

// job is what a contestant is told for a row; the topic is that of catch-up but for latency.
func (b *turns) job(row, who string, orderly bool, round int) job {
	j := b.s.job
	j.Do, j.Who, j.Orderly = row, who, orderly
	j.Topic, j.WarmTopic = b.topic(row), b.topic("catchup")
	j.Group = fmt.Sprintf("%s_%s_%s_%t_%d", b.stem, row, who, orderly, round)
	return j
}

func (b *turns) topic(row string) string {
	if row == "start" {
		row = "catchup"
	}
	return b.stem + "_" + row
}

// whole runs a process from begin to done.
func (b *turns) whole(ctx context.Context, j job) (report, error) {
	c, err := b.begin(ctx, j)
	if err != nil {
		return report{}, err
	}
	defer c.kill()
	r, err := c.next("done")
	if err != nil {
		return report{}, err
	}
	return r, c.end()
}

func (b *turns) setup(ctx context.Context, topic string, queues, messages int) error {
	ctx, cancel := context.WithTimeout(ctx, b.s.Patience)
	defer cancel()
	j := b.s.job
	j.Do, j.Topic, j.Queues, j.Count = "setup", topic, queues, messages
	_, err := b.whole(ctx, j)
	return err
}

func (b *turns) fillOnce(ctx context.Context) error {
	if b.filled {
		return nil
	}
	b.filled = true
	return b.setup(ctx, b.topic("catchup"), b.s.Queues, b.s.total())
}

// latency lets a contestant catch up and then sends at one rate after the other.
func (b *turns) latency(ctx context.Context, j job) (report, error) {
	phases, err := j.phases()
	if err != nil {
		return report{}, err
	}
	j.Skip, j.Count = b.stored, 0
	for _, p := range phases {
		j.Count += p.count
	}
	c, err := b.begin(ctx, j)
	if err != nil {
		return report{}, err
	}
	defer c.kill()
	if _, err := c.next("ready"); err != nil {
		return report{}, err
	}
	for _, p := range phases {
		if err := b.produce(ctx, j, p.rate, p.count); err != nil {
			return report{}, err
		}
	}
	r, err := c.next("done")
	if err != nil {
		return report{}, err
	}
	return r, c.end()
}

// produce sends the next messages to j's topic.
func (b *turns) produce(ctx context.Context, j job, rate, count int) error {
	j.Do, j.Who, j.First, j.Rate, j.Count = "produce", "", b.stored, rate, count
	r, err := b.whole(ctx, j)
	if err == nil && r.LateMs > 100 {
		fmt.Fprintf(os.Stderr, "the producer of %d messages a second was up to %.0f ms late\n", rate, r.LateMs)
	}
	b.stored += count
	return err
}

// note keeps a report and shows it.
func (b *turns) note(row string, j job, r report) error {
	phases, err := j.phases()
	if err != nil {
		return err
	}
	for _, f := range figures(row, mode(j.Orderly), r, phases) {
		b.results.add(j.Who, f)
		fmt.Fprintf(os.Stderr, "%-10s %10s  %s\n", j.Who, f.text(f.value), f.title)
	}
	if !b.s.Raw {
		return nil
	}
	r.Event, r.Latencies = j.Group, nil
	return json.NewEncoder(b.out).Encode(r)
}

func mode(orderly bool) string {
	if orderly {
		return "orderly"
	}
	return "concurrent"
}
