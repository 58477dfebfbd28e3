package main

import (
	"context"
	"fmt"
	"time"

	"mqscope/engine/clock"
)

// open starts a contestant that is written in Go and hands its messages to m. end leaves the
// group and returns when that is done.
func open(ctx context.Context, j job, m *meter) (end func() error, err error) {
	switch j.Who {
	case "mqscope":
		return openOurs(ctx, j, m)
	case "client-go":
		return openClientGo(ctx, j, m)
	}
	return nil, fmt.Errorf("contestant %q is no Go program", j.Who)
}

// runCatchUp drains the whole topic.
func runCatchUp(ctx context.Context, j job) (report, error) {
	m := newMeter(j)
	end, err := open(ctx, j, m)
	if err != nil {
		return report{}, err
	}
	if err := m.wait(ctx, m.done); err != nil {
		return report{}, err
	}
	if err := end(); err != nil {
		return report{}, err
	}
	return m.cost(), m.check(true)
}

// runLatency drains what was there before, says that it is ready, and then times each
// message from before its store to its handler.
func runLatency(ctx context.Context, j job) (report, error) {
	m := newMeter(j)
	end, err := open(ctx, j, m)
	if err != nil {
		return report{}, err
	}
	if err := m.wait(ctx, m.warm); err != nil {
		return report{}, err
	}
	if err := say("ready", report{}); err != nil {
		return report{}, err
	}
	if err := m.wait(ctx, m.done); err != nil {
		return report{}, err
	}
	if err := end(); err != nil {
		return report{}, err
	}
	for n, d := range m.latencies {
		if d <= 0 {
			return report{}, fmt.Errorf("message %d took %d ns: was the clock set back?", j.Skip+n, d)
		}
	}
	return report{Latencies: m.latencies}, m.check(true)
}

// runStart times the first message of a new group from the call that starts its consumer.
func runStart(ctx context.Context, j job) (report, error) {
	j.Skip, j.Count = 0, 1
	m := newMeter(j)
	began := time.Now()
	end, err := open(ctx, j, m)
	if err != nil {
		return report{}, err
	}
	if err := m.wait(ctx, m.done); err != nil {
		return report{}, err
	}
	if err := end(); err != nil {
		return report{}, err
	}
	return report{StartMs: m.start.at.Sub(began).Seconds() * 1000}, m.check(false)
}

// runIdle looks at the process while nothing comes. That all queues were waited for is shown
// by the messages that are sent afterwards, one to each.
func runIdle(ctx context.Context, j job) (report, error) {
	j.Skip = 0
	m := newMeter(j)
	end, err := open(ctx, j, m)
	if err != nil {
		return report{}, err
	}
	if err := say("open", report{}); err != nil {
		return report{}, err
	}
	share, err := idleShare(ctx, j)
	if err != nil {
		return report{}, err
	}
	if n := m.seen.Load(); n > 0 {
		return report{}, fmt.Errorf("%d messages came while the topic was to be empty", n)
	}
	if err := say("ready", report{}); err != nil {
		return report{}, err
	}
	if err := m.wait(ctx, m.done); err != nil {
		return report{}, err
	}
	if err := end(); err != nil {
		return report{}, err
	}
	return report{Idle: share}, m.check(true)
}

// idleShare is the process's use of a core in per cent over j.Idle, after j.Settle.
func idleShare(ctx context.Context, j job) (float64, error) {
	if err := clock.Sleep(ctx, clock.System{}, j.Settle); err != nil {
		return 0, err
	}
	before, began := cpu(), time.Now()
	if err := clock.Sleep(ctx, clock.System{}, j.Idle); err != nil {
		return 0, err
	}
	return 100 * float64(cpu()-before) / float64(time.Since(began)), nil
}
