package protocol

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mqscope/engine/mq"
)

func TestP44ObjectKeysOfThreeBrokersAreRead(t *testing.T) {
	text := `{"mqTable":{`
	for i, broker := range []string{"brk-a", "brk-b", "brk-c"} {
		if i > 0 {
			text += ","
		}
		text += fmt.Sprintf(`{"brokerName":%q,"queueId":%d,"topic":"OrderEvt"}:{"commitOffset":%d}`, broker, i, 10+i)
	}
	text += `}}`
	info, err := DecodeConsumerRunningInfo([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if len(info.MQTable) != 3 || info.Unresolved != 0 {
		t.Fatalf("%d queues, %d unresolved", len(info.MQTable), info.Unresolved)
	}
	for i, broker := range []string{"brk-a", "brk-b", "brk-c"} {
		q := mq.MessageQueue{Topic: "OrderEvt", BrokerName: broker, QueueID: int32(i)}
		if got := info.MQTable[q].CommitOffset; got != int64(10+i) {
			t.Errorf("%v is at %d", q, got)
		}
	}
}

func TestReferencesThatCanNotBeFollowedAreCounted(t *testing.T) {
	for _, tc := range []struct {
		name       string
		text       string
		queues     int
		unresolved int
	}{
		{"one key in the other map is the one meant",
			`{"mqPopTable":{{"topic":"t","queueId":1}:{}},"mqTable":{{"$ref":"$.mqPopTable.null"}:{}}}`, 1, 0},
		{"of two keys neither is guessed",
			`{"mqPopTable":{{"topic":"t","queueId":1}:{},{"topic":"t","queueId":2}:{}},"mqTable":{{"$ref":"$.mqPopTable.null"}:{}}}`, 0, 1},
		{"a path to nowhere", `{"mqTable":{{"$ref":"$.x.y[3]"}:{},{"topic":"t"}:{}}}`, 1, 1},
		{"a reference to itself", `{"mqTable":{{"$ref":"$.mqTable.null"}:{}}}`, 0, 1},
		{"a null key and an empty key", `{"mqTable":{null:{},"":{}}}`, 0, 2},
		{"a reference to an object by its path", `{"userConsumerInfo":{},"q":{"topic":"t","queueId":7},"mqTable":{{"$ref":"$.q"}:{}}}`, 1, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			info, err := DecodeConsumerRunningInfo([]byte(tc.text))
			if err != nil {
				t.Fatal(err)
			}
			if len(info.MQTable) != tc.queues || info.Unresolved != tc.unresolved {
				t.Errorf("%d queues, %d unresolved", len(info.MQTable), info.Unresolved)
			}
		})
	}
}

func TestP35BrokerIDsAreReadInEveryForm(t *testing.T) {
	want := TopicRouteData{
		BrokerDatas: []BrokerData{{
			Addrs:      map[int64]string{0: "10.1.2.3:10911", 1: "[2001:db8::3]:10911"},
			BrokerName: "brk-a", Cluster: "cl-1",
		}},
		QueueDatas: []QueueData{{BrokerName: "brk-a", Perm: PermRead | PermWrite, ReadQueueNums: 4, WriteQueueNums: 8}},
	}
	queues := `"queueDatas":[{"brokerName":"brk-a","perm":6,"readQueueNums":4,"writeQueueNums":8}]`
	for _, tc := range []struct{ name, text string }{
		{"unquoted ids", `{"brokerDatas":[{"brokerAddrs":{0:"10.1.2.3:10911",1:"[2001:db8::3]:10911"},"brokerName":"brk-a","cluster":"cl-1"}],` + queues + `}`},
		{"quoted ids", `{"brokerDatas":[{"brokerAddrs":{"0":"10.1.2.3:10911","1":"[2001:db8::3]:10911"},"brokerName":"brk-a","cluster":"cl-1"}],` + queues + `}`},
		{"ids out of order, blanks and unknown members", `{ ` + queues + ` , "extra" : [ { } ] , "brokerDatas" : [ { "cluster":"cl-1", "x":null,
			"brokerAddrs" : { "1" : "[2001:db8::3]:10911" , 0 : "10.1.2.3:10911" , } , "brokerName":"brk-a" } ] }`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := DecodeTopicRouteData([]byte(tc.text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
		})
	}
	if got := string(want.Encode()); !strings.Contains(got, `{0:"10.1.2.3:10911",1:`) {
		t.Errorf("in the dialect: %s", got)
	}
	if got := want.EncodeStandard(); !json.Valid(got) || !bytes.Contains(got, []byte(`{"0":"10.1.2.3:10911","1":`)) {
		t.Errorf("as standard JSON: %s", got)
	}
}

func TestP36HeartbeatsUseNamesThatOldBrokersKnow(t *testing.T) {
	data := HeartbeatData{ClientID: "c1"}
	for _, kind := range []mq.ConsumeType{mq.Passively, mq.Actively} {
		for _, model := range []mq.MessageModel{mq.Clustering, mq.Broadcasting} {
			for _, from := range []mq.ConsumeFromWhere{mq.FromLastOffset, mq.FromFirstOffset, mq.FromTimestamp} {
				data.ConsumerDataSet = append(data.ConsumerDataSet, ConsumerData{
					GroupName: "g", ConsumeType: kind, MessageModel: model, ConsumeFromWhere: from,
				})
			}
		}
	}
	known := []string{"CONSUME_PASSIVELY", "CONSUME_ACTIVELY", "CLUSTERING", "BROADCASTING",
		"CONSUME_FROM_LAST_OFFSET", "CONSUME_FROM_FIRST_OFFSET", "CONSUME_FROM_TIMESTAMP"}
	var text struct {
		ConsumerDataSet []struct{ ConsumeType, MessageModel, ConsumeFromWhere string }
		ProducerDataSet []any
	}
	if err := json.Unmarshal(data.Encode(), &text); err != nil {
		t.Fatal(err)
	}
	if len(text.ConsumerDataSet) != 12 || text.ProducerDataSet == nil {
		t.Fatalf("%+v", text)
	}
	for _, c := range text.ConsumerDataSet {
		for _, name := range []string{c.ConsumeType, c.MessageModel, c.ConsumeFromWhere} {
			if !slices.Contains(known, name) {
				t.Errorf("%q is sent", name)
			}
		}
	}
}

func TestRoutesOverTheLimitsAreRefused(t *testing.T) {
	broker := func(n int) string {
		return `{"brokerDatas":[` + strings.TrimSuffix(strings.Repeat(`{"brokerName":"b"},`, n), ",") + `]}`
	}
	queues := func(n int) string { return fmt.Sprintf(`{"queueDatas":[{"readQueueNums":%d}]}`, n) }
	for _, tc := range []struct {
		name, text string
		good       bool
	}{
		{"1024 brokers", broker(MaxBrokers), true},
		{"1025 brokers", broker(MaxBrokers + 1), false},
		{"4096 queues", queues(MaxQueuesPerTopic), true},
		{"4097 queues", queues(MaxQueuesPerTopic + 1), false},
		{"fewer than no queues", queues(-1), false},
		{"2147483647 queues to write", `{"queueDatas":[{"writeQueueNums":2147483647}]}`, false},
		{"1025 queue entries", `{"queueDatas":[` + strings.TrimSuffix(strings.Repeat(`{},`, MaxBrokers+1), ",") + `]}`, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if _, err := DecodeTopicRouteData([]byte(tc.text)); (err == nil) != tc.good {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestReferencesCanNotMultiplyABody(t *testing.T) {
	many := func(n int, entry string) string { return strings.TrimSuffix(strings.Repeat(entry+",", n), ",") }
	for _, tc := range []struct{ name, text string }{
		{"each entry is a whole list", `{"list":[` + many(1000, `{}`) + `],"policies":[` +
			many(1000, `{"entries":{"$ref":"$.list"}}`) + `]}`},
		{"each entry is one large object", `{"big":{` + many(1000, `"x":1`) + `},"policies":[` +
			many(1000, `{"$ref":"$.big"}`) + `]}`},
		{"each path leads through a large object", `{` + many(1000, `"x":1`) + `,"policies":[` +
			many(1000, `{"$ref":"$.subject"}`) + `]}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var e *BodyError
			if _, err := DecodeAclInfo([]byte(tc.text)); !asError(err, &e) || !strings.Contains(e.Why, "references") {
				t.Errorf("error %v", err)
			}
		})
	}
}
