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
func (s *Stepper) Break(b *Breakpoint) { s.bps.set(b) }

// Toggle switches a breakpoint off or on again, Delete takes it away. words is what stands at
// that index; an error says that the list has changed.
func (s *Stepper) Toggle(index int, words string) error { return s.bps.toggle(index, words) }

// Delete takes a breakpoint away.
func (s *Stepper) Delete(index int, words string) error { return s.bps.delete(index, words) }

func (bs *breakpoints) set(b *Breakpoint) {
	bs.changed()
	for i, o := range bs.list {
		if o.Place.String() == b.Place.String() {
			bs.list[i] = b
			return
		}
	}
	bs.list = append(bs.list, b)
}

func (bs *breakpoints) toggle(index int, words string) error {
	b, err := bs.at(index, words)
	if err == nil {
		b.Off = !b.Off
		bs.changed()
	}
	return err
}

func (bs *breakpoints) delete(index int, words string) error {
	_, err := bs.at(index, words)
	if err == nil {
		bs.list = slices.Delete(bs.list, index, index+1)
		bs.changed()
	}
	return err
}

func (bs *breakpoints) at(index int, words string) (*Breakpoint, error) {
	if index < 0 || index >= len(bs.list) || words != bs.list[index].Where() {
		return nil, fmt.Errorf("breakpoint %d is not %q any more: the list has changed", index+1, words)
	}
	return bs.list[index], nil
}
