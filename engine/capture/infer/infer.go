package infer

import (
	"net/netip"
	"time"

	"mqscope/engine/capture"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

// heldAfter is how long an answer takes that the broker did not hold back.
const heldAfter = 100 * time.Millisecond

// Inferer turns what was read from a capture into events. It belongs to one goroutine.
type Inferer struct {
	state  *State
	out    []Event
	at     time.Time
	conn   capture.Conn
	client string // on conn
	stale  bool   // client may have got another name
	asks   map[*capture.Exchange]pullAsk
	batch  mq.Batch
}

// New returns an Inferer that has seen nothing.
func New() *Inferer { return &Inferer{state: NewState(), asks: make(map[*capture.Exchange]pullAsk)} }

// State is the picture after the last event. It goes on changing with Step: Clone it to keep
// it.
func (n *Inferer) State() *State { return n.state }

// Step returns what follows from the next item. The slice is good until the next Step.
func (n *Inferer) Step(it capture.Item) []Event {
	n.out = n.out[:0]
	n.at = it.At
	if n.stale || clientAddr(it.Conn) != clientAddr(n.conn) {
		n.client, n.stale = n.state.clientAt(clientAddr(it.Conn)), false
	}
	n.conn = it.Conn
	switch it.Kind {
	case capture.Opened:
		n.emit(Opened{Client: it.Conn.Client.String(), Server: it.Conn.Server.String()})
	case capture.Closed:
		n.closed(it.Note.Text)
	case capture.Noted:
		n.emit(Noted{it.Note})
	case capture.Asked:
		n.asked(it.Exchange)
	case capture.Done:
		n.done(it.Exchange)
	}
	return n.out
}

func clientAddr(c capture.Conn) netip.AddrPort { return c.Client }

// emit adds an event and lets the state take it, as later ones depend on it.
func (n *Inferer) emit(f Fact) {
	e := Event{Seq: n.state.Seq + 1, At: n.at, Conn: n.conn.ID, Fact: f}
	n.state.Step(e)
	switch f.(type) {
	case ClientKnown, Closed:
		n.stale = true
	}
	n.out = append(n.out, e)
}

// identify takes the id that the client of the connection gave itself.
func (n *Inferer) identify(id string) {
	if id == "" || id == n.client {
		return
	}
	n.emit(ClientKnown{Addr: n.conn.Client.String(), Client: id})
	n.client = n.state.clientAt(clientAddr(n.conn))
}

// closed ends what depends on the connection.
func (n *Inferer) closed(why string) {
	if why != captureEnds {
		n.leaveAll(n.client, "", why)
	}
	n.emit(Closed{Client: n.conn.Client.String(), Server: n.conn.Server.String(), Why: why})
}

// captureEnds is what package capture says of connections that outlive the capture.
const captureEnds = "the capture ends"

// queue names a queue of the broker that a request went to.
func (n *Inferer) queue(topic, bname string, id int32) mq.MessageQueue {
	return mq.MessageQueue{Topic: topic, BrokerName: n.broker(bname), QueueID: id}
}

func (n *Inferer) broker(bname string) string {
	if bname != "" {
		return bname
	}
	addr := n.conn.Server.String()
	if name, ok := n.state.Brokers[addr]; ok {
		return name
	}
	return addr
}

// decode reads a header; false after telling that it can not be read.
func (n *Inferer) decode(x *capture.Exchange, c *remoting.Command, h protocol.Header) bool {
	if err := protocol.Decode(c.Fields, h); err != nil {
		n.unreadable(x, err.Error())
		return false
	}
	return true
}

func (n *Inferer) unreadable(x *capture.Exchange, text string) {
	n.emit(Unreadable{Client: n.client, Request: codeOf(x), Text: text})
}

// unseen is the code of a request that the capture does not have.
const unseen protocol.RequestCode = -1

func codeOf(x *capture.Exchange) protocol.RequestCode {
	if x.Request == nil {
		return unseen
	}
	return protocol.RequestCode(x.Request.Code)
}

// answer is the code of the answer and whether there is one.
func answer(x *capture.Exchange) (protocol.ResponseCode, bool) {
	if x.Response == nil {
		return 0, false
	}
	return protocol.ResponseCode(x.Response.Code), true
}

// succeeded tells whether the answer is success.
func succeeded(x *capture.Exchange) bool {
	code, ok := answer(x)
	return ok && code == protocol.Success
}

// asked takes a request before its answer.
func (n *Inferer) asked(x *capture.Exchange) {
	if x.FromServer {
		return
	}
	switch codeOf(x) {
	case protocol.PullMessage, protocol.LitePullMessage:
		n.pullSent(x)
	case protocol.PopMessage:
		n.popSent(x)
	case protocol.HeartBeat:
		if h, err := protocol.DecodeHeartbeatData(x.Request.Body); err == nil {
			n.identify(h.ClientID)
		}
	}
}

// done takes a request and its answer, as far as there is one.
func (n *Inferer) done(x *capture.Exchange) {
	switch {
	case x.Request == nil:
		n.emit(Called{Client: n.client, Request: -1, ToClient: x.FromServer, Answered: true,
			Code: protocol.ResponseCode(x.Response.Code), Why: x.Why})
	case x.FromServer:
		n.fromServer(x)
	default:
		n.fromClient(x)
	}
	n.failed(x)
}

func (n *Inferer) fromClient(x *capture.Exchange) {
	switch code := codeOf(x); code {
	case protocol.PullMessage, protocol.LitePullMessage:
		n.pullDone(x)
	case protocol.PopMessage:
		n.popDone(x)
	case protocol.AckMessage:
		n.acked(x)
	case protocol.ChangeMessageInvisibleTime:
		n.deferred(x)
	case protocol.HeartBeat:
		n.heartbeat(x)
	case protocol.UnregisterClient:
		n.unregister(x)
	case protocol.GetConsumerListByGroup:
		n.membersListed(x)
	case protocol.GetRouteInfoByTopic:
		n.route(x)
	case protocol.RegisterBroker:
		n.registered(x)
	case protocol.QueryAssignment:
		n.brokerAssigned(x)
	case protocol.UpdateConsumerOffset:
		n.committed(x)
	case protocol.QueryConsumerOffset:
		n.commitRead(x)
	case protocol.GetMaxOffset, protocol.GetMinOffset:
		n.offsetRead(x, code)
	case protocol.LockBatchMQ:
		n.locked(x)
	case protocol.UnlockBatchMQ:
		n.unlocked(x)
	case protocol.ConsumerSendMsgBack:
		n.sentBack(x)
	case protocol.SendMessage, protocol.SendMessageV2, protocol.SendBatchMessage:
		n.sent(x, code)
	case protocol.InvokeBrokerToResetOffset:
		n.resetAsked(x)
	default:
		n.called(x, groupOf(x.Request))
	}
}

// groupOf finds the group in the header of any request.
func groupOf(c *remoting.Command) string {
	for _, key := range [...]string{"consumerGroup", "group", "groupName"} {
		if v, ok := c.Fields.Get(key); ok {
			return v
		}
	}
	return ""
}

func (n *Inferer) called(x *capture.Exchange, group string) {
	c := Called{Client: n.client, Group: group, Request: codeOf(x), ToClient: x.FromServer, Why: x.Why}
	c.Code, c.Answered = answer(x)
	c.RoundTrip, _ = x.RoundTrip()
	if c.Request == protocol.ConsumeMessageDirectly && c.Answered {
		if r, err := protocol.DecodeConsumeMessageDirectlyResult(x.Response.Body); err == nil {
			c.Result = r.ConsumeResult
		}
	}
	n.emit(c)
}

// failed tells of answers that are errors, and not merely a way to say "nothing there".
func (n *Inferer) failed(x *capture.Exchange) {
	code, ok := answer(x)
	if !ok || protocol.Stored(code) {
		return
	}
	switch code {
	case protocol.PullNotFound, protocol.PullRetryImmediately, protocol.PollingTimeout, protocol.QueryNotFound:
		return
	}
	n.emit(Failed{Client: n.client, Request: codeOf(x), Code: code, Remark: x.Response.Remark})
}
