package consumer_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine/client"
	"mqscope/engine/protocol"
)

// TestFN2ConnectionCutAtEveryByteOfAPullAnswer: each of as many messages as one answer has
// bytes comes in an answer of its own, which is cut one byte later than the one before.
func TestFN2ConnectionCutAtEveryByteOfAPullAnswer(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		length, cut := 0, 0
		due := true
		w.wire.through(func(_ string, frame []byte) ([]byte, error) {
			switch {
			case !bytes.Contains(frame, []byte("cut-")):
				return frame, nil
			case length == 0:
				length = len(frame)
				return frame, nil
			case due:
				due = false
				return frame[:cut], errReset
			}
			return frame, nil
		})
		pulls := w.record(protocol.PullMessage)
		m := w.join("192.0.2.10@me", nil)
		m.after(time.Second)
		sent := 0
		send := func() {
			w.sendOne(client.OutMessage{Topic: topic, Body: fmt.Appendf(nil, "cut-%06d", sent)})
			sent++
			time.Sleep(100 * time.Millisecond)
			synctest.Wait()
		}
		send()
		for ; cut < length; cut++ {
			due = true
			pulls.forget()
			send()
			if due {
				t.Fatalf("no answer was cut at byte %d", cut)
			}
			offset := int64(sent - 1)
			list := pulls.pulls(first)
			if len(list) == 0 || list[0].Offset != offset {
				t.Fatalf("cut at byte %d: pulls %v, want the first at %d again", cut, list, offset)
			}
			if n := distinct(m); n != sent {
				t.Fatalf("cut at byte %d: %d of %d messages were delivered\n%s", cut, n, sent, texts(m.after(0)))
			}
		}
		if n := repeated(m); n != 0 || length < 300 {
			t.Errorf("%d messages were delivered twice, answers have %d bytes", n, length)
		}
		m.caughtUp(m.after(6*time.Second), 1)
	})
}

func TestFN4OneByteAtATimeIsAsGoodAsWholeFrames(t *testing.T) {
	inWorld(t, 2, func(w *world) {
		w.createTopic(topic, 2)
		w.wire.inPieces(1)
		books := w.ledger()
		w.send(200, "x")
		m := w.join("192.0.2.10@me", nil)
		w.send(50, "y")
		m.caughtUp(m.after(7*time.Second), 4)
		books.once()
	})
}

// TestFM1LyingFramesEndTheirConnectionOnly: the first pull answer is replaced by bytes that
// are no frame; the connection is replaced and nothing is lost.
func TestFM1LyingFramesEndTheirConnectionOnly(t *testing.T) {
	head := func(length, header uint32, rest string) []byte {
		b := binary.BigEndian.AppendUint32(nil, length)
		b = binary.BigEndian.AppendUint32(b, header)
		return append(b, rest...)
	}
	tests := []struct {
		name  string
		frame []byte
	}{
		{"a negative length", head(0xffff_fff0, 0, "")},
		{"a length of zero", head(0, 0, "")},
		{"a length that has no room for a header", head(3, 0, "")},
		{"a length above the limit", head(1<<30, 0, "")},
		{"a header that is longer than its frame", head(12, 100, "{}{}{}{}")},
		{"an unknown kind of header", head(12, 9<<24|8, "{}{}{}{}")},
		{"a header that is no JSON", head(12, 8, "][][][][")},
		{"a binary header whose fields are longer than it", head(25, 1<<24|21, strings.Repeat("\x7f", 21))},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inWorld(t, 1, func(w *world) {
				w.createTopic(topic, 2)
				broken := 0
				w.wire.through(func(_ string, frame []byte) ([]byte, error) {
					if bytes.Contains(frame, []byte("x-")) && broken == 0 {
						broken++
						return tt.frame, nil
					}
					return frame, nil
				})
				books := w.ledger()
				w.send(64, "x")
				m := w.join("192.0.2.10@me", nil)
				s := m.after(7 * time.Second)
				m.caughtUp(s, 2)
				if n := books.check(); n != 0 || broken != 1 {
					t.Errorf("%d messages were delivered again, %d frames broken", n, broken)
				}
				if !said(s, "remote", func(what string) bool { return strings.Contains(what, "lost: remoting: ") }) {
					t.Errorf("the end of the connection is not told:\n%s", texts(s))
				}
				if n := len(told(s, "connected to")); n != 2 {
					t.Errorf("connected %d times, want twice", n)
				}
			})
		})
	}
}
