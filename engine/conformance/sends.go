package conformance

import (
	"bytes"
	"strings"
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

func sendChecks() []Check {
	return []Check{
		{"C05", "queueId -1 means any queue, and offsets of a queue are dense", anyQueue},
		{"C06", "a queueId beyond the queues is answered with 29", queueBeyond},
		{"C07", "system topics, bad names and empty bodies are refused", refusedSends},
		{"C08", "bodies and properties over the limits are refused", tooLarge},
		{"X34", "a stored record and the answer to its send agree", storedRecord},
		{"X35", "both forms of the send header store the same", sendForms},
		{"X36", "a batch is stored as separate messages", batchSend},
		{"X37", "topics are made after the template only", autoCreation},
		{"X49", "queue ids are held against the larger of both counts", sendQueueCounts},
	}
}

func anyQueue(e *Env) {
	c := e.Client()
	topic := e.Topic(c, 4)
	next := map[int32]int64{}
	for range 100 {
		sent := c.Send(topic, -1, "", "x")
		if sent.QueueID < 0 || sent.QueueID > 3 || sent.QueueOffset != next[sent.QueueID] {
			e.Fatalf("queue %d offset %d, want offset %d", sent.QueueID, sent.QueueOffset, next[sent.QueueID])
		}
		next[sent.QueueID]++
	}
	if len(next) != 4 {
		e.Errorf("only queues %v were used", next)
	}
}

func queueBeyond(e *Env) {
	c := e.Client()
	topic := e.Topic(c, 4)
	c.Want(protocol.InvalidParameter, e.Broker(), protocol.SendMessageV2, SendHeader(topic, 99), []byte("x"))
}

func refusedSends(e *Env) {
	c := e.Client()
	c.Want(protocol.NoPermission, e.Broker(), protocol.SendMessageV2, SendHeader(mq.ScheduleTopic, 0), []byte("x"))
	c.Want(protocol.InvalidParameter, e.Broker(), protocol.SendMessageV2, SendHeader("a.b", 0), []byte("x"))
	c.Want(protocol.SystemError, e.Broker(), protocol.SendMessageV2, SendHeader(e.Topic(c, 1), 0), nil)
}

func tooLarge(e *Env) {
	c := e.Client()
	topic := e.Topic(c, 1)
	c.Want(protocol.MessageIllegal, e.Broker(), protocol.SendMessageV2, SendHeader(topic, 0), make([]byte, 4<<20+1))
	c.Want(protocol.MessageIllegal, e.Broker(), protocol.SendMessageV2,
		SendHeader(topic, 0, protocol.Property{Name: "long", Value: strings.Repeat("x", 40_000)}), []byte("x"))
	if got := c.MaxOffset(topic, 0); got != 0 {
		e.Errorf("max offset %d after two refused sends", got)
	}
}

func storedRecord(e *Env) {
	c := e.Client()
	topic := e.Topic(c, 2)
	before := time.Now().Add(-5 * time.Second)
	h := SendHeader(topic, 1, protocol.Property{Name: mq.PropertyTags, Value: "A"}, protocol.Property{Name: mq.PropertyKeys, Value: "k1 k2"},
		protocol.Property{Name: "POP_CK", Value: "stripped"})
	h.Flag, h.ReconsumeTimes = 77, protocol.Some(int32(2))
	resp := c.Want(0, e.Broker(), protocol.SendMessageV2, h, []byte("body"))
	var sent protocol.SendMessageResponse
	c.Decode(resp, &sent)
	c.Settle(topic, 1, 1)
	if sent.Region != "DefaultRegion" || sent.TraceOn != "true" {
		e.Errorf("region %q, trace %q", sent.Region, sent.TraceOn)
	}
	p := c.Pull(PullHeader(e.Name("G"), topic, 1, 0, "*"))
	if len(p.Messages) != 1 {
		e.Fatalf("%d messages", len(p.Messages))
	}
	m := p.Messages[0]
	if m.StoredTopic() != topic || m.QueueID() != 1 || m.QueueOffset() != 0 || m.Flag() != 77 || m.ReconsumeTimes() != 2 ||
		string(m.Body()) != "body" || !protocol.CheckCRC(m) || m.BornTime().UnixMilli() != h.BornTimestamp {
		e.Errorf("stored %s/%d/%d flag %d reconsumed %d body %q born %v", m.StoredTopic(), m.QueueID(), m.QueueOffset(), m.Flag(), m.ReconsumeTimes(), m.Body(), m.BornTime())
	}
	if m.StoreTime().Before(before) || e.seen(m.StoreHost().String()) != e.Broker() {
		e.Errorf("stored at %v on %v, want %s", m.StoreTime(), m.StoreHost(), e.Broker())
	}
	if m.OffsetID() != sent.MsgID {
		e.Errorf("offset id %s, the send said %s", m.OffsetID(), sent.MsgID)
	}
	e.WantProps(m, "TAGS=A", "KEYS=k1 k2", "MSG_REGION=DefaultRegion", "TRACE_ON=true", "UNIQ_KEY="+sent.TransactionID, "CLUSTER="+e.broker.Cluster)
	if len(sent.TransactionID) != 32 && len(sent.TransactionID) != 56 {
		e.Errorf("unique key %q", sent.TransactionID)
	}
	if v, ok := m.Property("POP_CK"); ok {
		e.Errorf("POP_CK %q was stored", v)
	}
}

func sendForms(e *Env) {
	c := e.Client()
	topic := e.Topic(c, 1)
	v2 := SendHeader(topic, 0, protocol.Property{Name: mq.PropertyUniqueKey, Value: "0A01020912671234567805265C000007"}, protocol.Property{Name: "a", Value: "b"})
	v1 := protocol.SendMessageRequest(*v2)
	c.Want(0, e.Broker(), protocol.SendMessageV2, v2, []byte("same"))
	c.Want(0, e.Broker(), protocol.SendMessage, &v1, []byte("same"))
	c.Settle(topic, 0, 2)
	p := c.Pull(PullHeader(e.Name("G"), topic, 0, 0, "*"))
	if len(p.Messages) != 2 {
		e.Fatalf("%d messages", len(p.Messages))
	}
	a, b := p.Messages[0], p.Messages[1]
	if !bytes.Equal(a.Body(), b.Body()) || a.Flag() != b.Flag() || a.SysFlag() != b.SysFlag() || !a.BornTime().Equal(b.BornTime()) ||
		len(a.PropertiesText()) != len(b.PropertiesText()) {
		e.Errorf("%q and %q differ", a.PropertiesText(), b.PropertiesText())
	}
}

func batchSend(e *Env) {
	c := e.Client()
	topic := e.Topic(c, 1)
	var body []byte
	for _, text := range []string{"one", "two", "three"} {
		var err error
		body, err = protocol.AppendBatchRecord(body, protocol.BatchRecord{
			Body: []byte(text), Properties: protocol.AppendProperties(nil, []protocol.Property{{Name: mq.PropertyTags, Value: text}}),
		})
		if err != nil {
			e.Fatalf("%v", err)
		}
	}
	h := SendHeader(topic, 0)
	h.Batch = protocol.Some(true)
	var sent protocol.SendMessageResponse
	c.Decode(c.Want(0, e.Broker(), protocol.SendBatchMessage, h, body), &sent)
	c.Settle(topic, 0, 3)
	p := c.Pull(PullHeader(e.Name("G"), topic, 0, 0, "two || three"))
	if len(p.Messages) != 2 || string(p.Messages[0].Body()) != "two" || p.Messages[1].QueueOffset() != 2 {
		e.Fatalf("%d messages pulled", len(p.Messages))
	}
	ids := strings.Split(sent.MsgID, ",")
	if len(ids) != 3 || ids[1] != p.Messages[0].OffsetID() || sent.QueueOffset != 0 || sent.TransactionID != "" {
		e.Errorf("answer %+v", sent)
	}
	e.WantProps(p.Messages[0], "MSG_REGION=DefaultRegion", "CLUSTER="+e.broker.Cluster)
	retry := SendHeader(mq.RetryTopic(e.Name("G")), 0)
	retry.Batch = protocol.Some(true)
	c.Want(protocol.MessageIllegal, e.Broker(), protocol.SendBatchMessage, retry, body)
	c.Want(protocol.SystemError, e.Broker(), protocol.SendBatchMessage, h, []byte("no batch"))
}

func autoCreation(e *Env) {
	c := e.Client()
	send := func(topic, template string, queues, queue int32) protocol.ResponseCode {
		h := SendHeader(topic, queue)
		h.DefaultTopic, h.DefaultTopicQueueNums = template, queues
		return protocol.ResponseCode(c.Call(e.Broker(), protocol.SendMessageV2, h, []byte("x")).Code)
	}
	for _, test := range []struct {
		name     string
		template string
		queues   int32
		queue    int32
		want     protocol.ResponseCode
		made     int32 // queues of the topic afterwards, -1: there is none
	}{
		{"more queues than the template has", mq.AutoCreateTopic, 100, 0, protocol.Success, 8},
		{"two queues", mq.AutoCreateTopic, 2, 1, protocol.Success, 2},
		{"no queues", mq.AutoCreateTopic, 0, 0, protocol.InvalidParameter, 0},
		{"a queue beyond those made", mq.AutoCreateTopic, 2, 5, protocol.InvalidParameter, 2},
		{"a template that does not exist", e.Name("none"), 4, 0, protocol.TopicNotExist, -1},
		{"a template without the inherit bit", "BenchmarkTest", 4, 0, protocol.TopicNotExist, -1},
	} {
		topic := e.Name("T")
		if got := send(topic, test.template, test.queues, test.queue); got != test.want {
			e.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
		route := e.Route(c, topic)
		switch {
		case test.made < 0 && route != nil:
			e.Errorf("%s: the topic was made", test.name)
		case test.made >= 0 && (route == nil || route.QueueDatas[0].WriteQueueNums != test.made):
			e.Errorf("%s: route %+v, want %d queues", test.name, route, test.made)
		}
	}
}

func sendQueueCounts(e *Env) {
	c := e.Client()
	for _, counts := range [][2]int32{{2, 6}, {6, 2}} {
		topic := e.Name("T")
		e.SetQueues(c, topic, counts[0], counts[1], 6)
		c.Send(topic, 5, "", "x")
		c.Settle(topic, 5, 1)
		c.Want(protocol.InvalidParameter, e.Broker(), protocol.SendMessageV2, SendHeader(topic, 6), []byte("x"))
		p := c.Pull(PullHeader(e.Name("G"), topic, 5, 0, "*"))
		if want := counts[0] == 6; want != (p.Code == protocol.Success) || !want && p.Code != protocol.InvalidParameter {
			e.Errorf("read %d write %d: pull of queue 5 gives %v", counts[0], counts[1], p.Code)
		}
	}
}
