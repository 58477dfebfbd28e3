package client

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mqscope/engine/clock"
	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

// Refusal is an answer to a request of a broker that is not success.
type Refusal struct {
	Code protocol.ResponseCode
	Why  string
}

// Error is what the remark of the answer says.
func (r *Refusal) Error() string { return r.Why }

// onRequest answers what brokers ask of a client, on their own behalf or for a tool
// (Java: ClientRemotingProcessor). What a consumer lets be done to it is up to its
// registration.
func (i *Instance) onRequest(ctx context.Context, addr string, req *remoting.Command) *remoting.Command {
	switch code := protocol.RequestCode(req.Code); code {
	case protocol.NotifyConsumerIDsChanged:
		return i.idsChanged(addr, req)
	case protocol.ResetConsumerClientOffset:
		return i.resetOffsets(ctx, addr, req)
	case protocol.GetConsumerStatusFromClient:
		return i.consumerStatus(ctx, req)
	case protocol.GetConsumerRunningInfo:
		return i.runningInfo(ctx, addr, req)
	case protocol.ConsumeMessageDirectly:
		return i.consumeDirectly(ctx, addr, req)
	case protocol.CheckTransactionState:
		return i.checkTransaction(addr, req)
	case protocol.PushReplyMessageToClient:
		return i.replyMessage(addr, req)
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

// refusal is the answer that err makes.
func refusal(err error) *remoting.Command {
	resp := refuse("%v", err)
	r, ok := errors.AsType[*Refusal](err)
	switch {
	case ok:
		resp.Code = int32(r.Code)
	case errors.Is(err, context.DeadlineExceeded):
		resp.Code, resp.Remark = int32(protocol.ConsumeMsgTimeout), "this client did not answer in time"
	}
	return resp
}

func nobody(group string) *remoting.Command { return refuse("no consumer of group %q here", group) }

// within bounds what a registration may take for an answer: less than the broker waits.
func (i *Instance) within(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return clock.WithTimeout(ctx, i.clock, d)
}

// idsChanged wakes the group whose members changed.
func (i *Instance) idsChanged(addr string, req *remoting.Command) *remoting.Command {
	var h protocol.NotifyConsumerIDsChangedRequest
	if err := protocol.Decode(req.Fields, &h); err != nil {
		return refuse("%v", err)
	}
	here := i.tellGroup(h.ConsumerGroup, event.RebalanceWanted{Why: "members changed, says " + addr})
	if !i.decisions.Told(decision.InstanceNotified, nowhere, here, addr, [6]int64{}) {
		return nobody(h.ConsumerGroup)
	}
	return &remoting.Command{}
}

// checkTransaction leaves a half message to its producer, which this client is not. Brokers
// send the question one-way and ask others of the producer group later.
func (i *Instance) checkTransaction(addr string, req *remoting.Command) *remoting.Command {
	var h protocol.CheckTransactionStateRequest
	err := protocol.Decode(req.Fields, &h)
	i.log.Info("transaction check, but there is no transactional producer here", "from", addr, "topic", h.Topic, "err", err)
	return nil
}

// replyMessage takes a reply that nobody here waits for: that is success, as brokers only
// want to know that it arrived (Java: receiveReplyMessage).
func (i *Instance) replyMessage(addr string, req *remoting.Command) *remoting.Command {
	var h protocol.ReplyMessageRequest
	if err := protocol.Decode(req.Fields, &h); err != nil {
		return refuse("%v", err)
	}
	i.log.Info("reply message, but nobody here waits for one", "from", addr, "topic", h.Topic)
	return &remoting.Command{}
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
