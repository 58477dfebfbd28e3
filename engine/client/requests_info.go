package client

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

// infoWithin is less than the 10 s that brokers wait.
const infoWithin = 8 * time.Second

// runningInfo answers with what the registration tells of its queues, and what the instance
// knows itself (Java: DefaultMQPushConsumerImpl.consumerRunningInfo).
func (i *Instance) runningInfo(ctx context.Context, addr string, req *remoting.Command) *remoting.Command {
	var h protocol.GetConsumerRunningInfoRequest
	if err := protocol.Decode(req.Fields, &h); err != nil {
		return refuse("%v", err)
	}
	g, ok := i.group(h.ConsumerGroup)
	if !ok {
		return nobody(h.ConsumerGroup)
	}
	var info protocol.ConsumerRunningInfo
	if g.RunningInfo != nil {
		ctx, cancel := i.within(ctx, infoWithin)
		defer cancel()
		var err error
		if info, err = g.RunningInfo(ctx); err != nil {
			return refusal(err)
		}
	}
	info.SubscriptionSet = slices.Clone(g.Subscriptions())
	slices.SortFunc(info.SubscriptionSet, compareSubscriptions)
	properties := i.properties(g)
	maps.Copy(properties, info.Properties)
	info.Properties = properties
	if h.StackEnable && g.AllowStacks != nil && g.AllowStacks(addr) {
		info.Stack = i.stacks.dump(i.clock.Now())
	}
	return &remoting.Command{Body: info.Encode()}
}

// compareSubscriptions is the order in which Java tells them: by topic@expression.
func compareSubscriptions(a, b protocol.SubscriptionData) int {
	return cmp.Or(mq.CompareJava(a.Topic+"@"+a.SubString, b.Topic+"@"+b.SubString), cmp.Compare(a.SubVersion, b.SubVersion))
}

// properties are what the instance knows, under the names that Java's consumers use for it.
func (i *Instance) properties(g *group) map[string]string {
	servers := i.servers.all()
	ip, name, _ := strings.Cut(i.cfg.ClientID, "@")
	name, unit, hasUnit := strings.Cut(name, "@")
	p := map[string]string{
		protocol.PropNameServerAddr: strings.Join(servers, ";") + ";",
		protocol.PropConsumeType:    g.Type.String(),
		protocol.PropClientVersion:  protocol.VersionName(protocol.ClientVersion),
		protocol.PropStartTimestamp: strconv.FormatInt(g.since.UnixMilli(), 10),

		"consumerGroup": g.Group, "messageModel": g.Model.String(),
		"namesrvAddr": strings.Join(servers, ";"), "clientIP": ip, "instanceName": name,
		"language": remoting.Go.String(), "useTLS": "false", "vipChannelEnabled": strconv.FormatBool(i.cfg.VIPChannel),
		"pollNameServerInterval":  inMillis(i.cfg.RouteInterval),
		"heartbeatBrokerInterval": inMillis(i.cfg.HeartbeatInterval),
		"mqClientApiTimeout":      inMillis(i.cfg.CallTimeout),
	}
	if hasUnit {
		p["unitName"] = unit
	}
	return p
}

func inMillis(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }
