package mq

import (
	"encoding/json"
	"testing"
)

func TestNamesAreJavas(t *testing.T) {
	type vector struct {
		Method       string
		In           string
		Topic, Group string
		Namespace    json.RawMessage
		Out          json.RawMessage
		OK, Valid    bool
	}
	checked := map[string]int{}
	for _, v := range vectors[vector](t, "names.jsonl") {
		namespace := ""
		if v.Namespace != nil {
			if err := json.Unmarshal(v.Namespace, &namespace); err != nil {
				t.Fatal(err)
			}
		}
		var got any
		switch v.Method {
		case "getRetryTopic":
			got = RetryTopic(v.In)
		case "getDLQTopic":
			got = DeadLetterTopic(v.In)
		case "getReplyTopic":
			got = ReplyTopic(v.In)
		case "buildPopRetryTopicV1":
			got = PopRetryTopic(v.Topic, v.Group)
		case "buildPopRetryTopicV2":
			got = PopRetryTopicV2(v.Topic, v.Group)
		case "wrapNamespace":
			got = WithNamespace(namespace, v.In)
		case "withoutNamespace":
			if v.Namespace != nil && namespace == "" {
				continue // Java's two methods differ for it; ours is the one without a namespace
			}
			got = WithoutNamespace(namespace, v.In)
		case "getNamespaceFromResource":
			got = NamespaceOf(v.In)
		case "isSystemTopic":
			got = IsSystemTopic(v.In)
		case "isNotAllowedSendTopic":
			got = IsSendForbidden(v.In)
		case "isSysConsumerGroup":
			got = IsSystemGroup(v.In)
		case "checkTopic":
			v.Out, got = mustJSON(t, v.OK), ValidateTopic(v.In) == nil
		case "validateTopic":
			v.Out, got = mustJSON(t, v.Valid), ValidateTopic(v.In) == nil
		case "checkGroup":
			// A consumer refuses this one at its start, wherever it is checked.
			v.Out, got = mustJSON(t, v.OK && v.In != DefaultConsumer), ValidateGroup(v.In) == nil
		default:
			continue // pop's own parsing of its topics belongs to pop
		}
		checked[v.Method]++
		if string(mustJSON(t, got)) != string(mustJSON(t, v.Out)) {
			t.Errorf("%s of %q %q %q (namespace %q) is %v, Java says %s", v.Method, v.In, v.Topic, v.Group, namespace, got, v.Out)
		}
	}
	if len(checked) != 14 {
		t.Errorf("methods compared: %v", checked)
	}
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestSystemTopicsAndConstantsAreJavas(t *testing.T) {
	type vector struct {
		Group, Name string
		Value       any
	}
	ours := map[string]string{
		"PROPERTY_KEYS": PropertyKeys, "PROPERTY_TAGS": PropertyTags, "PROPERTY_WAIT_STORE_MSG_OK": PropertyWaitStoreOK,
		"PROPERTY_DELAY_TIME_LEVEL": PropertyDelayLevel, "PROPERTY_UNIQ_CLIENT_MESSAGE_ID_KEYIDX": PropertyUniqueKey,
		"PROPERTY_RETRY_TOPIC": PropertyRetryTopic, "PROPERTY_REAL_TOPIC": PropertyRealTopic,
		"PROPERTY_REAL_QUEUE_ID": PropertyRealQueueID, "PROPERTY_ORIGIN_MESSAGE_ID": PropertyOriginMessageID,
		"PROPERTY_RECONSUME_TIME": PropertyReconsumeTime, "PROPERTY_MAX_RECONSUME_TIMES": PropertyMaxReconsumeTimes,
		"PROPERTY_TRANSACTION_PREPARED": PropertyTransaction, "PROPERTY_DLQ_ORIGIN_TOPIC": PropertyDLQOriginTopic,
		"PROPERTY_DLQ_ORIGIN_MESSAGE_ID": PropertyDLQOriginID,
		"PROPERTY_MIN_OFFSET":            PropertyMinOffset, "PROPERTY_MAX_OFFSET": PropertyMaxOffset,
	}
	flags := map[string]float64{
		"COMPRESSED_FLAG": CompressedFlag, "TRANSACTION_ROLLBACK_TYPE": TransactionMask, "BORNHOST_V6_FLAG": BornHostV6Flag,
		"STOREHOSTADDRESS_V6_FLAG": StoreHostV6Flag, "NEED_UNWRAP_FLAG": NeedUnwrapFlag, "INNER_BATCH_FLAG": InnerBatchFlag,
		"COMPRESSION_TYPE_COMPARATOR": CompressionTypeMask, "COMPRESSION_LZ4_TYPE": 1 << CompressionTypeShift,
	}
	seen := map[string]bool{}
	for _, v := range vectors[vector](t, "constants.jsonl") {
		text, isText := v.Value.(string)
		switch v.Group {
		case "MessageConst":
			if want, ok := ours[v.Name]; ok {
				seen[v.Name] = true
				if text != want {
					t.Errorf("%s is %q, ours %q", v.Name, text, want)
				}
			}
		case "MessageSysFlag":
			if want, ok := flags[v.Name]; ok {
				seen[v.Name] = true
				if v.Value != want {
					t.Errorf("%s is %v, ours %v", v.Name, v.Value, want)
				}
			}
		case "TopicValidator":
			if isText && !IsSystemTopic(text) {
				t.Errorf("%s, %q, is no system topic", v.Name, text)
			}
		}
	}
	if len(seen) != len(ours)+len(flags) {
		t.Errorf("compared only %v", seen)
	}
}

func TestEnumNames(t *testing.T) {
	for got, want := range map[string]string{
		Clustering.String(): "CLUSTERING", Broadcasting.String(): "BROADCASTING", UnknownModel.String() + "1": "UNKNOWN1",
		Passively.String(): "CONSUME_PASSIVELY", Actively.String(): "CONSUME_ACTIVELY", Popping.String(): "CONSUME_POP",
		UnknownConsumeType.String() + "2": "UNKNOWN2", FromLastOffset.String(): "CONSUME_FROM_LAST_OFFSET",
		FromFirstOffset.String(): "CONSUME_FROM_FIRST_OFFSET", FromTimestamp.String(): "CONSUME_FROM_TIMESTAMP",
		FromMinOffset.String(): "CONSUME_FROM_MIN_OFFSET", FromMaxOffset.String(): "CONSUME_FROM_MAX_OFFSET",
		FromLastOffsetAndMinWhenBootFirst.String(): "CONSUME_FROM_LAST_OFFSET_AND_FROM_MIN_WHEN_BOOT_FIRST",
		UnknownFromWhere.String() + "3":            "UNKNOWN3", Found.String(): "FOUND", NoNewMsg.String(): "NO_NEW_MSG",
		NoMatchedMsg.String(): "NO_MATCHED_MSG", OffsetIllegal.String(): "OFFSET_ILLEGAL", PullFailed.String(): "FAILED",
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if !IsRetryTopic(RetryTopic("g")) || IsRetryTopic(DeadLetterTopic("g")) {
		t.Error("retry topics")
	}
}
