package step_test

import (
	"testing"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/step"
	"mqscope/engine/step/steptest"
)

// BenchmarkStep is what a decision costs with a world that is nearly free.
func BenchmarkStep(b *testing.B) {
	s := open(b, steptest.Options{})
	s.Break(breakpoint(b, "flow.span if span > 5000"))
	b.ReportAllocs()
	b.ResetTimer()
	if err := s.Goto(uint64(b.N)); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkBack100000 goes 100,000 decisions back, from somewhere else each time: at most 50
// ms/back are allowed. An op is that and the making of checkpoints, which a person does not wait
// for.
func BenchmarkBack100000(b *testing.B) {
	s := open(b, steptest.Options{Work: 90}) // about a microsecond a step
	backs(b, func(i int) func() error {
		if err := s.Goto(150_000 + uint64(i+1)*7919%50_000); err != nil {
			b.Fatal(err)
		}
		settle(b, s)
		return func() error { return s.Back(100_000) }
	})
}

// BenchmarkBackOne goes back one decision at a time, a few times in a row, as BenchmarkBack100000.
func BenchmarkBackOne(b *testing.B) {
	s := open(b, steptest.Options{})
	backs(b, func(i int) func() error {
		if i == 0 {
			if err := s.Goto(50_000); err != nil {
				b.Fatal(err)
			}
		}
		if i%5 == 0 {
			settle(b, s)
		}
		return func() error { return s.Back(1) }
	})
}

// backs reports how long each step back takes by itself.
func backs(b *testing.B, prepare func(i int) func() error) {
	b.Helper()
	var took time.Duration
	for i := range b.N {
		back := prepare(i)
		from := time.Now()
		if err := back(); err != nil {
			b.Fatal(err)
		}
		took += time.Since(from)
	}
	b.ReportMetric(float64(took.Microseconds())/1000/float64(b.N), "ms/back")
}

func settle(b *testing.B, s *step.Stepper) {
	b.Helper()
	for {
		more, err := s.Tend(10_000)
		if err != nil {
			b.Fatal(err)
		}
		if !more {
			return
		}
	}
}

// BenchmarkCondition evaluates one condition: a million a second are asked for.
func BenchmarkCondition(b *testing.B) {
	c, err := step.CompileCondition("span > 1500 && queue == 3 && delay >= ms(50)", decision.FlowSpan)
	if err != nil {
		b.Fatal(err)
	}
	m := moment(spanOf(1600))
	b.ReportAllocs()
	for b.Loop() {
		if !c.Holds(m) {
			b.Fatal("does not hold")
		}
	}
}
