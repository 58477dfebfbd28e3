package step_test

import (
	"testing"

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

// BenchmarkBack100000 goes 100,000 decisions back, from somewhere else each time: at most 50 ms
// are allowed.
func BenchmarkBack100000(b *testing.B) {
	s := open(b, steptest.Options{Work: 90}) // about a microsecond a step
	b.ResetTimer()
	for i := range b.N {
		b.StopTimer()
		if err := s.Goto(200_000 + uint64(i)*7919%50_000); err != nil {
			b.Fatal(err)
		}
		settle(b, s)
		b.StartTimer()
		if err := s.Back(100_000); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkBackOne goes back one decision at a time, a few times in a row.
func BenchmarkBackOne(b *testing.B) {
	s := open(b, steptest.Options{})
	if err := s.Goto(100_000); err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	for i := range b.N {
		if i%5 == 0 {
			b.StopTimer()
			settle(b, s)
			b.StartTimer()
		}
		if err := s.Back(1); err != nil {
			b.Fatal(err)
		}
	}
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
