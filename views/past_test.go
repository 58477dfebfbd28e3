package views

import (
	"testing"

	"mqscope/keymap"
)

func TestUndoAndRedo(t *testing.T) {
	tests := []struct {
		name string
		do   []any // an int is chosen, an action turns
		want int
		told int // toasts
	}{
		{"nothing to undo stays and says so", []any{keymap.Undo}, 0, 1},
		{"nothing to redo stays and says so", []any{1, keymap.Redo}, 1, 1},
		{"a change is undone", []any{1, 2, keymap.Undo}, 1, 0},
		{"what was undone is done again", []any{1, 2, keymap.Undo, keymap.Redo}, 2, 0},
		{"undo goes back step by step", []any{1, 2, 3, keymap.Undo, keymap.Undo, keymap.Undo}, 0, 0},
		{"a new change ends what could be redone", []any{1, keymap.Undo, 2, keymap.Redo}, 2, 1},
		{"choosing the same again is no change", []any{1, 1, 1, keymap.Undo}, 0, 0},
		{"typing that comes to nothing leaves no step", []any{1, "note", keymap.Undo}, 0, 0},
		{"typing is one step", []any{1, "note", "typed", keymap.Undo}, 1, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var past Past[int]
			now, told := 0, 0
			for _, do := range tt.do {
				switch do := do.(type) {
				case int:
					past, now = past.Change(now, do), do
				case string:
					if do == "note" {
						past = past.Checkpoint(now)
					} else {
						now = 9
					}
				case keymap.ID:
					var intents []Intent
					past, now, intents = past.Turn(do, now)
					told += len(intents)
				}
			}
			if now != tt.want || told != tt.told {
				t.Errorf("at %d with %d toasts, want %d with %d", now, told, tt.want, tt.told)
			}
		})
	}
}

func TestThePastIsBounded(t *testing.T) {
	var past Past[int]
	for i := range 5 * maxPast {
		past = past.Change(i, i+1).Checkpoint(i + 1)
	}
	if n := len(past.undo); n > maxPast+1 {
		t.Errorf("%d steps are kept", n)
	}
}

func TestAPastKeptElsewhereDoesNotChange(t *testing.T) {
	var base Past[int]
	base = base.Change(0, 1).Change(1, 2)
	a, b := base.Change(2, 3), base.Change(2, 4)
	_, got, _ := a.Turn(keymap.Undo, 3)
	_, other, _ := b.Turn(keymap.Undo, 4)
	if got != 2 || other != 2 {
		t.Errorf("undone to %d and %d, want 2 of both", got, other)
	}
}
