package protocol

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mqscope/engine/mq"
)

// codecOf is a body type with its two directions.

type codecOf struct {
	name   string
	decode func([]byte) (any, error)
	encode func(any) []byte
}

// as makes a codecOf of a body's own functions.

func as[T interface{ Encode() []byte }](name string, decode func([]byte) (T, error)) codecOf {
	return codecOf{
		name:   name,
		decode: func(b []byte) (any, error) { v, err := decode(b); return v, err },
		encode: func(v any) []byte { return v.(T).Encode() },
	}
}

// allBodies is every body type under its Java name.

func allBodies() []codecOf {
	return []codecOf{
		as("TopicRouteData", DecodeTopicRouteData),
		as("ClusterInfo", DecodeClusterInfo),
		as("TopicList", DecodeTopicList),
		as("KVTable", DecodeKVTable),
		as("GetBrokerMemberGroupResponseBody", DecodeBrokerMemberGroup),
		as("HeartbeatData", DecodeHeartbeatData),
		as("SubscriptionData", DecodeSubscriptionData),
		as("LockBatchRequestBody", DecodeLockBatchRequest),
		as("UnlockBatchRequestBody", DecodeLockBatchRequest),
		as("LockBatchResponseBody", DecodeLockBatchResponse),
		as("GetConsumerListByGroupResponseBody", DecodeConsumerList),
		as("CheckClientRequestBody", DecodeCheckClientRequestBody),
		as("ConsumerRunningInfo", DecodeConsumerRunningInfo),
		as("ConsumerConnection", DecodeConsumerConnection),
		as("ProducerConnection", DecodeProducerConnection),
		as("ConsumeStats", DecodeConsumeStats),
		as("ConsumeStatsList", DecodeConsumeStatsList),
		as("TopicStatsTable", DecodeTopicStatsTable),
		as("OffsetSerializeWrapper", DecodeLocalOffsets),
		as("ResetOffsetBody", DecodeResetOffsetBody),
		as("ResetOffsetBodyForC", DecodeResetOffsetBody),
		as("GetConsumerStatusBody", DecodeConsumerStatus),
		as("QueryCorrectionOffsetBody", DecodeCorrectionOffsets),
		as("ConsumerOffsetSerializeWrapper", DecodeAllConsumerOffsets),
		as("DelayOffsetSerializeWrapper", DecodeDelayOffsets),
		as("BrokerStatsData", DecodeBrokerStatsData),
		as("DataVersion", DecodeDataVersion),
		as("TopicConfig", DecodeTopicConfig),
		as("CreateTopicListRequestBody", DecodeTopicConfigList),
		as("TopicConfigSerializeWrapper", DecodeTopicConfigTable),
		as("TopicConfigAndMappingSerializeWrapper", DecodeTopicConfigTable),
		as("RegisterBrokerBody", DecodeRegisterBrokerBody),
		as("SubscriptionGroupConfig", DecodeSubscriptionGroupConfig),
		as("SubscriptionGroupWrapper", DecodeSubscriptionGroupTable),
		as("SubscriptionGroupList", DecodeSubscriptionGroupList),
		as("ConsumeMessageDirectlyResult", DecodeConsumeMessageDirectlyResult),
		as("QueryAssignmentRequestBody", DecodeQueryAssignmentRequest),
		as("QueryAssignmentResponseBody", DecodeQueryAssignmentResponse),
		as("SetMessageRequestModeRequestBody", DecodeSetMessageRequestModeRequest),
		as("BatchAckMessageRequestBody", DecodeBatchAck),
		as("GroupList", DecodeGroupList),
		as("QueryConsumeTimeSpanBody", DecodeConsumeTimeSpans),
		as("QueryConsumeQueueResponseBody", DecodeConsumeQueueSlice),
		as("ProducerTableInfo", DecodeProducerTable),
		as("QuerySubscriptionResponseBody", DecodeQuerySubscriptionResult),
		as("GroupForbidden", DecodeGroupForbidden),
		as("UserInfo", DecodeUserInfo),
		as("AclInfo", DecodeAclInfo),
	}
}

func bodyNamed(t *testing.T, name string) codecOf {
	t.Helper()
	i := slices.IndexFunc(allBodies(), func(c codecOf) bool { return c.name == name })
	if i < 0 {
		t.Fatalf("no body type for Java's %s", name)
	}
	return allBodies()[i]
}

type bodyVector struct {
	Class, Name string
	JSON        string
	Value       json.RawMessage
	Fingerprint *int32
	Error       *javaError
}

// plain makes a text comparable: members and entries sorted, numbers by value, nulls and

// empty collections dropped, maps with other keys than strings as lists of {key, value}.

func plain(t *testing.T, text string) any {
	t.Helper()
	n, r := parseJSON([]byte(text))
	if r.why != "" {
		t.Fatalf("at byte %d of %s: %s", r.pos, text, r.why)
	}
	return plainNode(&n)
}

func plainNode(n *node) any {
	switch n.kind {
	case boolNode:
		return n.text
	case numberNode:
		if v, ok := n.integer(64); ok && !strings.ContainsAny(n.text, ".eE") {
			return fmt.Sprint(v)
		}
		v, _ := n.float()
		return fmt.Sprint(v)
	case stringNode:
		return n.text
	case arrayNode:
		var out []any
		for i := range n.list {
			out = append(out, plainNode(&n.list[i]))
		}
		slices.SortFunc(out, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		return out
	case objectNode:
		out := map[string]any{}
		var pairs []any
		for i := 0; i < len(n.list); i += 2 {
			v := plainNode(&n.list[i+1])
			if empty(v) {
				continue
			}
			if n.list[i].kind == stringNode {
				out[n.list[i].text] = v
				continue
			}
			pairs = append(pairs, map[string]any{"key": plainNode(&n.list[i]), "value": v})
		}
		if pairs != nil {
			slices.SortFunc(pairs, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
			return pairs
		}
		return out
	}
	return nil
}

func empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

func TestBodiesReadAndWriteWhatJavaWrites(t *testing.T) {
	for _, v := range vectors[bodyVector](t, "bodies/written.jsonl") {
		t.Run(v.Class+", "+v.Name, func(t *testing.T) {
			c := bodyNamed(t, v.Class)
			value, err := c.decode([]byte(v.JSON))
			if err != nil {
				t.Fatal(err)
			}
			text := string(c.encode(value))
			want, got := v.JSON, text
			switch v.Name {
			case "one item used twice": // the reference is followed, not written again
				want = strings.Replace(want, `{"$ref":"$.statsHour"}`, `{"avgpt":1.0,"sum":10,"tps":0.17}`, 1)
			case "one queue object in two maps":
				want = strings.Replace(want, `{"$ref":"$.mqPopTable.null"}`,
					`{"brokerName":"brk-a","queueId":5,"topic":"OrderEvt"}`, 1)
			case "full": // a rate that is no number comes as null and counts as none
				want = strings.Replace(want, `"pullRT":null,"pullTPS":null`, `"pullRT":0.0,"pullTPS":0.0`, 1)
			case "list form": // written as the map that every reader takes
				want = `{"offsetTable":{{"brokerName":"brk-a","queueId":3,"topic":"OrderEvt"}:100}}`
			case "one queue (time zone UTC)":
				for _, derived := range []string{`"consumeTimeStampStr":"2023-11-14#22:13:20:500",`,
					`"maxTimeStampStr":"2023-11-14#22:13:21:000",`, `,"minTimeStampStr":"2023-11-14#22:13:20:000"`} {
					want = strings.Replace(want, derived, "", 1)
				}
			case "one broker, standard JSON (version >= 401)",
				"two brokers, zone, static topic, order conf, standard JSON (version >= 401)":
				got = string(value.(TopicRouteData).EncodeStandard())
				if !json.Valid([]byte(got)) {
					t.Error("not standard JSON: " + got)
				}
			}
			if diff := cmp.Diff(plain(t, want), plain(t, got)); diff != "" {
				t.Error(diff)
			}
			again, err := c.decode([]byte(text))
			if err != nil {
				t.Fatalf("reading back %s: %v", text, err)
			}
			if diff := cmp.Diff(value, again); diff != "" {
				t.Error("read back: " + diff)
			}
		})
	}
}

func TestBodiesInTheDialectAreWrittenToTheLetter(t *testing.T) {
	// Where Java's order is one order, the text is the same.
	same := 0
	for _, v := range vectors[bodyVector](t, "bodies/written.jsonl") {
		c := bodyNamed(t, v.Class)
		value, err := c.decode([]byte(v.JSON))
		if err != nil {
			t.Fatal(err)
		}
		if string(c.encode(value)) == v.JSON {
			same++
		}
	}
	if same < 55 {
		t.Errorf("only %d texts are Java's to the letter", same)
	}
}

func TestBodiesReadOtherFormsAsJavaReadsThem(t *testing.T) {
	for i, v := range vectors[bodyVector](t, "bodies/accepted.jsonl") {
		t.Run(fmt.Sprintf("%d %s %s", i, v.Class, v.JSON), func(t *testing.T) {
			c := bodyNamed(t, v.Class)
			value, err := c.decode([]byte(v.JSON))
			listForm := v.Class == "ResetOffsetBody" && strings.Contains(v.JSON, `"offsetTable":[`)
			if listForm {
				if err != nil {
					t.Fatal(err)
				}
				want := map[mq.MessageQueue]int64{{Topic: "OrderEvt", BrokerName: "brk-a", QueueID: 3}: 100}
				if diff := cmp.Diff(want, value.(ResetOffsetBody).OffsetTable); diff != "" {
					t.Error(diff)
				}
				return
			}
			if (v.Error != nil) != (err != nil) {
				t.Fatalf("Java %v, ours %v", v.Error, err)
			}
			if err != nil {
				return
			}
			if diff := cmp.Diff(javaValue(t, v), plain(t, string(c.encode(value)))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// javaValue is what Java's object holds, under the names of the wire. Entries without a

// queue or a value are left out here, as nothing could be done with them.

func javaValue(t *testing.T, v bodyVector) any {
	t.Helper()
	text := string(v.Value)
	for _, r := range [][2]string{
		{`"isWithoutSub":`, `"withoutSub":`}, {`"bitSet":[0,2,9]`, `"b":"BQI="`}, {`"consumerGroup":"g","invisibleTime"`, `"c":"g","it"`},
		{`"popTime"`, `"pt"`}, {`"reviveQueueId"`, `"rq"`}, {`"startOffset"`, `"so"`},
		{`{"key":null,"value":100}`, ``},
		{`"droped":false`, `"droped":` + fmt.Sprint(strings.Contains(v.JSON, `"dropped":true`))}, // Go's spelling
		{`{"key":{"brokerName":null,"queueId":0,"topic":null},"value":null}`, ``},
		{`{"key":{"brokerName":"brk-a","queueId":3,"topic":"OrderEvt"},"value":null}`, ``},
	} {
		text = strings.Replace(text, r[0], r[1], 1)
	}
	if v.Class == "BatchAckMessageRequestBody" {
		text = strings.NewReplacer(`"queueId"`, `"q"`, `"topic"`, `"t"`, `"retry"`, `"r"`).Replace(text)
	}
	if v.Class == "ResetOffsetBodyForC" {
		text = `{"offsetTable":{{"brokerName":"brk-a","queueId":3,"topic":"OrderEvt"}:100}}`
	}
	return plain(t, text)
}

func TestRunningInfoWithEveryMember(t *testing.T) {
	text := `{"jstack":"raw
	newline","mqTable":{{"brokerName":"a","queueId":0,"topic":"t"}:{"cachedMsgCount":1,"cachedMsgMaxOffset":2,
	"cachedMsgMinOffset":3,"cachedMsgSizeInMiB":4,"commitOffset":5,"droped":true,"lastConsumeTimestamp":6,
	"lastLockTimestamp":7,"lastPullTimestamp":8,"locked":true,"transactionMsgCount":9,"transactionMsgMaxOffset":10,
	"transactionMsgMinOffset":11,"tryUnlockTimes":12}},"mqPopTable":{{"brokerName":"a","queueId":-1,"topic":"t"}:
	{"droped":true,"lastPopTimestamp":1,"waitAckCount":2}},"properties":{"PROP_CONSUMEORDERLY":"true"},
	"statusTable":{"t":{"consumeFailedMsgs":1,"consumeFailedTPS":2.5,"consumeOKTPS":3.5,"consumeRT":4.5,"pullRT":5.5,
	"pullTPS":6.5}},"subscriptionSet":[],"userConsumerInfo":{"k":"v"}}`
	got, err := DecodeConsumerRunningInfo([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	want := ConsumerRunningInfo{
		Stack: "raw\n\tnewline",
		MQTable: map[mq.MessageQueue]ProcessQueueInfo{{Topic: "t", BrokerName: "a"}: {
			CachedMsgCount: 1, CachedMsgMaxOffset: 2, CachedMsgMinOffset: 3, CachedMsgSizeInMiB: 4, CommitOffset: 5,
			Dropped: true, LastConsumeTimestamp: 6, LastLockTimestamp: 7, LastPullTimestamp: 8, Locked: true,
			TransactionMsgCount: 9, TransactionMsgMaxOffset: 10, TransactionMsgMinOffset: 11, TryUnlockTimes: 12,
		}},
		MQPopTable: map[mq.MessageQueue]PopProcessQueueInfo{
			{Topic: "t", BrokerName: "a", QueueID: -1}: {Dropped: true, LastPopTimestamp: 1, WaitAckCount: 2}},
		Properties:       map[string]string{PropConsumeOrderly: "true"},
		StatusTable:      map[string]ConsumeStatus{"t": {1, 2.5, 3.5, 4.5, 5.5, 6.5}},
		UserConsumerInfo: map[string]string{"k": "v"},
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}

// A consumer's detail must not be empty because its map keys are objects.

func TestHeartbeatFingerprintsAreJavas(t *testing.T) {
	checked := 0
	for _, v := range vectors[bodyVector](t, "bodies/written.jsonl") {
		if v.Fingerprint == nil {
			continue
		}
		h, err := DecodeHeartbeatData([]byte(v.JSON))
		if err != nil {
			t.Fatal(err)
		}
		checked++
		if got := h.Fingerprint(); got != *v.Fingerprint {
			t.Errorf("%s: %d, Java says %d", v.Name, got, *v.Fingerprint)
		}
	}
	if checked == 0 {
		t.Error("no vector has a fingerprint")
	}
}

func TestOffsetsOfABatchAck(t *testing.T) {
	e := BatchAckEntry{StartOffset: 100, Bits: []byte{5, 2}}
	if diff := cmp.Diff([]int64{100, 102, 109}, e.Offsets()); diff != "" {
		t.Error(diff)
	}
}

func TestLagMayBeNegative(t *testing.T) {
	if got := (OffsetWrapper{BrokerOffset: 3, ConsumerOffset: 5}).Lag(); got != -2 {
		t.Errorf("lag %d", got)
	}
}

func FuzzBodies(f *testing.F) {
	bodies := allBodies()
	for _, file := range []string{"bodies/written.jsonl", "bodies/accepted.jsonl"} {
		for _, v := range vectors[bodyVector](f, file) {
			for i, c := range bodies {
				if c.name == v.Class {
					f.Add(uint8(i), []byte(v.JSON))
				}
			}
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, text []byte) {
		c := bodies[int(which)%len(bodies)]
		value, err := c.decode(text)
		if err != nil {
			return
		}
		written := c.encode(value)
		again, err := c.decode(written)
		if err != nil {
			t.Fatalf("%s: reading back %s: %v", c.name, written, err)
		}
		// What was unresolved is gone, and an unknown mode is written as none, which means pull.
		ignore := cmp.FilterPath(func(p cmp.Path) bool {
			return p.Last().String() == ".Unresolved" || p.Last().String() == ".Mode"
		}, cmp.Ignore())
		if diff := cmp.Diff(value, again, ignore, cmpopts.EquateEmpty(), cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	})
}
