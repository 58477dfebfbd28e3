package protocol

import (
	"bytes"
	"fmt"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/mq"
)

// captured is a request or an answer as it went over a wire between Apache's programs.
type captured struct {
	Capture string
	Code    RequestCode // of the request
	Answer  *ResponseCode
	Fields  map[string]string
	Body    string
}

func (v captured) name() string {
	if v.Answer != nil {
		return fmt.Sprintf("answer %v to %v", *v.Answer, v.Code)
	}
	return v.Code.String()
}

// bodyOfCode is the Java name of the JSON body of a request or its answer, empty for others.
func bodyOfCode(code RequestCode, answer bool) string {
	if !answer {
		return map[RequestCode]string{
			HeartBeat: "HeartbeatData", LockBatchMQ: "LockBatchRequestBody", UnlockBatchMQ: "UnlockBatchRequestBody",
			RegisterBroker: "RegisterBrokerBody", QueryAssignment: "QueryAssignmentRequestBody",
		}[code]
	}
	return map[RequestCode]string{
		GetRouteInfoByTopic: "TopicRouteData", GetBrokerClusterInfo: "ClusterInfo", GetTopicStatsInfo: "TopicStatsTable",
		GetConsumerConnectionList: "ConsumerConnection", GetConsumeStats: "ConsumeStats",
		InvokeBrokerToResetOffset: "ResetOffsetBody", GetConsumerRunningInfo: "ConsumerRunningInfo",
		ConsumeMessageDirectly: "ConsumeMessageDirectlyResult", GetTopicConfig: "TopicConfig",
		GetConsumerListByGroup: "GetConsumerListByGroupResponseBody", QueryAssignment: "QueryAssignmentResponseBody",
		LockBatchMQ: "LockBatchResponseBody",
	}[code]
}

func TestCapturedHeadersLoseNothing(t *testing.T) {
	checked := 0
	for _, v := range vectors[captured](t, "bodies/captured.jsonl") {
		h := NewRequestHeader(v.Code)
		if v.Answer != nil {
			h = NewResponseHeader(v.Code)
		}
		if len(v.Fields) == 0 {
			continue
		}
		t.Run(v.name(), func(t *testing.T) {
			if h == nil {
				t.Fatalf("no header for the fields %v", v.Fields)
			}
			if err := Decode(asFields(v.Fields), h); err != nil {
				t.Fatal(err)
			}
			want := maps.Clone(v.Fields)
			delete(want, "ReqT") // a stream type that no header class has: brokers do not read it
			if diff := cmp.Diff(want, asMap(Encode(h))); diff != "" {
				t.Error(diff)
			}
			checked++
		})
	}
	if checked < 30 {
		t.Errorf("%d headers compared", checked)
	}
}

func TestCapturedBodiesLoseNothing(t *testing.T) {
	checked := 0
	for _, v := range vectors[captured](t, "bodies/captured.jsonl") {
		body := unhex(t, v.Body)
		class := bodyOfCode(v.Code, v.Answer != nil)
		if len(body) == 0 || body[0] != '{' {
			continue
		}
		t.Run(v.name(), func(t *testing.T) {
			c := bodyNamed(t, class)
			value, err := c.decode(body)
			if err != nil {
				t.Fatal(err)
			}
			text := c.encode(value)
			if route, ok := value.(TopicRouteData); ok {
				text = route.EncodeStandard() // as asked for by the sender's version
			}
			if diff := cmp.Diff(plain(t, string(body)), plain(t, string(text))); diff != "" {
				t.Error(diff)
			}
			checked++
		})
	}
	if checked < 15 {
		t.Errorf("%d bodies compared", checked)
	}
}

func TestCapturedMessagesAreWrittenToTheLetter(t *testing.T) {
	messages := 0
	for _, v := range vectors[captured](t, "bodies/captured.jsonl") {
		body := unhex(t, v.Body)
		if len(body) < 8 || !bytes.Equal(body[4:8], []byte{0xDA, 0xA3, 0x20, 0xA7}) {
			continue
		}
		t.Run(v.name(), func(t *testing.T) {
			b := new(mq.Batch)
			b.Reset(body, nil)
			if err := IndexMessages(b, 0); err != nil {
				t.Fatal(err)
			}
			var again []byte
			for i := range b.Len() {
				m := b.At(i)
				messages++
				var err error
				if again, err = AppendMessage(again, storedFrom(m)); err != nil {
					t.Fatal(err)
				}
				if !CheckCRC(m) || m.BodyError() != nil {
					t.Errorf("message %d: checksum or body", i)
				}
			}
			if !bytes.Equal(body, again) {
				t.Error("bytes differ")
			}
		})
	}
	if messages < 10 {
		t.Errorf("%d messages compared", messages)
	}
}
