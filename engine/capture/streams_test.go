package capture_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/capture"
)

// whole is what is read of a chat that nothing happened to.
func whole(t testing.TB, n int32) []string {
	t.Helper()
	items := mustRead(t, pcap(t, chat(newTalk().open(), n).close().packets))
	if got := notes(items); len(got) != 0 {
		t.Fatalf("notes of a whole capture: %v", got)
	}
	x := exchanges(items)
	if len(x) != int(n)+2 {
		t.Fatalf("%d exchanges, want %d", len(x), n+2)
	}
	return x
}

func TestChatIsReadAsItWasSaid(t *testing.T) {
	x := whole(t, 5)
	for i, want := range []string{
		"server:false 11/0/ask 0 -> 0/0/answer 0", "server:false 11/1/ask 1 -> 0/1/answer 1x", "server:false 11/2/ask 2 -> 0/2/answer 2x",
		"server:true 40/7/changed -> none oneway:true", "server:true 307/2/how are you -> 0/2/fine",
	} {
		if !strings.HasPrefix(x[i], want) {
			t.Errorf("%q does not begin with %q", x[i], want)
		}
	}
}

func TestPacketsOutOfOrderAndTwiceAreReadAlike(t *testing.T) {
	want := whole(t, 40)
	for seed := range uint64(30) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		k := newTalk()
		k.size = 60
		k.seq = [2]uint32{0xFFFFFF00, 0xFFFFF800} // both wrap
		packets := chat(k.open(), 40).close().packets
		body := packets[3 : len(packets)-3]
		for i := 0; i+4 < len(body); i += 4 { // mixed up among neighbours
			rnd.Shuffle(4, func(a, b int) { body[i+a], body[i+b] = body[i+b], body[i+a] })
		}
		for range 20 { // sent again, whole or from further back
			i := rnd.IntN(len(body))
			p := body[i]
			p.at = body[min(i+5, len(body)-1)].at
			body = slices.Insert(body, min(i+5, len(body)), p)
		}
		all := slices.Concat(packets[:3], body, packets[len(packets)-3:])
		items := mustRead(t, pcap(t, all))
		if diff := cmp.Diff(want, exchanges(items)); diff != "" {
			t.Fatalf("seed %d: %s", seed, diff)
		}
		if got := notes(items); len(got) != 0 {
			t.Fatalf("seed %d: notes %v", seed, got)
		}
		at := time.Time{}
		for _, it := range items {
			if it.At.Before(at) {
				t.Fatalf("seed %d: time runs back", seed)
			}
			at = it.At
		}
	}
}

// TestFirstBytesCountWhenOthersAreSentAgain overlaps two packets that wait for a third.
func TestFirstBytesCountWhenOthersAreSentAgain(t *testing.T) {
	k := newTalk().open()
	k.size = 40
	from := len(k.packets)
	k.say(false, request(0, 11, strings.Repeat("abcdefgh", 40))).say(true, response(0, 0, "ok")).close()
	var data []int // the client's segments
	for i := from; i < len(k.packets); i++ {
		if len(k.packets[i].data) > 0 && k.packets[i].src == client {
			data = append(data, i)
		}
	}
	late, again := k.packets[data[2]], k.packets[data[4]]
	again.seq -= 20 // overlaps two packets, with other bytes
	again.data = bytes.Repeat([]byte{'!'}, 60)
	packets := slices.Clone(k.packets)
	packets = slices.Insert(packets, data[6], again, late)
	packets = slices.Delete(packets, data[2], data[2]+1)
	items := mustRead(t, pcap(t, packets))
	if x := exchanges(items); len(x) != 1 || strings.Contains(x[0], "!") || !strings.Contains(x[0], "-> 0/0/ok") {
		t.Errorf("%v", x)
	}
	if !slices.Contains(notes(items), capture.NoteDiffers) {
		t.Errorf("notes %v, want one of other bytes", notes(items))
	}
}

// dropped is a chat without the packet that has text, of many in its frame.
func dropped(t *testing.T, text string) []capture.Item {
	t.Helper()
	k := newTalk().open()
	k.size = 100
	k.say(false, request(0, 11, "first")).say(true, response(0, 0, "first answer"))
	k.say(false, request(2, 11, "second"))
	k.say(true, response(2, 0, "BODY"+strings.Repeat(".", 300)+"MIDDLE"+strings.Repeat(".", 300)))
	k.say(false, request(4, 11, "third")).say(true, response(4, 0, "third answer")).close()
	n := len(k.packets)
	packets := slices.DeleteFunc(k.packets, func(p pkt) bool { return bytes.Contains(p.data, []byte(text)) })
	if len(packets) != n-1 {
		t.Fatalf("%d packets with %q", n-len(packets), text)
	}
	return mustRead(t, pcap(t, packets))
}

func TestPacketMissingFromABodyIsAMarkedGap(t *testing.T) {
	items := dropped(t, "MIDDLE")
	x := exchanges(items)
	if len(x) != 3 || !strings.Contains(x[1], "11/2/second -> 0/2/BODY") || strings.Contains(x[1], "cut:0,0") {
		t.Errorf("%v, want the second answer without its end", x)
	}
	if !strings.Contains(x[2], "11/4/third -> 0/4/third answer oneway:false cut:0,0") {
		t.Errorf("%v, want the third exchange whole", x[2])
	}
	if got := notes(items); !slices.Equal(got, []capture.NoteKind{capture.NoteGap}) {
		t.Errorf("notes %v", got)
	}
}

func TestPacketMissingFromAHeaderLosesItsFrameOnly(t *testing.T) {
	k := newTalk().open()
	k.size = 60
	k.say(false, request(0, 11, "first")).say(true, response(0, 0, "first answer"))
	k.say(false, request(2, 11, "second"))
	from := len(k.packets)
	k.say(true, response(2, 0, "second answer"))
	lost := from + 2 // its second segment, still header
	k.say(false, request(4, 11, "third")).say(true, response(4, 0, "third answer")).close()
	items := mustRead(t, pcap(t, slices.Delete(k.packets, lost, lost+1)))
	x := exchanges(items)
	if len(x) != 3 || !strings.HasPrefix(x[1], "server:false 11/2/second -> none") || !strings.Contains(x[2], "0/4/third answer") {
		t.Errorf("%v, want no second answer", x)
	}
	if got := notes(items); !slices.Equal(got, []capture.NoteKind{capture.NoteGap, capture.NoteLost}) {
		t.Errorf("notes %v", got)
	}
}

// TestGapOverSeveralFramesIsNotBridged loses the end of one frame, a whole one, and the
// beginning of the next.
func TestGapOverSeveralFramesIsNotBridged(t *testing.T) {
	k := newTalk().open()
	k.size = 100
	for i := range int32(5) {
		k.say(false, request(2*i, 11, "ask"))
	}
	from := len(k.packets)
	for i := range int32(5) {
		k.say(true, response(2*i, 0, strings.Repeat("y", 400)))
	}
	packets := slices.Delete(k.close().packets, from+6, from+26)
	items := mustRead(t, pcap(t, packets))
	var answered []int32
	for _, it := range items {
		if it.Kind == capture.Done && it.Exchange.Response != nil {
			answered = append(answered, it.Exchange.Response.Opaque)
			if x := it.Exchange; x.ResponseCut+len(x.Response.Body) != 400 {
				t.Errorf("answer %d has %d bytes and lacks %d", x.Response.Opaque, len(x.Response.Body), x.ResponseCut)
			}
		}
	}
	if !slices.Equal(answered, []int32{0, 6, 8}) && !slices.Equal(answered, []int32{0, 4, 6, 8}) && !slices.Equal(answered, []int32{0, 8}) {
		t.Errorf("answers %v", answered)
	}
	if got := notes(items); !slices.Contains(got, capture.NoteGap) || !slices.Contains(got, capture.NoteSkipped) {
		t.Errorf("notes %v", got)
	}
}

// TestCaptureMayBeginAtAnyPacket reads a chat without its first packets, each time with one
// packet less: what is found is a part of what was said.
func TestCaptureMayBeginAtAnyPacket(t *testing.T) {
	k := newTalk().open()
	k.size = 70
	packets := chat(k, 12).close().packets
	said := make(map[string]bool)
	for _, it := range mustRead(t, pcap(t, packets)) {
		if it.Kind == capture.Done {
			said[command(it.Exchange.Request)], said[command(it.Exchange.Response)] = true, true
		}
	}
	for from := 1; from+40 < len(packets); from++ {
		items := mustRead(t, pcap(t, packets[from:]))
		var found int
		for _, it := range items {
			if it.Kind != capture.Done {
				continue
			}
			found++
			x := it.Exchange
			if x.Conn.Client != client || x.Conn.Server != broker {
				t.Fatalf("from packet %d: the wrong end is the client", from)
			}
			if !said[command(x.Request)] || !said[command(x.Response)] {
				t.Fatalf("from packet %d: nobody said %s or %s", from, command(x.Request), command(x.Response))
			}
		}
		if found == 0 {
			t.Fatalf("from packet %d: nothing found", from)
		}
		if from > 2 && !slices.Contains(notes(items), capture.NoteMid) {
			t.Fatalf("from packet %d: notes %v, want that the connection is older", from, notes(items))
		}
	}
}

func TestPortsOfAConnectionAreUsedAgain(t *testing.T) {
	k := chat(newTalk().open(), 3)
	k.say(false, request(9, 11, "never answered"))
	k.seq = [2]uint32{70_000, 80_000}
	k.at = k.at.Add(time.Second)
	chat(k.open(), 3)
	k.send(true, "RA", nil)
	items := mustRead(t, pcap(t, k.packets))
	conns := make(map[int]string)
	for _, it := range items {
		if it.Kind == capture.Closed {
			conns[it.Conn.ID] = it.Note.Text
		}
	}
	want := map[int]string{1: "a new connection took its ports", 2: "the connection was reset"}
	if diff := cmp.Diff(want, conns); diff != "" {
		t.Error(diff)
	}
	if x := exchanges(items); len(x) != 11 || !strings.HasSuffix(x[5], "a new connection took its ports") {
		t.Errorf("%d exchanges: %q", len(x), x)
	}
}

func TestRequestsWithoutAnswersAndAnswersWithoutRequests(t *testing.T) {
	k := newTalk().open()
	k.say(false, request(1, 11, "a")).say(false, request(1, 11, "b")).say(true, response(1, 0, "to b"))
	k.say(true, response(77, 0, "to nobody")).say(false, request(3, 34, "c"))
	items := mustRead(t, pcap(t, k.packets))
	want := []string{
		"server:false 11/1/a -> none oneway:false cut:0,0 another request took its number",
		"server:false 11/1/b -> 0/1/to b oneway:false cut:0,0 ",
		"server:false none -> 0/77/to nobody oneway:false cut:0,0 the capture has no request of this number",
		"server:false 34/3/c -> none oneway:false cut:0,0 the capture ends",
	}
	if diff := cmp.Diff(want, exchanges(items)); diff != "" {
		t.Error(diff)
	}
	if got := notes(items); !slices.Equal(got, []capture.NoteKind{capture.NoteOpaque}) {
		t.Errorf("notes %v", got)
	}
}

// TestAnswersWaitForRequestsThatComeLate has requests behind a packet that is missing, and one that
// was captured after its answer.
func TestAnswersWaitForRequestsThatComeLate(t *testing.T) {
	k := newTalk().open()
	for i := range int32(4) {
		k.say(false, request(i, 11, "ask")).say(true, response(i, 0, "answer"))
	}
	k.close()
	asked := func(of []pkt, n int) int { // place of the nth packet with data of the client
		return slices.IndexFunc(of, func(p pkt) bool {
			if p.src == client && len(p.data) > 0 {
				n--
			}
			return n < 0
		})
	}
	late := slices.Clone(k.packets)
	i := asked(late, 1)
	late[i], late[i+2] = late[i+2], late[i] // only the answer is between: nothing of the client waits
	for name, test := range map[string]struct {
		packets []pkt
		want    []string
	}{
		"late": {late, []string{"11/0/ask -> 0/0", "11/1/ask -> 0/1", "11/2/ask -> 0/2", "11/3/ask -> 0/3"}},
		"lost": {slices.Delete(slices.Clone(k.packets), i, i+1), []string{"11/0/ask -> 0/0", "11/2/ask -> 0/2", "11/3/ask -> 0/3", "none -> 0/1"}},
	} {
		got := exchanges(mustRead(t, pcap(t, test.packets)))
		slices.Sort(got)
		slices.Sort(test.want)
		if len(got) != len(test.want) {
			t.Fatalf("%s: %q", name, got)
		}
		for i, want := range test.want {
			if !strings.HasPrefix(strings.TrimPrefix(got[i], "server:false "), want) {
				t.Errorf("%s: %q does not begin with %q", name, got[i], want)
			}
		}
	}
}

// TestAnswerThatTheCaptureLostIsNotCalledMissing drops an answer: the request had one.
func TestAnswerThatTheCaptureLostIsNotCalledMissing(t *testing.T) {
	k := newTalk().open()
	k.say(false, request(0, 11, "ask"))
	lost := len(k.packets)
	k.say(true, response(0, 0, "answer")).say(false, request(2, 11, "ask")).say(true, response(2, 0, "answer"))
	k.at = k.at.Add(time.Second)
	k.say(false, request(4, 11, "never answered")).close()
	got := exchanges(mustRead(t, pcap(t, slices.Delete(k.packets, lost, lost+1))))
	want := []string{
		"server:false 11/0/ask -> none oneway:false cut:0,0 its answer may be among what the capture lost",
		"server:false 11/2/ask -> 0/2/answer oneway:false cut:0,0 ",
		"server:false 11/4/never answered -> none oneway:false cut:0,0 the connection was closed",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestPacketsAfterTheEndBeginNoConnection sends the last packets again when all is over.
func TestPacketsAfterTheEndBeginNoConnection(t *testing.T) {
	packets := chat(newTalk().open(), 3).close().packets
	packets = append(packets, packets[len(packets)-12:]...)
	items, r, err := readAll(t, pcap(t, packets), capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Stats().Conns != 1 || len(notes(items)) != 0 || len(exchanges(items)) != 5 {
		t.Errorf("%d connections, notes %v", r.Stats().Conns, notes(items))
	}
}

// TestHoleIsGivenUpWhileTheConnectionGoesOn does not wait for the end to tell of a loss.
func TestHoleIsGivenUpWhileTheConnectionGoesOn(t *testing.T) {
	k := newTalk().open()
	k.say(false, request(0, 11, "lost")).say(false, request(2, 11, "after"))
	k.packets = slices.Delete(k.packets, 3, 4)
	k.at = k.at.Add(time.Second)
	told := k.at
	k.send(true, "A", nil)
	k.at = k.at.Add(time.Hour)
	items := mustRead(t, pcap(t, k.say(false, request(4, 11, "later")).packets))
	for _, it := range items {
		if it.Kind == capture.Asked && it.Exchange.Request.Opaque == 2 {
			if it.At.Sub(told).Abs() > time.Second || !it.Exchange.SentAt.Before(told.Add(-500*time.Millisecond)) {
				t.Errorf("told at %v, sent at %v", it.At, it.Exchange.SentAt)
			}
			return
		}
	}
	t.Error("the request after the loss was not found")
}

// TestPortsAreUsedAgainWithoutAHandshake begins another connection while, or after, the first
// one lasts, of which the first packets were not captured.
func TestPortsAreUsedAgainWithoutAHandshake(t *testing.T) {
	for _, closed := range []bool{false, true} {
		k := chat(newTalk().open(), 3)
		if closed {
			k.close()
		}
		k.seq = [2]uint32{3_000_000_000, 2_000_000_000}
		k.at = k.at.Add(time.Minute)
		k.send(false, "A", []byte{1}) // the end of something
		chat(k, 30)
		items, r, err := readAll(t, pcap(t, k.packets), capture.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Stats().Conns != 2 {
			t.Errorf("closed %v: %d connections", closed, r.Stats().Conns)
		}
		if x := exchanges(items); len(x) < 5+25 {
			t.Errorf("closed %v: %d exchanges of 37", closed, len(x))
		}
	}
}

// TestNotesOfBeforeTheFirstFrameNameTheirDirection begins inside an answer.
func TestNotesOfBeforeTheFirstFrameNameTheirDirection(t *testing.T) {
	for _, fromServer := range []bool{false, true} {
		var told int
		k := newTalk()
		k.raw(fromServer, bytes.Repeat([]byte{'z'}, 300))
		for _, it := range mustRead(t, pcap(t, chat(k, 2).packets)) {
			if it.Kind == capture.Noted && it.Note.Kind == capture.NoteSkipped {
				if it.Note.Bytes != 300 || it.Note.FromServer != fromServer {
					t.Errorf("%+v, want 300 bytes, from the server: %v", it.Note, fromServer)
				}
				told++
			}
		}
		if told != 1 {
			t.Errorf("%d notes of bytes passed over", told)
		}
	}
}
