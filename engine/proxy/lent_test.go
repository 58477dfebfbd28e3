package proxy

import (
	"io"
	"slices"
	"testing"
	"testing/synctest"

	"mqscope/engine/capture/infer"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

// held is a sink that stands still at the first answer to a pull until it is told.
type held struct {
	events
	at, goOn chan struct{}
}

func (h *held) Add(e infer.Event) {
	h.events.Add(e)
	if _, ok := e.Fact.(infer.PullDone); ok {
		h.at <- struct{}{}
		<-h.goOn
	}
}

// found is the answer to a pull of one message with so many bytes.
func found(t testing.TB, opaque int32, offset int64, size int) []byte {
	t.Helper()
	body, err := protocol.AppendMessage(nil, &protocol.StoredMessage{QueueOffset: offset, Topic: "t", Body: make([]byte, size)})
	if err != nil {
		t.Fatal(err)
	}
	h := &protocol.PullMessageResponse{NextBeginOffset: offset + 1, MaxOffset: 100}
	return frame(t, &remoting.Command{Opaque: opaque, Flag: 1, Fields: protocol.Encode(h), Body: body})
}

// TestWhatIsLookedAtIsNotReadOver: two answers came in one piece; while the first one is looked
// at, more comes. The second one is still what it was.
func TestWhatIsLookedAtIsNotReadOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &held{at: make(chan struct{}), goOn: make(chan struct{})}
		e := between(t, func(c *Config) { c.Sink = sink })
		for i := range int32(3) {
			ask := frame(t, &remoting.Command{Code: int32(protocol.PullMessage), Opaque: i, Fields: protocol.Encode(&protocol.PullMessageRequest{
				ConsumerGroup: "g", Topic: "t", QueueOffset: int64(i), MaxMsgNums: 1,
			})})
			if _, err := e.client.Write(ask); err != nil {
				t.Fatal(err)
			}
			mustRead(t, e.server, ask)
		}
		// The client reads nothing and what is on its way to it is full, so that the proxy stands
		// with both answers in its hands.
		const room = 256 << 10
		filler := frame(t, &remoting.Command{Flag: 1, Opaque: 99})
		filler = frame(t, &remoting.Command{Flag: 1, Opaque: 99, Body: make([]byte, room-len(filler))})
		both := append(found(t, 0, 10, 4), found(t, 1, 11, 4)...)
		for _, b := range [][]byte{filler, both} {
			if _, err := e.server.Write(b); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		<-sink.at
		mustRead(t, e.client, filler)
		mustRead(t, e.client, both)
		third := found(t, 2, 12, 100<<10) // all over what they were read into
		if _, err := e.server.Write(third); err != nil {
			t.Fatal(err)
		}
		mustRead(t, e.client, third)
		synctest.Wait()
		sink.goOn <- struct{}{}
		for range 2 {
			<-sink.at
			sink.goOn <- struct{}{}
		}
		synctest.Wait()
		var offsets []int64
		for _, p := range of[infer.PullDone](sink.list()) {
			offsets = append(offsets, p.Offsets...)
		}
		if !slices.Equal(offsets, []int64{10, 11, 12}) {
			t.Errorf("offsets %v, unreadable %+v", offsets, of[infer.Unreadable](sink.list()))
		}
	})
}

// TestManyPullsAreSeenAsTheyAre has frames across reads, at the pace of a network in memory.
func TestManyPullsAreSeenAsTheyAre(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const count = 3000
		e := between(t)
		go func() { _, _ = io.Copy(io.Discard, e.client) }()
		go func() { _, _ = io.Copy(io.Discard, e.server) }()
		for i := range int32(count) {
			ask := frame(t, &remoting.Command{Code: int32(protocol.PullMessage), Opaque: i, Fields: protocol.Encode(&protocol.PullMessageRequest{
				ConsumerGroup: "g", Topic: "t", QueueOffset: int64(i), MaxMsgNums: 1,
			})})
			if _, err := e.client.Write(ask); err != nil {
				t.Fatal(err)
			}
			if i%50 == 0 {
				synctest.Wait() // requests do come first
			}
		}
		synctest.Wait()
		for i := range int32(count) {
			if _, err := e.server.Write(found(t, i, int64(i), 4)); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		done := of[infer.PullDone](e.events.list())
		if len(done) != count {
			t.Fatalf("%d pulls were seen", len(done))
		}
		for i, p := range done {
			if !slices.Equal(p.Offsets, []int64{int64(i)}) {
				t.Fatalf("pull %d: %+v", i, p)
			}
		}
	})
}
