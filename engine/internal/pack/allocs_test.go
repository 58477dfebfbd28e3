//go:build !race

package pack

import "testing"

// Under the race detector pools forget.
func TestAppendAllocatesNothing(t *testing.T) {
	c := New()
	pull, m := aPull(), someMaps()
	dst := c.Append(c.Append(nil, &pull), &m)
	if n := testing.AllocsPerRun(1000, func() { dst = c.Append(c.Append(dst[:0], &pull), &m) }); n > 0.5 {
		t.Errorf("%v allocations", n)
	}
}
