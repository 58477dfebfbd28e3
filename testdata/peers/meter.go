package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"sync/atomic"
	"syscall"
	"time"
)

// Result is what one drain cost.
type Result struct {
	Who      string
	Messages int     // measured
	Seconds  float64 // first to last of them
	CPU      float64 // ns per message, user and system, of the whole process
	Objects  float64 // allocated per message
	Bytes    float64 // allocated per message, bodies included
	GCs      uint32
	PauseUs  float64 // all stops of the collector together
	StartMs  float64 // process's start of the consumer to its first message
	PeakKB   int64   // resident memory, whole life of the process
	PerCall  float64 // messages a call of the handler got
}

// PerSecond is the rate of the measured messages.
func (r Result) PerSecond() float64 { return float64(r.Messages) / r.Seconds }

// meter counts messages in a handler and looks at the process at the first measured one and
// at the last. It checks that the bodies are those that were sent: their numbers' sum.
type meter struct {
	s       settings
	who     string
	began   time.Time
	seen    atomic.Int64
	numbers atomic.Uint64
	calls   atomic.Int64
	most    atomic.Int64 // messages that one call of the handler got
	start   sample       // set by the handler that counts the first measured message
	end     sample
	opened  time.Duration
	done    chan struct{}
	profile *os.File
}

type sample struct {
	at  time.Time
	cpu time.Duration
	mem runtime.MemStats
}

func newMeter(who string, s settings) *meter {
	return &meter{s: s, who: who, began: time.Now(), done: make(chan struct{})}
}

// call is told of each call of a handler, with how many messages it got.
func (m *meter) call(messages int) {
	m.calls.Add(1)
	if n := int64(messages); n > m.most.Load() {
		m.most.Store(n)
	}
}

// take is a contestant's handler for one message.
func (m *meter) take(body []byte) {
	var sum uint64
	for _, b := range body[8:] {
		sum += uint64(b)
	}
	if sum != filling*uint64(len(body)-8) {
		m.numbers.Add(1 << 40) // shows as a wrong sum at the end
	}
	m.numbers.Add(binary.BigEndian.Uint64(body))
	switch n := m.seen.Add(1); n {
	case int64(m.s.Warm) + 1:
		m.opened = time.Since(m.began)
		m.startProfile()
		m.start = take()
		if n == int64(m.s.Messages) {
			m.end = m.start
			close(m.done)
		}
	case int64(m.s.Messages):
		m.end = take()
		m.stopProfile()
		close(m.done)
	}
}

func (m *meter) startProfile() {
	if m.s.CPUProfile == "" {
		return
	}
	var err error
	if m.profile, err = os.Create(filepath.Join(m.s.CPUProfile, m.s.Group+".pprof")); err == nil {
		err = pprof.StartCPUProfile(m.profile)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "peers: no profile:", err)
	}
}

func (m *meter) stopProfile() {
	if m.profile == nil {
		return
	}
	pprof.StopCPUProfile()
	if err := m.profile.Close(); err != nil {
		fmt.Fprintln(os.Stderr, "peers: no profile:", err)
	}
}

func take() sample {
	s := sample{at: time.Now(), cpu: cpu()}
	runtime.ReadMemStats(&s.mem)
	return s
}

// cpu is what the process has used so far.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // only for a wrong argument
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// wait returns when all messages have been handled.
func (m *meter) wait(ctx context.Context) error {
	select {
	case <-m.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%s handled %d of %d messages: %w", m.who, m.seen.Load(), m.s.Messages, ctx.Err())
	}
}

// result says what the drain cost, or that it was not the one that was meant. It is called
// after the consumer has ended.
func (m *meter) result() (any, error) {
	n := uint64(m.s.Messages)
	if seen := uint64(m.seen.Load()); seen != n {
		return nil, fmt.Errorf("%s handled %d messages, want %d", m.who, seen, n)
	}
	if sum := m.numbers.Load(); sum != n*(n-1)/2 {
		return nil, fmt.Errorf("%s handled %d messages, but not each once: the sum of their numbers is %d, want %d", m.who, n, sum, n*(n-1)/2)
	}
	if most := m.most.Load(); most > int64(m.s.Batch) {
		return nil, fmt.Errorf("%s gave its handler %d messages at once, want at most %d", m.who, most, m.s.Batch)
	}
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return nil, err
	}
	if runtime.GOOS == "darwin" {
		u.Maxrss /= 1024 // bytes there
	}
	count := float64(m.s.Messages - m.s.Warm)
	return Result{
		Who: m.who, Messages: m.s.Messages - m.s.Warm,
		Seconds: m.end.at.Sub(m.start.at).Seconds(),
		CPU:     float64(m.end.cpu-m.start.cpu) / count,
		Objects: float64(m.end.mem.Mallocs-m.start.mem.Mallocs) / count,
		Bytes:   float64(m.end.mem.TotalAlloc-m.start.mem.TotalAlloc) / count,
		GCs:     m.end.mem.NumGC - m.start.mem.NumGC,
		PauseUs: float64(m.end.mem.PauseTotalNs-m.start.mem.PauseTotalNs) / 1000,
		StartMs: float64(m.opened.Microseconds()) / 1000,
		PeakKB:  u.Maxrss,
		PerCall: float64(m.s.Messages) / float64(m.calls.Load()),
	}, nil
}
