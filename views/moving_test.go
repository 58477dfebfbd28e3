package views

import (
	"testing"

	"mqscope/keymap"
)

func TestMoved(t *testing.T) {
	tests := []struct {
		name    string
		ev      Event
		pos, n  int
		want    int
		unmoved bool
	}{
		{"down", Event{Action: keymap.Down}, 3, 20, 4, false},
		{"down at the end stays", Event{Action: keymap.Down}, 19, 20, 19, false},
		{"up at the beginning stays", Event{Action: keymap.Up}, 0, 20, 0, false},
		{"the wheel goes several lines", Event{Action: WheelDown, N: 3}, 3, 20, 6, false},
		{"first", Event{Action: keymap.Top}, 7, 20, 0, false},
		{"last", Event{Action: keymap.Bottom}, 7, 20, 19, false},
		{"a page keeps one line", Event{Action: keymap.PageDown}, 0, 20, 9, false},
		{"half a page", Event{Action: keymap.HalfUp}, 10, 20, 6, false},
		{"an empty list has no row", Event{Action: keymap.Down}, -1, 0, -1, false},
		{"another action does not move", Event{Action: keymap.Copy}, 3, 20, 3, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			to, ok := Moved(tt.ev, tt.pos, tt.n, 10)
			if to != tt.want || ok == tt.unmoved {
				t.Errorf("row %d, moved %v; want %d, %v", to, ok, tt.want, !tt.unmoved)
			}
		})
	}
}

func TestNextWorth(t *testing.T) {
	odd := func(i int) bool { return i%2 == 1 }
	tests := []struct {
		name   string
		id     keymap.ID
		pos, n int
		worth  func(int) bool
		want   int
	}{
		{"the next one", keymap.Next, 1, 6, odd, 3},
		{"on from the other end", keymap.Next, 5, 6, odd, 1},
		{"the one before", keymap.Prev, 3, 6, odd, 1},
		{"back over the beginning", keymap.Prev, 1, 6, odd, 5},
		{"none stays", keymap.Next, 2, 6, func(int) bool { return false }, 2},
		{"only itself stays", keymap.Next, 2, 6, func(i int) bool { return i == 2 }, 2},
		{"no rows", keymap.Next, -1, 0, odd, -1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := NextWorth(tt.id, tt.pos, tt.n, tt.worth); got != tt.want {
				t.Errorf("row %d, want %d", got, tt.want)
			}
		})
	}
}
