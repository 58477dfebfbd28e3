package capture_test

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"mqscope/engine/capture"
	"mqscope/engine/remoting"
)

func liveFrame(t *testing.T, c *remoting.Command) []byte {
	t.Helper()
	b, err := remoting.AppendFrame(nil, c, remoting.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// items takes all that there is, as words.
func items(l *capture.Live) (words []string) {
	for {
		it, ok := l.Next()
		if !ok {
			return words
		}
		w := it.Kind.String()
		switch it.Kind {
		case capture.Noted:
			w += " " + string(it.Note.Kind)
		case capture.Closed:
			w += " " + it.Note.Text
		case capture.Done:
			if it.Exchange.Why != "" {
				w += " " + it.Exchange.Why
			}
		}
		words = append(words, w)
	}
}

func openLive(l *capture.Live, at time.Time) *capture.Link {
	return l.Open(netip.MustParseAddrPort("10.0.0.9:50000"), netip.MustParseAddrPort("10.0.0.1:10911"), at)
}

func wantItems(t *testing.T, l *capture.Live, want ...string) {
	t.Helper()
	if got := items(l); strings.Join(got, "; ") != strings.Join(want, "; ") {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestLiveBytesBecomeTheItemsOfACapture(t *testing.T) {
	at := time.Unix(1000, 0)
	l := capture.NewLive(capture.Options{})
	k := openLive(l, at)
	wantItems(t, l) // it may be anything yet
	req := liveFrame(t, &remoting.Command{Code: 34, Opaque: 1})
	for i := range req {
		l.Data(k, false, req[i:i+1], at)
	}
	wantItems(t, l, "opened", "asked")
	l.Data(k, true, liveFrame(t, &remoting.Command{Opaque: 1, Flag: 1}), at.Add(time.Second))
	l.Data(k, false, liveFrame(t, &remoting.Command{Code: 35, Opaque: 2, Flag: 2}), at)
	l.Data(k, false, liveFrame(t, &remoting.Command{Code: 11, Opaque: 3}), at)
	wantItems(t, l, "done", "done", "asked")
	l.Close(k, "the client closed it", at)
	l.Data(k, false, req, at)
	wantItems(t, l, "done the client closed it", "closed the client closed it")
	if s := l.Stats(); s.Frames != 4 || s.Conns != 1 {
		t.Errorf("stats %+v", s)
	}
}

func TestWhatALiveDidNotSeeIsAGapAndTheNextFrameIsFound(t *testing.T) {
	at := time.Unix(1000, 0)
	l := capture.NewLive(capture.Options{})
	k := openLive(l, at)
	req := liveFrame(t, &remoting.Command{Code: 11, Opaque: 1, Body: make([]byte, 100)})
	l.Data(k, false, req[:20], at) // within the header
	l.Gap(k, false, len(req)-20, at)
	l.Data(k, false, liveFrame(t, &remoting.Command{Code: 11, Opaque: 2}), at)
	l.Data(k, false, req[:len(req)-50], at)
	l.Gap(k, false, 50, at) // of the body
	wantItems(t, l, "opened", "noted gap", "noted lost frame", "asked", "noted gap", "asked")
	l.End(at)
	wantItems(t, l, "done the capture ends", "done the capture ends", "closed the capture ends")
}

// TestRefusedConnectionsLeaveTheNotesToOthers: a server that is away for long hides no gap behind it.
func TestRefusedConnectionsLeaveTheNotesToOthers(t *testing.T) {
	l, at := capture.NewLive(capture.Options{Notes: 2}), time.Unix(1, 0)
	for range 5 {
		l.Refused(netip.MustParseAddrPort("10.0.0.9:50000"), netip.MustParseAddrPort("10.0.0.1:10911"), "away", at)
	}
	for range 3 {
		l.Note(nil, capture.Note{Kind: capture.NoteStray}, at)
	}
	refused := strings.Repeat("noted refused,", 5)
	if got := strings.Join(items(l), ","); got != refused+"noted stray,noted stray,noted given up" {
		t.Error(got)
	}
}

func TestALiveConnectionUnderTLSIsSaid(t *testing.T) {
	at := time.Unix(1000, 0)
	l := capture.NewLive(capture.Options{})
	k := openLive(l, at)
	l.Data(k, false, []byte{0x16, 3, 1, 0, 200, 1, 2, 3, 4}, at)
	wantItems(t, l, "noted tls")
	l.Data(k, true, []byte{0x16, 3, 3, 0, 200, 1, 2, 3, 4}, at)
	l.Gap(k, true, 10, at)
	l.Close(k, "over", at)
	wantItems(t, l)
}

func TestSecretsAreTakenOutOfExchanges(t *testing.T) {
	at := time.Unix(1000, 0)
	l := capture.NewLive(capture.Options{})
	k := openLive(l, at)
	secrets := remoting.Fields{{Key: "AccessKey", Value: "ak-1"}, {Key: "topic", Value: "orders"}, {Key: "Signature", Value: "sig"}, {Key: "SecurityToken", Value: "tok"}}
	l.Data(k, false, liveFrame(t, &remoting.Command{Code: 11, Opaque: 1, Fields: secrets}), at)
	l.Data(k, true, liveFrame(t, &remoting.Command{Code: 16, Opaque: 1, Flag: 1, Remark: "no rights for ak-1"}), at)
	l.Data(k, true, liveFrame(t, &remoting.Command{Code: 16, Opaque: 7, Flag: 1, Remark: "no rights for ak-1"}), at)
	seen := 0
	for it, ok := l.Next(); ok; it, ok = l.Next() {
		x := it.Exchange
		if x == nil {
			continue
		}
		if x.Request != nil {
			seen++
			if len(x.Request.Fields) != 1 || x.Request.Fields[0].Value != "orders" {
				t.Errorf("fields %v", x.Request.Fields)
			}
		}
		if x.Response != nil && strings.Contains(x.Response.Remark, "ak-1") {
			t.Errorf("remark %q", x.Response.Remark)
		}
	}
	if seen == 0 {
		t.Error("nothing was seen")
	}
}
