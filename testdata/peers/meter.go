package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	// headBytes is how much of a body is not filling: the message's number and the wall clock
	// in ns right before it was sent, 0 when it was stored long before.
	headBytes = 16
	// filling is each byte of a body after that.
	filling = 'x'
)

// meter is a contestant's handler. It counts messages and looks at the process at the first
// measured one and at the last. It checks that the bodies are those that were sent and,
// with Orderly, that each queue's come in their order. Java's counterpart is Peer.Meter.
type meter struct {
	j         job
	seen      atomic.Int64
	numbers   atomic.Uint64 // sum of the numbers of all messages
	spoiled   atomic.Int64  // bodies that are not as they were sent
	unordered atomic.Int64
	most      atomic.Int64   // messages that one call of the handler got
	last      []atomic.Int64 // 1 + newest offset by queue
	latencies []int64        // by number after the skipped ones; each is written by one handler

	start, end sample        // set by the handlers that count the first measured message and the last
	warm       chan struct{} // closed when the skipped messages are through
	done       chan struct{} // closed when all are
	failOnce   sync.Once
	failed     chan error
	profile    *os.File
}

// sample is what the process has used until now.
type sample struct {
	at  time.Time
	cpu time.Duration
	mem runtime.MemStats
}

func newMeter(j job) *meter {
	m := &meter{
		j: j, warm: make(chan struct{}), done: make(chan struct{}), failed: make(chan error, 1),
		last: make([]atomic.Int64, max(j.Queues, j.IdleQueues)),
	}
	if j.Do == "latency" {
		m.latencies = make([]int64, j.Count)
	}
	if j.Skip == 0 {
		close(m.warm)
	}
	return m
}

// call is told of each call of a handler, with how many messages it got.
func (m *meter) call(messages int) {
	if n := int64(messages); n > m.most.Load() {
		m.most.Store(n)
	}
}

// take is a handler for one message.
func (m *meter) take(queue int, offset int64, body []byte) {
	if m.latencies != nil {
		m.noteLatency(body)
	}
	var sum uint64
	for _, b := range body[headBytes:] {
		sum += uint64(b)
	}
	if len(body) != m.j.Size || sum != filling*uint64(len(body)-headBytes) {
		m.spoiled.Add(1)
	}
	if m.j.Orderly && m.last[queue].Swap(offset+1) > offset {
		m.unordered.Add(1)
	}
	m.numbers.Add(binary.BigEndian.Uint64(body))
	m.count(int(m.seen.Add(1)))
}

func (m *meter) noteLatency(body []byte) {
	now := time.Now().UnixNano()
	if n := int(binary.BigEndian.Uint64(body)) - m.j.Skip; n >= 0 && n < len(m.latencies) {
		m.latencies[n] = now - int64(binary.BigEndian.Uint64(body[8:]))
	}
}

// count acts on the n-th message.
func (m *meter) count(n int) {
	if n == m.j.Skip {
		close(m.warm)
	}
	if n == m.j.Skip+1 {
		m.startProfile()
		m.start = take()
	}
	if n == m.j.total() {
		m.end = take()
		m.stopProfile()
		close(m.done)
	}
}

// fail ends the measurement.
func (m *meter) fail(err error) { m.failOnce.Do(func() { m.failed <- err }) }

// wait returns when what is closed at the end of a part is.
func (m *meter) wait(ctx context.Context, part <-chan struct{}) error {
	select {
	case <-part:
		return nil
	case err := <-m.failed:
		return err
	case <-ctx.Done():
		return fmt.Errorf("%d of %d messages were handled: %w", m.seen.Load(), m.j.total(), ctx.Err())
	}
}

// check tells what was not as it was meant. whole says that the consumer handled all there
// is, so that each message must have come once.
func (m *meter) check(whole bool) error {
	var errs []error
	n := uint64(m.j.total())
	if seen, sum := uint64(m.seen.Load()), m.numbers.Load(); whole && (seen != n || sum != n*(n-1)/2) {
		errs = append(errs, fmt.Errorf("handled %d messages with the sum of numbers %d: each of %d was to come once, with the sum %d", seen, sum, n, n*(n-1)/2))
	}
	if bad := m.spoiled.Load(); bad > 0 {
		errs = append(errs, fmt.Errorf("%d bodies were not as they were sent", bad))
	}
	if bad := m.unordered.Load(); bad > 0 {
		errs = append(errs, fmt.Errorf("%d messages came after a later one of their queue", bad))
	}
	if most := m.most.Load(); most > int64(m.j.Batch) {
		errs = append(errs, fmt.Errorf("the handler got %d messages at once: at most %d were asked for", most, m.j.Batch))
	}
	return errors.Join(errs...)
}

// cost is what the measured messages took.
func (m *meter) cost() report {
	n := float64(m.j.Count)
	return report{
		Measured: m.j.Count,
		Seconds:  m.end.at.Sub(m.start.at).Seconds(),
		CPU:      float64(m.end.cpu-m.start.cpu) / n,
		Objects:  float64(m.end.mem.Mallocs-m.start.mem.Mallocs) / n,
		Bytes:    float64(m.end.mem.TotalAlloc-m.start.mem.TotalAlloc) / n,
	}
}

func take() sample {
	s := sample{at: time.Now(), cpu: cpu()}
	runtime.ReadMemStats(&s.mem)
	return s
}

// cpu is what the process has used so far, user and system.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // only for a wrong argument
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func (m *meter) startProfile() {
	if m.j.CPUProfile == "" {
		return
	}
	var err error
	if m.profile, err = os.Create(filepath.Join(m.j.CPUProfile, m.j.Group+".pprof")); err == nil {
		err = pprof.StartCPUProfile(m.profile)
	}
	if err != nil {
		m.fail(fmt.Errorf("no profile: %w", err))
	}
}

func (m *meter) stopProfile() {
	if m.profile == nil {
		return
	}
	pprof.StopCPUProfile()
	if err := m.profile.Close(); err != nil {
		m.fail(fmt.Errorf("no profile: %w", err))
	}
}
