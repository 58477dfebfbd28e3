package conformance

import (
	"slices"

	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

func adminChecks() []Check {
	return []Check{
		{"C51", "messages are found by unique key and by a word of their keys", queryByKey},
		{"C52", "queues come and go at run time", changeQueues},
		{"C53", "a topic's permission is checked by pulls, not by sends", permissions},
		{"C54", "a group that may not consume gets 16", groupSwitches},
		{"X50", "the connections of a group", connectionList},
		{"X51", "topic stats", topicStats},
		{"X52", "consume stats", consumeStats},
		{"X53", "who consumes what", whoConsumes},
		{"X54", "queue queries 303 and 321", queueQueries},
		{"X55", "topic configuration", topicConfig},
		{"X56", "group configuration", groupConfig},
		{"X59", "offsets are copied, reading is forbidden", cloneAndForbid},
		{"X63", "check client config", checkConfig},
		{"X98", "lookups that make a group, lookups that do not", groupMaking},
	}
}

func queryByKey(e *Env) {
	c := e.Client()
	topic := e.Topic(c, 2)
	first := c.SendProps(topic, 0, "1", protocol.Property{Name: mq.PropertyKeys, Value: "red green"})
	c.SendProps(topic, 1, "2", protocol.Property{Name: mq.PropertyKeys, Value: "green"})
	e.Sleep(soon) // a real broker builds its index later
	query := func(key string, unique bool) []mq.Message {
		e.Helper()
		resp := c.Call(e.Broker(), protocol.QueryMessage, &protocol.QueryMessageRequest{
			Topic: topic, Key: key, MaxNum: 32, EndTimestamp: 1 << 52, UniqueKeyQuery: protocol.Some(unique),
		}, nil)
		if protocol.ResponseCode(resp.Code) == protocol.QueryNotFound {
			return nil
		}
		var b mq.Batch
		b.Reset(resp.Body, nil)
		if err := protocol.IndexMessages(&b, 0); err != nil || resp.Code != 0 {
			e.Fatalf("query %s: %d %v", key, resp.Code, err)
		}
		var list []mq.Message
		for i := range b.Len() {
			list = append(list, b.At(i))
		}
		return list
	}
	if list := query(first.TransactionID, true); len(list) != 1 || string(list[0].Body()) != "1" {
		e.Errorf("by unique key: %d messages", len(list))
	}
	if list := query("green", false); len(list) != 2 || list[0].PhysicalOffset() > list[1].PhysicalOffset() {
		e.Errorf("by key: %d messages", len(list))
	}
	if list := query("blue", false); list != nil {
		e.Errorf("unknown key: %d messages", len(list))
	}
}

func changeQueues(e *Env) {
	c := e.Client()
	topic, group := e.Topic(c, 4), e.Name("G")
	c.Send(topic, 3, "", "x")
	e.changeRoute(c, topic, 8, 8, 6)
	e.WantPull("a new queue", c.Pull(PullHeader(group, topic, 7, 0, "*")), protocol.PullNotFound, "NO_MESSAGE_IN_QUEUE", 0)
	e.SetQueues(c, topic, 2, 2, 6)
	if p := c.Pull(PullHeader(group, topic, 3, 0, "*")); p.Code != protocol.InvalidParameter {
		e.Errorf("a queue that went: %v, want 29", p.Code)
	}
	e.SetQueues(c, topic, 4, 4, 6)
	e.wantCount("a queue that came back", c.Pull(PullHeader(group, topic, 3, 0, "*")), 1, 1)
}

func permissions(e *Env) {
	c := e.Client()
	topic := e.Name("T")
	e.SetQueues(c, topic, 1, 1, protocol.PermRead)
	c.Send(topic, 0, "", "x")
	e.SetQueues(c, topic, 1, 1, protocol.PermWrite)
	if p := c.Pull(PullHeader(e.Name("G"), topic, 0, 0, "*")); p.Code != protocol.NoPermission {
		e.Errorf("pull: %v, want 16", p.Code)
	}
}

func (c *Client) setGroup(change func(g *protocol.SubscriptionGroupConfig), name string) {
	c.e.Helper()
	g := protocol.SubscriptionGroupConfig{
		GroupName: name, ConsumeEnable: true, ConsumeFromMinEnable: true, ConsumeBroadcastEnable: true, RetryQueueNums: 1,
		RetryMaxTimes: 16, WhichBrokerWhenConsumeSlowly: 1, NotifyConsumerIDsChangedEnable: true, ConsumeTimeoutMinute: 15,
	}
	change(&g)
	c.Want(0, c.e.Broker(), protocol.UpdateAndCreateSubscriptionGroup, nil, g.Encode())
}

func groupSwitches(e *Env) {
	c := e.Client()
	topic := e.Topic(c, 1)
	forbidden := func(h *protocol.PullMessageRequest, kind int32) {
		e.Helper()
		resp := c.Call(e.Broker(), protocol.PullMessage, h, nil)
		var got protocol.PullMessageResponse
		_ = protocol.Decode(resp.Fields, &got) // the offsets may be missing
		if protocol.ResponseCode(resp.Code) != protocol.NoPermission || got.ForbiddenType.Value != kind {
			e.Errorf("%v with forbiddenType %d, want 16 with %d", protocol.ResponseCode(resp.Code), got.ForbiddenType.Value, kind)
		}
	}
	off := e.Name("G")
	c.setGroup(func(g *protocol.SubscriptionGroupConfig) { g.ConsumeEnable = false }, off)
	forbidden(PullHeader(off, topic, 0, 0, "*"), 2)
	noBroadcast := e.Name("G")
	c.setGroup(func(g *protocol.SubscriptionGroupConfig) { g.ConsumeBroadcastEnable = false }, noBroadcast)
	c.heartbeatAs(mq.Broadcasting, noBroadcast, e.Sub(topic, "*", 1))
	forbidden(PullHeader(noBroadcast, topic, 0, 0, ""), 4)
}

func connectionList(e *Env) {
	c := e.Client()
	topic, group := e.Topic(c, 1), e.Name("G")
	ask := &protocol.GetConsumerConnectionListRequest{ConsumerGroup: group}
	c.Want(protocol.ConsumerNotOnline, e.Broker(), protocol.GetConsumerConnectionList, ask, nil)
	c.Heartbeat(group, e.Sub(topic, "A || B", 3))
	list, err := protocol.DecodeConsumerConnection(c.Want(0, e.Broker(), protocol.GetConsumerConnectionList, ask, nil).Body)
	if err != nil || len(list.Connections) != 1 {
		e.Fatalf("%+v %v", list, err)
	}
	got := list.Connections[0]
	if got.ClientID != c.ID || got.Language != "GO" || got.Version != protocol.ClientVersion || got.ClientAddr == "" {
		e.Errorf("connection %+v", got)
	}
	if sub := list.SubscriptionTable[topic]; sub.SubString != "A || B" || sub.SubVersion != 3 {
		e.Errorf("subscription %+v", sub)
	}
	if list.ConsumeType != mq.Passively || list.MessageModel != mq.Clustering || list.ConsumeFromWhere != mq.FromLastOffset {
		e.Errorf("%v %v %v", list.ConsumeType, list.MessageModel, list.ConsumeFromWhere)
	}
}

func topicStats(e *Env) {
	c := e.Client()
	topic := e.Topic(c, 2)
	c.Send(topic, 1, "", "x")
	c.Settle(topic, 1, 1)
	table, err := protocol.DecodeTopicStatsTable(c.Want(0, e.Broker(), protocol.GetTopicStatsInfo, &protocol.GetTopicStatsInfoRequest{Topic: topic}, nil).Body)
	if err != nil || len(table.OffsetTable) != 2 {
		e.Fatalf("%+v %v", table, err)
	}
	q := mq.MessageQueue{Topic: topic, BrokerName: e.broker.BrokerName, QueueID: 1}
	if got := table.OffsetTable[q]; got.MinOffset != 0 || got.MaxOffset != 1 || got.LastUpdateTimestamp == 0 {
		e.Errorf("queue 1: %+v", got)
	}
	q.QueueID = 0
	if got := table.OffsetTable[q]; got.MaxOffset != 0 || got.LastUpdateTimestamp != 0 {
		e.Errorf("queue 0: %+v", got)
	}
	c.Want(protocol.TopicNotExist, e.Broker(), protocol.GetTopicStatsInfo, &protocol.GetTopicStatsInfoRequest{Topic: e.Name("none")}, nil)
}

func consumeStats(e *Env) {
	c := e.Client()
	topic, group := e.Topic(c, 1), e.Name("G")
	e.fill(c, topic, 10, noTag)
	c.Pull(PullHeader(group, topic, 0, 0, "*"))
	c.Commit(group, topic, 0, 4)
	w := e.progress(c, group, topic)
	if w.BrokerOffset != 10 || w.ConsumerOffset != 4 || w.PullOffset != 10 || w.LastTimestamp == 0 {
		e.Errorf("%+v", w)
	}
	other := e.Topic(c, 1)
	c.Heartbeat(group, e.Sub(other, "*", 1))
	c.Commit(group, other, 0, 0)
	all, err := protocol.DecodeConsumeStats(c.Want(0, e.Broker(), protocol.GetConsumeStats, &protocol.GetConsumeStatsRequest{ConsumerGroup: group}, nil).Body)
	if err != nil || len(all.OffsetTable) != 2 { // the pull's subscription counts too
		e.Errorf("all topics: %+v %v", all.OffsetTable, err)
	}
	none, err := protocol.DecodeConsumeStats(c.Want(0, e.Broker(), protocol.GetConsumeStats, &protocol.GetConsumeStatsRequest{ConsumerGroup: e.Name("G")}, nil).Body)
	if err != nil || len(none.OffsetTable) != 0 {
		e.Errorf("unknown group: %+v %v", none.OffsetTable, err)
	}
}

func whoConsumes(e *Env) {
	c := e.Client()
	topic, group := e.Topic(c, 1), e.Name("G")
	c.Pull(PullHeader(group, topic, 0, 0, "A"))
	c.Commit(group, topic, 0, 0)
	groups, err := protocol.DecodeGroupList(c.Want(0, e.Broker(), protocol.QueryTopicConsumeByWho, &protocol.QueryTopicConsumeByWhoRequest{Topic: topic}, nil).Body)
	if err != nil || !slices.Equal(groups.Groups, []string{group}) {
		e.Errorf("groups %v %v", groups.Groups, err)
	}
	topics, err := protocol.DecodeTopicList(c.Want(0, e.Broker(), protocol.QueryTopicsByConsumer, &protocol.QueryTopicsByConsumerRequest{Group: group}, nil).Body)
	if err != nil || !slices.Equal(topics.Topics, []string{topic}) {
		e.Errorf("topics %v %v", topics.Topics, err)
	}
	sub, err := protocol.DecodeQuerySubscriptionResult(c.Want(0, e.Broker(), protocol.QuerySubscriptionByConsumer, &protocol.QuerySubscriptionByConsumerRequest{Group: group, Topic: topic}, nil).Body)
	if err != nil || sub.Subscription == nil || sub.Subscription.SubString != "A" {
		e.Errorf("subscription %+v %v", sub.Subscription, err)
	}
}

func topicConfig(e *Env) {
	c := e.Client()
	topic := e.Name("T")
	c.Want(protocol.TopicNotExist, e.Broker(), protocol.GetTopicConfig, &protocol.GetTopicConfigRequest{Topic: topic}, nil)
	e.SetQueues(c, topic, 3, 5, 6)
	one, err := protocol.DecodeTopicConfig(c.Want(0, e.Broker(), protocol.GetTopicConfig, &protocol.GetTopicConfigRequest{Topic: topic}, nil).Body)
	if err != nil || one.ReadQueueNums != 3 || one.WriteQueueNums != 5 || one.Perm != 6 || one.TopicName != topic {
		e.Errorf("%+v %v", one, err)
	}
	all, err := protocol.DecodeTopicConfigTable(c.Want(0, e.Broker(), protocol.GetAllTopicConfig, nil, nil).Body)
	if got := all.Topics[topic]; err != nil || got.WriteQueueNums != 5 || all.DataVersion.Counter == 0 {
		e.Errorf("%+v version %+v %v", got, all.DataVersion, err)
	}
	names, err := protocol.DecodeTopicList(c.Want(0, e.NameServer, protocol.GetAllTopicListFromNameserver, nil, nil).Body)
	if err != nil || !slices.Contains(names.Topics, topic) || !slices.Contains(names.Topics, mq.ScheduleTopic) {
		e.Errorf("topics of the name server: %v %v", names.Topics, err)
	}
	for _, bad := range []string{"", "a.b", mq.AutoCreateTopic} {
		c.Want(protocol.InvalidParameter, e.Broker(), protocol.UpdateAndCreateTopic, &protocol.CreateTopicRequest{
			Topic: bad, DefaultTopic: mq.AutoCreateTopic, ReadQueueNums: 1, WriteQueueNums: 1, Perm: 6, TopicFilterType: "SINGLE_TAG",
		}, nil)
	}
}

func groupConfig(e *Env) {
	c := e.Client()
	group := e.Name("G")
	c.setGroup(func(g *protocol.SubscriptionGroupConfig) { g.RetryMaxTimes = 3 }, group)
	one, err := protocol.DecodeSubscriptionGroupConfig(c.Want(0, e.Broker(), protocol.GetSubscriptionGroupConfig, &protocol.GetSubscriptionGroupConfigRequest{Group: group}, nil).Body)
	if err != nil || one.RetryMaxTimes != 3 || !one.ConsumeEnable || one.GroupName != group {
		e.Errorf("%+v %v", one, err)
	}
	topic := e.Topic(c, 1)
	c.Commit(group, topic, 0, 5)
	c.Want(0, e.Broker(), protocol.DeleteSubscriptionGroup, &protocol.DeleteSubscriptionGroupRequest{GroupName: group}, nil)
	code, offset := c.Committed(group, topic, 0)
	e.WantOffset("deleted, offsets kept", code, offset, protocol.Success, 5)
	c.Want(0, e.Broker(), protocol.DeleteSubscriptionGroup, &protocol.DeleteSubscriptionGroupRequest{GroupName: group, CleanOffset: true}, nil)
	code, offset = c.Committed(group, topic, 0)
	e.WantOffset("deleted with its offsets", code, offset, protocol.QueryNotFound, 0)
}

func checkConfig(e *Env) {
	c := e.Client()
	body := protocol.CheckClientRequestBody{ClientID: c.ID, Group: e.Name("G"), Subscription: e.Sub("T", "A || B", 1)}
	c.Want(0, e.Broker(), protocol.CheckClientConfig, nil, body.Encode())
}

func groupMaking(e *Env) {
	c := e.Client()
	topic := e.Topic(c, 1)
	made := func(group string) bool {
		e.Helper()
		table, err := protocol.DecodeSubscriptionGroupTable(c.Want(0, e.Broker(), protocol.GetAllSubscriptionGroupConfig, nil, nil).Body)
		if err != nil {
			e.Fatalf("%v", err)
		}
		_, ok := table.Groups[group]
		return ok
	}
	for _, test := range []struct {
		name string
		do   func(group string)
		want bool
	}{
		{"heartbeat", func(g string) { c.Heartbeat(g, e.Sub(topic, "*", 1)) }, true},
		{"pull", func(g string) { c.Pull(PullHeader(g, topic, 0, 0, "*")) }, true},
		{"send back", func(g string) { c.SendBack(g, topic, 1<<50, 0, protocol.Opt[int32]{}) }, true},
		{"configuration", func(g string) {
			c.Want(0, e.Broker(), protocol.GetSubscriptionGroupConfig, &protocol.GetSubscriptionGroupConfigRequest{Group: g}, nil)
		}, true},
		{"commit", func(g string) { c.Commit(g, topic, 0, 1) }, false},
		{"query offset", func(g string) { c.Committed(g, topic, 0) }, false},
		{"member list", func(g string) { c.Members(g) }, false},
		{"lock", func(g string) { c.Lock(g, topic, 0) }, false},
	} {
		group := e.Name("G")
		if test.do(group); made(group) != test.want {
			e.Errorf("%s: made %v, want %v", test.name, !test.want, test.want)
		}
	}
}

func queueQueries(e *Env) {
	c := e.Client()
	topic, group := e.Topic(c, 1), e.Name("G")
	c.Want(protocol.SystemError, e.Broker(), protocol.QueryConsumeQueue, &protocol.QueryConsumeQueueRequest{Topic: e.Name("none"), Count: 5}, nil)
	e.fill(c, topic, 3, func(i int) string { return string("ABA"[i]) })
	c.Heartbeat(group, e.Sub(topic, "A", 1))
	resp := c.Want(0, e.Broker(), protocol.QueryConsumeQueue, &protocol.QueryConsumeQueueRequest{Topic: topic, Index: 1, Count: 5, ConsumerGroup: group}, nil)
	slice, err := protocol.DecodeConsumeQueueSlice(resp.Body)
	if err != nil || len(slice.Entries) != 2 || slice.MinQueueIndex != 0 || slice.MaxQueueIndex != 3 || slice.Subscription == nil {
		e.Fatalf("%+v %v", slice, err)
	}
	if b, a := slice.Entries[0], slice.Entries[1]; b.TagsCode != 66 || a.TagsCode != 65 || a.Matches || a.PhysicSize == 0 {
		e.Errorf("entries %+v", slice.Entries)
	}
	c.Commit(group, topic, 0, 1)
	spans, err := protocol.DecodeConsumeTimeSpans(c.Want(0, e.Broker(), protocol.QueryConsumeTimeSpan, &protocol.QueryConsumeTimeSpanRequest{Topic: topic, Group: group}, nil).Body)
	if err != nil || len(spans.Queues) != 1 || spans.Queues[0].MinTimestamp == 0 || spans.Queues[0].ConsumeTimestamp != spans.Queues[0].MinTimestamp {
		e.Errorf("spans %+v %v", spans.Queues, err)
	}
	c.Want(protocol.TopicNotExist, e.Broker(), protocol.QueryConsumeTimeSpan, &protocol.QueryConsumeTimeSpanRequest{Topic: e.Name("none"), Group: group}, nil)
}

func cloneAndForbid(e *Env) {
	c := e.Client()
	topic, group, copied := e.Topic(c, 1), e.Name("G"), e.Name("G")
	c.Heartbeat(group, e.Sub(topic, "*", 1))
	c.Commit(group, topic, 0, 4)
	c.Want(0, e.Broker(), protocol.CloneGroupOffset, &protocol.CloneGroupOffsetRequest{SrcGroup: group, DestGroup: copied, Topic: topic}, nil)
	code, offset := c.Committed(copied, topic, 0)
	e.WantOffset("the copy", code, offset, protocol.Success, 4)

	forbid := func(readable protocol.Opt[bool]) bool {
		e.Helper()
		resp := c.Want(0, e.Broker(), protocol.UpdateAndGetGroupForbidden, &protocol.UpdateGroupForbiddenRequest{Group: group, Topic: topic, Readable: readable}, nil)
		state, err := protocol.DecodeGroupForbidden(resp.Body)
		if err != nil {
			e.Fatalf("%v", err)
		}
		return state.Readable
	}
	if !forbid(protocol.Opt[bool]{}) || forbid(protocol.Some(false)) {
		e.Errorf("reading is not switched off")
	}
	resp := c.Call(e.Broker(), protocol.PullMessage, PullHeader(group, topic, 0, 0, ""), nil)
	if kind, _ := resp.Fields.Get("forbiddenType"); protocol.ResponseCode(resp.Code) != protocol.NoPermission || kind != "5" {
		e.Errorf("pull: %v, forbiddenType %s", protocol.ResponseCode(resp.Code), kind)
	}
	if !forbid(protocol.Some(true)) {
		e.Errorf("reading is not switched on")
	}
	e.WantPull("allowed again", c.Pull(PullHeader(group, topic, 0, 0, "")), protocol.PullNotFound, "NO_MESSAGE_IN_QUEUE", 0)
}
