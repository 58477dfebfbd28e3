package infer_test

import (
	"net/netip"
	"slices"
	"testing"
	"time"

	"mqscope/engine/capture"
	"mqscope/engine/capture/infer"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
	"mqscope/engine/snapshot"
)

// scene feeds exchanges to an Inferer.
type scene struct {
	n      *infer.Inferer
	at     time.Time
	seq    uint64
	events []infer.Event
}

func newScene() *scene {
	return &scene{n: infer.New(), at: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}
}

func connOf(id int) capture.Conn {
	return capture.Conn{
		ID:     id,
		Client: netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(id)}), 40000),
		Server: netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 1, byte(id / 10)}), 10911),
	}
}

func (s *scene) item(it capture.Item) {
	s.at = s.at.Add(10 * time.Millisecond)
	it.At = s.at
	s.events = append(s.events, s.n.Step(it)...)
}

// call makes a request on a connection and answers it; code -99 leaves it open.
func (s *scene) call(conn int, code protocol.RequestCode, h protocol.Header, body []byte, answer protocol.ResponseCode, a protocol.Header) {
	s.callWith(conn, code, h, body, answer, a, nil)
}

func (s *scene) callWith(conn int, code protocol.RequestCode, h protocol.Header, body []byte, answer protocol.ResponseCode, a protocol.Header, answerBody []byte) {
	s.seq++
	x := &capture.Exchange{Seq: s.seq, Conn: connOf(conn), Request: &remoting.Command{Code: int32(code), Body: body}, SentAt: s.at}
	if h != nil {
		x.Request.Fields = protocol.Encode(h)
	}
	s.item(capture.Item{Kind: capture.Asked, Conn: x.Conn, Exchange: x})
	if answer == -99 {
		return
	}
	x.Response, x.AnsweredAt = &remoting.Command{Code: int32(answer), Flag: 1, Body: answerBody}, s.at
	if a != nil {
		x.Response.Fields = protocol.Encode(a)
	}
	s.item(capture.Item{Kind: capture.Done, Conn: x.Conn, Exchange: x})
}

func (s *scene) beat(conn int, id, expression string) {
	h := protocol.HeartbeatData{ClientID: id, ConsumerDataSet: []protocol.ConsumerData{{
		GroupName: "g", ConsumeType: mq.Passively, MessageModel: mq.Clustering,
		SubscriptionDataSet: []protocol.SubscriptionData{{Topic: "orders", SubString: expression}},
	}}}
	s.call(conn, protocol.HeartBeat, nil, h.Encode(), protocol.Success, nil)
}

func (s *scene) pull(conn int, offset int64, answer protocol.ResponseCode, next int64) {
	h := &protocol.PullMessageRequest{ConsumerGroup: "g", Topic: "orders", QueueOffset: offset, MaxMsgNums: 32}
	h.BName = "broker-a"
	s.call(conn, protocol.PullMessage, h, nil, answer, &protocol.PullMessageResponse{NextBeginOffset: next, MaxOffset: 100})
}

func (s *scene) commit(conn int, offset int64) {
	h := &protocol.UpdateConsumerOffsetRequest{ConsumerGroup: "g", Topic: "orders", CommitOffset: offset}
	h.BName = "broker-a"
	s.call(conn, protocol.UpdateConsumerOffset, h, nil, protocol.Success, nil)
}

func (s *scene) queue() *infer.Queue { return s.n.State().Groups["g"].Queues[order(0)] }

func (s *scene) pullers() (ids []string) {
	for _, p := range s.queue().Pullers {
		ids = append(ids, p.Client)
	}
	return ids
}

func TestTwoClientsThatPullInTurnBothPull(t *testing.T) {
	s := newScene()
	s.beat(11, "a", "*")
	s.beat(12, "b", "*")
	for i := range int64(4) {
		s.pull(11, i, protocol.PullRetryImmediately, i+1)
		s.pull(12, i, protocol.PullRetryImmediately, i+1)
	}
	if got := s.pullers(); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("pulled by %q", got)
	}
	for _, e := range s.events {
		if r, ok := e.Fact.(infer.Released); ok {
			t.Errorf("%+v while both pull", r)
		}
	}
	s.pull(12, 4, protocol.PullRetryImmediately, 5)
	if got := s.pullers(); !slices.Equal(got, []string{"b"}) {
		t.Errorf("pulled by %q, want b, which asked twice", got)
	}
}

func TestClientIsKnownByItsAddressUntilItsHeartbeat(t *testing.T) {
	s := newScene()
	s.pull(11, 0, protocol.PullRetryImmediately, 1)
	if got := s.pullers(); !slices.Equal(got, []string{"[10.0.0.11:40000]"}) {
		t.Errorf("pulled by %q", got)
	}
	s.beat(11, "a", "*")
	s.pull(11, 1, protocol.PullRetryImmediately, 2)
	if got := s.pullers(); !slices.Equal(got, []string{"a"}) {
		t.Errorf("pulled by %q", got)
	}
}

func TestAnAddressThatAnotherClientHasNextIsNotTheFirstOnes(t *testing.T) {
	s := newScene()
	s.beat(11, "a", "*")
	s.item(capture.Item{Kind: capture.Closed, Conn: connOf(11), Note: capture.Note{Text: "the connection was closed"}})
	s.pull(11, 0, protocol.PullRetryImmediately, 1)
	if got := s.pullers(); !slices.Equal(got, []string{"[10.0.0.11:40000]"}) {
		t.Errorf("pulled by %q", got)
	}
}

func TestSubscriptionsThatChangeAreToldOnce(t *testing.T) {
	s := newScene()
	for _, e := range []string{"*", "*", "TagA", "TagA"} {
		s.beat(11, "a", e)
	}
	var told []string
	for _, e := range s.events {
		if m, ok := e.Fact.(infer.MemberSeen); ok {
			told = append(told, m.Subscriptions[0].SubString)
		}
	}
	if !slices.Equal(told, []string{"*", "TagA"}) {
		t.Errorf("told %q", told)
	}
}

func TestMemberStaysWhileOneConnectionDoes(t *testing.T) {
	s := newScene()
	s.beat(11, "a", "*")
	s.beat(21, "a", "*") // another broker
	s.pull(11, 0, protocol.PullRetryImmediately, 1)
	end := func(conn int) {
		s.item(capture.Item{Kind: capture.Closed, Conn: connOf(conn), Note: capture.Note{Text: "the connection was closed"}})
	}
	end(21)
	if g := s.n.State().Groups["g"]; len(g.Members) != 1 {
		t.Errorf("%d members after one of two connections ended", len(g.Members))
	}
	end(11)
	if g := s.n.State().Groups["g"]; len(g.Members) != 0 {
		t.Errorf("%d members without a connection", len(g.Members))
	}
}

func TestWindowFollowsCommitsAndPullsFromBefore(t *testing.T) {
	s := newScene()
	s.beat(11, "a", "*")
	step := func(f infer.Fact) {
		s.n.State().Step(infer.Event{Seq: s.n.State().Seq + 1, At: s.at, Fact: f})
	}
	window := func(want snapshot.Val[int]) {
		t.Helper()
		if w := s.queue().Window; w.State != want.State || w.V != want.V || (w.Reason == "") != (want.Reason == "") {
			t.Errorf("window %+v, want %+v", w, want)
		}
	}
	s.pull(11, 10, -99, 0)
	done := infer.PullDone{Client: "a", Group: "g", Queue: order(0), Offset: 10, Answered: true, Status: mq.Found, Next: 20, Max: 100, Offsets: []int64{10, 12, 15, 19}}
	step(done)
	window(snapshot.UnknownBecause[int]("no commit"))
	if lag := s.n.State().Lag("g", order(0)); lag.OK() || lag.Reason == "" {
		t.Errorf("lag %+v without a commit", lag)
	}
	s.commit(11, 13)
	window(snapshot.Of(2, s.at))
	if lag := s.n.State().Lag("g", order(0)); lag.V != 87 {
		t.Errorf("lag %+v, want 87", lag)
	}
	s.pull(11, 15, -99, 0) // from before: 15 and 19 will come again
	window(snapshot.Of(0, s.at))
	done.Cut = true
	step(done)
	window(snapshot.UnknownBecause[int]("lost"))
	s.commit(11, 20)
	window(snapshot.Of(0, s.at))
}

// TestHeldIsWhatTheBrokerMayHold pulls with and without leave to hold, fast and slow.
func TestHeldIsWhatTheBrokerMayHold(t *testing.T) {
	for _, c := range []struct {
		flag int32
		took time.Duration
		want bool
	}{{protocol.PullSuspend, time.Second, true}, {0, time.Second, false}, {protocol.PullSuspend, 5 * time.Millisecond, false}} {
		s := newScene()
		h := &protocol.PullMessageRequest{ConsumerGroup: "g", Topic: "orders", SysFlag: c.flag, SuspendTimeoutMillis: 15_000}
		s.callWith(11, protocol.PullMessage, h, nil, -99, nil, nil)
		x := &capture.Exchange{
			Seq: 1, Conn: connOf(11), SentAt: s.at, AnsweredAt: s.at.Add(c.took),
			Request:  &remoting.Command{Code: int32(protocol.PullMessage), Fields: protocol.Encode(h)},
			Response: &remoting.Command{Code: int32(protocol.PullNotFound), Flag: 1, Fields: protocol.Encode(&protocol.PullMessageResponse{})},
		}
		s.item(capture.Item{Kind: capture.Done, Conn: x.Conn, Exchange: x})
		done, _ := facts[infer.PullDone](&story{events: s.events}, nil)
		if len(done) != 1 || done[0].Held != c.want || done[0].RoundTrip != c.took {
			t.Errorf("%+v: %+v", c, done)
		}
	}
}
