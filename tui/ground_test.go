package tui

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/cancelreader"

	"mqscope/views/viewtest"
)

// scriptReader answers with pieces, each after a delay, then blocks until it is cancelled.
type scriptReader struct {
	pieces []piece
	cancel chan struct{}
}

type piece struct {
	after time.Duration
	text  string
}

func newScriptReader(pieces ...piece) *scriptReader {
	return &scriptReader{pieces: pieces, cancel: make(chan struct{})}
}

func (r *scriptReader) Read(b []byte) (int, error) {
	if len(r.pieces) == 0 {
		<-r.cancel
		return 0, cancelreader.ErrCanceled
	}
	select {
	case <-time.After(r.pieces[0].after):
	case <-r.cancel:
		return 0, cancelreader.ErrCanceled
	}
	n := copy(b, r.pieces[0].text)
	r.pieces = r.pieces[1:]
	return n, nil
}

func (r *scriptReader) Cancel() bool { close(r.cancel); return true }
func (r *scriptReader) Close() error { return errors.New("closed by the test only") }

func TestTheBackgroundIsAskedForShortly(t *testing.T) {
	const da1 = "\x1b[?62;22c"
	tests := []struct {
		name   string
		pieces []piece
		answer string
		late   bool
		took   time.Duration
	}{
		{"a terminal that answers both is known at once", []piece{{0, "\x1b]11;rgb:1a1a/1d1d/2323\x1b\\" + da1}}, "\x1b]11;rgb:1a1a/1d1d/2323", false, 0},
		{"the answer may end with a bell", []piece{{0, "\x1b]11;rgb:ff/ff/ff\x07" + da1}}, "\x1b]11;rgb:ff/ff/ff", false, 0},
		{"it may come in pieces", []piece{{time.Millisecond, "\x1b]11;rgb:1a"}, {time.Millisecond, "1a/1d1d/2323\x1b"}, {time.Millisecond, "\\\x1b[?6"}, {time.Millisecond, "c"}}, "\x1b]11;rgb:1a1a/1d1d/2323", false, 4 * time.Millisecond},
		{"a terminal that does not know the question is not waited for", []piece{{5 * time.Millisecond, da1}}, "", false, 5 * time.Millisecond},
		{"keys typed meanwhile are no answer", []piece{{0, "qq" + da1}}, "", false, 0},
		{"a terminal that says nothing costs a tenth of a second", nil, "", true, groundWithin},
		{"one that is slow is given up", []piece{{time.Second, da1}}, "", true, groundWithin},
		{"half an answer is none", []piece{{0, "\x1b]11;rgb:1a1a/1d"}}, "", true, groundWithin},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				answer, late := readAnswer(t.Context(), newScriptReader(tt.pieces...), groundWithin)
				if answer != tt.answer || late != tt.late || time.Since(start) != tt.took {
					t.Errorf("%q late=%v after %v, want %q late=%v after %v", answer, late, time.Since(start), tt.answer, tt.late, tt.took)
				}
			})
		})
	}
}

// TestALateAnswerIsNoKeys plays an answer to OSC 11 as Bubble Tea reads it.
func TestALateAnswerIsNoKeys(t *testing.T) {
	rune1 := func(alt bool, s string) tea.KeyMsg {
		return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(s), Alt: alt}
	}
	key := func(k tea.KeyType) tea.KeyMsg { return tea.KeyMsg{Type: k} }
	tests := []struct {
		name  string
		after time.Duration
		keys  []tea.KeyMsg
		acts  int // of the keys get through
	}{
		{"an answer that ends with ST", 0, []tea.KeyMsg{rune1(true, "]"), rune1(false, "11;rgb:1a1a/1d1d/2323"), rune1(true, "\\")}, 0},
		{"an answer that ends with a bell", 0, []tea.KeyMsg{rune1(true, "]"), rune1(false, "11;rgb:1a1a/1d1d/2323"), key(tea.KeyCtrlG)}, 0},
		{"an answer whose escape came alone", 0, []tea.KeyMsg{rune1(false, "]11;rgb:1a1a/1d"), rune1(false, "1d/2323"), rune1(true, "\\")}, 0},
		{"keys after it count again", 0, []tea.KeyMsg{rune1(true, "]"), rune1(false, "11;rgb:0/0/0"), key(tea.KeyCtrlG), rune1(false, "2")}, 1},
		{"other keys count", 0, []tea.KeyMsg{rune1(false, "2"), rune1(false, "11")}, 2},
		{"what only begins like an answer counts", 0, []tea.KeyMsg{rune1(true, "]"), rune1(false, "hello")}, 1},
		{"after five seconds everything counts", lateFor + 1, []tea.KeyMsg{rune1(true, "]"), rune1(false, "11;rgb:0/0/0")}, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newScreen(t, inDemo(viewtest.Normal()), 120, 36)
			s.m.late.until = s.clock.Add(lateFor)
			s.clock = s.clock.Add(tt.after)
			acts := 0
			for _, k := range tt.keys {
				if s.m.filter(s.m, k) != nil {
					acts++
				}
			}
			if acts != tt.acts {
				t.Errorf("%d keys got through, want %d", acts, tt.acts)
			}
		})
	}
}

func FuzzAnswer(f *testing.F) {
	f.Add([]byte("\x1b]11;rgb:1a1a/1d1d/2323\x1b\\\x1b[?62;22c"))
	f.Add([]byte("\x1b[?\x1b[?;c"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if a := colourAnswer(b); len(a) > len(b) {
			t.Errorf("answer %q is longer than %q", a, b)
		}
		hasDeviceAttributes(b)
	})
}
