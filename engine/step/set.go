package step

import (
	"fmt"
	"slices"
)

// Breakpoints are those that are set, in the order of snapshot.Sched.Breakpoints.
func (s *Stepper) Breakpoints() []*Breakpoint { return slices.Clone(s.bps.list) }

// SetBreakpoints replaces them all, as with a set of a file.
func (s *Stepper) SetBreakpoints(list []*Breakpoint) {
	s.bps.list = slices.Clone(list)
	s.bps.changed()
}

// Break sets a breakpoint. One that is set with the same words takes its place.
func (s *Stepper) Break(b *Breakpoint) {
	for i, o := range s.bps.list {
		if o.Place.String() == b.Place.String() {
			s.bps.list[i] = b
			s.bps.changed()
			return
		}
	}
	s.bps.list = append(s.bps.list, b)
	s.bps.changed()
}

// Toggle switches a breakpoint off or on again, Delete takes it away. words is what stands at
// that index; an error says that the list has changed.
func (s *Stepper) Toggle(index int, words string) error {
	b, err := s.breakpoint(index, words)
	if err == nil {
		b.Off = !b.Off
		s.bps.changed()
	}
	return err
}

// Delete takes a breakpoint away.
func (s *Stepper) Delete(index int, words string) error {
	_, err := s.breakpoint(index, words)
	if err == nil {
		s.bps.list = slices.Delete(s.bps.list, index, index+1)
		s.bps.changed()
	}
	return err
}

func (s *Stepper) breakpoint(index int, words string) (*Breakpoint, error) {
	if index < 0 || index >= len(s.bps.list) || words != s.bps.list[index].Where() {
		return nil, fmt.Errorf("breakpoint %d is not %q any more: the list has changed", index+1, words)
	}
	return s.bps.list[index], nil
}
