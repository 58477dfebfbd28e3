package views

import "mqscope/keymap"

// Moved is where an action takes the cursor at pos of a list of n rows, of which page are on
// screen; ok is false for actions that do not move it. The result is a row of the list, or
// -1 when it has none.
func Moved(ev Event, pos, n, page int) (to int, ok bool) {
	page = max(page-1, 1)
	to = pos
	switch ev.Action {
	case keymap.Up, WheelUp:
		to -= ev.Step()
	case keymap.Down, WheelDown:
		to += ev.Step()
	case keymap.Top:
		to = 0
	case keymap.Bottom:
		to = n - 1
	case keymap.HalfUp:
		to -= max(page/2, 1)
	case keymap.HalfDown:
		to += max(page/2, 1)
	case keymap.PageUp:
		to -= page
	case keymap.PageDown:
		to += page
	default:
		return pos, false
	}
	return min(max(to, 0), n-1), true
}

// NextWorth is the row after pos, or before it for keymap.Prev, that is worth a look; pos
// itself when no other is. It goes on at the other end.
func NextWorth(id keymap.ID, pos, n int, worth func(int) bool) int {
	step := 1
	if id == keymap.Prev {
		step = n - 1
	}
	if pos < 0 || n == 0 {
		return pos
	}
	for i, left := (pos+step)%n, n-1; left > 0; i, left = (i+step)%n, left-1 {
		if worth(i) {
			return i
		}
	}
	return pos
}
