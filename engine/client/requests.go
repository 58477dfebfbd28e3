package client

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"mqscope/engine/event"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

// onRequest answers what brokers ask of a client (Java: ClientRemotingProcessor). Nothing
// that changes what is consumed is done on a broker's word: it is refused with a remark and
// told to the group as an event.
func (i *Instance) onRequest(_ context.Context, addr string, req *remoting.Command) *remoting.Command {
	switch code := protocol.RequestCode(req.Code); code {
	case protocol.NotifyConsumerIDsChanged:
		return i.idsChanged(addr, req)
	case protocol.ResetConsumerClientOffset:
		return i.resetRefused(addr, req)
	case protocol.GetConsumerStatusFromClient:
		return i.consumerStatus(req)
	case protocol.GetConsumerRunningInfo:
		return i.runningInfo(req)
	case protocol.ConsumeMessageDirectly:
		return refuse("this client does not consume a message on request: send it to the topic instead")
	case protocol.CheckTransactionState:
		return refuse("this client sends no transactional messages")
	case protocol.PushReplyMessageToClient:
		return refuse("this client sends no request messages, so it waits for no reply")
	default:
		i.log.Info("request not supported", "code", code.String(), "from", addr)
		return &remoting.Command{
			Code:   int32(protocol.RequestCodeNotSupported),
			Remark: fmt.Sprintf("request type %d is not supported by this client", req.Code),
		}
	}
}

func refuse(format string, args ...any) *remoting.Command {
	return &remoting.Command{Code: int32(protocol.SystemError), Remark: fmt.Sprintf(format, args...)}
}

// idsChanged wakes the group whose members changed.
func (i *Instance) idsChanged(addr string, req *remoting.Command) *remoting.Command {
	var h protocol.NotifyConsumerIDsChangedRequest
	if err := protocol.Decode(req.Fields, &h); err != nil {
		return refuse("%v", err)
	}
	if !i.tellGroup(h.ConsumerGroup, event.RebalanceWanted{Why: "members changed, says " + addr}) {
		return refuse("no consumer of group %q here", h.ConsumerGroup)
	}
	return &remoting.Command{}
}

// resetRefused does not reset offsets: a person must want that.
func (i *Instance) resetRefused(addr string, req *remoting.Command) *remoting.Command {
	var h protocol.ResetOffsetRequest
	if err := protocol.Decode(req.Fields, &h); err != nil {
		return refuse("%v", err)
	}
	e := i.entry(event.Warn, h.Topic, fmt.Sprintf("broker %s asked to reset offsets: refused, reset them from here if that is meant", addr))
	if !i.tellGroup(h.Group, e) {
		return refuse("no consumer of group %q here", h.Group)
	}
	return refuse("this client does not reset offsets on request: use the server-side reset")
}

// consumerStatus answers with the offsets in memory.
func (i *Instance) consumerStatus(req *remoting.Command) *remoting.Command {
	var h protocol.GetConsumerStatusRequest
	if err := protocol.Decode(req.Fields, &h); err != nil {
		return refuse("%v", err)
	}
	g, ok := i.group(h.Group)
	switch {
	case !ok:
		return refuse("no consumer of group %q here", h.Group)
	case g.Offsets == nil:
		return refuse("the consumer of group %q does not tell its offsets", h.Group)
	}
	body := protocol.ConsumerStatus{MessageQueueTable: g.Offsets(h.Topic)}
	return &remoting.Command{Body: body.Encode()}
}

// runningInfo answers with what the registration tells of its queues, and what the instance
// knows itself. A dump of the goroutines is never given away.
func (i *Instance) runningInfo(req *remoting.Command) *remoting.Command {
	var h protocol.GetConsumerRunningInfoRequest
	if err := protocol.Decode(req.Fields, &h); err != nil {
		return refuse("%v", err)
	}
	g, ok := i.group(h.ConsumerGroup)
	if !ok {
		return refuse("no consumer of group %q here", h.ConsumerGroup)
	}
	var info protocol.ConsumerRunningInfo
	if g.RunningInfo != nil {
		info = g.RunningInfo()
	}
	info.SubscriptionSet = g.Subscriptions()
	known := map[string]string{
		protocol.PropNameServerAddr: strings.Join(i.servers.all(), ";") + ";",
		protocol.PropConsumeType:    g.Type.String(),
		protocol.PropConsumeOrderly: "false",
		protocol.PropClientVersion:  protocol.VersionName(protocol.ClientVersion),
		protocol.PropStartTimestamp: strconv.FormatInt(g.since.UnixMilli(), 10),
	}
	maps.Copy(known, info.Properties)
	info.Properties = known
	return &remoting.Command{Body: info.Encode()}
}

func (i *Instance) group(name string) (*group, bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	g, ok := i.groups[name]
	return g, ok
}

// tellGroup tells one group; false when it is not here.
func (i *Instance) tellGroup(name string, e event.Event) bool {
	i.mu.Lock()
	g, ok := i.groups[name]
	if ok {
		i.tell(g, e)
	}
	i.mu.Unlock()
	i.deliver()
	return ok
}
