package consumer

import "testing"

// A field that a recording can not keep is said here, and not in the midst of one.
func TestStateCanBePacked(t *testing.T) {
	if err := codec().Check(loop{}, taken{}, look{}, saved{}, setup{}); err != nil {
		t.Fatal(err)
	}
}
