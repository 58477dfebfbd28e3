package capture_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"mqscope/engine/capture"
	"mqscope/engine/protocol"
)

const captures = "../../testdata/captures"

// readAll reads a capture to its end.
func readAll(t testing.TB, data []byte, opts capture.Options) ([]capture.Item, *capture.Reader, error) {
	t.Helper()
	r, err := capture.Read(bytes.NewReader(data), opts)
	if err != nil {
		return nil, nil, err
	}
	var items []capture.Item
	for {
		it, err := r.Next()
		if errors.Is(err, io.EOF) {
			return items, r, nil
		}
		if err != nil {
			return items, r, err
		}
		items = append(items, it)
	}
}

func file(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(captures, name+".pcap"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestCapturesOfApachesClientsReadWhole compares the frames with those that the README
// beside the captures counts.
func TestCapturesOfApachesClientsReadWhole(t *testing.T) {
	for name, frames := range map[string]int64{
		"produce": 252, "push-concurrent": 469, "push-tags": 117, "push-orderly": 826, "push-broadcast": 82,
		"pull": 53, "schedule": 187, "lite": 211, "admin": 351, "consume-directly": 218, "pop": 1794,
	} {
		t.Run(name, func(t *testing.T) {
			items, r, err := readAll(t, file(t, name), capture.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := r.Stats().Frames; got != frames {
				t.Errorf("%d frames, want %d", got, frames)
			}
			// The broker's connection to its name server is older than the captures.
			var mid int
			for _, it := range items {
				switch it.Kind {
				case capture.Noted:
					if it.Note.Kind != capture.NoteMid || it.Conn.Server.Port() != 19876 {
						t.Errorf("%v: %s: %s", it.Conn, it.Note.Kind, it.Note.Text)
					}
					mid++
				case capture.Done:
					checkWhole(t, it.Exchange)
				}
			}
			if mid != 1 {
				t.Errorf("%d connections began before the capture, want one", mid)
			}
		})
	}
}

// checkWhole wants a request and its answer; only pulls are held until the end.
func checkWhole(t *testing.T, x *capture.Exchange) {
	t.Helper()
	switch {
	case x.Request == nil:
		t.Errorf("%v: answer without a request: %v", x.Conn, x.Response)
	case x.OneWay:
	case x.Response == nil:
		switch protocol.RequestCode(x.Request.Code) {
		case protocol.PullMessage, protocol.LitePullMessage, protocol.PopMessage:
		default:
			t.Errorf("%v: request without an answer: %v", x.Conn, x.Request)
		}
		if x.Why == "" {
			t.Errorf("%v: nothing says why there is no answer", x.Conn)
		}
	case x.AnsweredAt.Before(x.SentAt) || x.RequestCut+x.ResponseCut != 0 || x.Conn.Server.Port() < 19000:
		t.Errorf("%+v", x)
	}
}
