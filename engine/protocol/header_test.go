package protocol

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// responsesOf says which request a response header of Java answers, as far as they have fields.

func responsesOf() map[string]RequestCode {
	return map[string]RequestCode{
		"namesrv.AddWritePermOfBrokerResponseHeader":  AddWritePermOfBroker,
		"ChangeInvisibleTimeResponseHeader":           ChangeMessageInvisibleTime,
		"ExchangeHAInfoResponseHeader":                ExchangeBrokerHAInfo,
		"GetAllTopicConfigResponseHeader":             GetAllTopicConfig,
		"GetBrokerConfigResponseHeader":               GetBrokerConfig,
		"GetEarliestMsgStoretimeResponseHeader":       GetEarliestMsgStoreTime,
		"namesrv.GetKVConfigResponseHeader":           GetKVConfig,
		"GetMaxOffsetResponseHeader":                  GetMaxOffset,
		"GetMinOffsetResponseHeader":                  GetMinOffset,
		"NotificationResponseHeader":                  Notification,
		"PollingInfoResponseHeader":                   PollingInfo,
		"PopMessageResponseHeader":                    PopMessage,
		"PullMessageResponseHeader":                   PullMessage,
		"QueryConsumerOffsetResponseHeader":           QueryConsumerOffset,
		"namesrv.QueryDataVersionResponseHeader":      QueryDataVersion,
		"QueryMessageResponseHeader":                  QueryMessage,
		"RecallMessageResponseHeader":                 RecallMessage,
		"namesrv.RegisterBrokerResponseHeader":        RegisterBroker,
		"SearchOffsetResponseHeader":                  SearchOffsetByTimestamp,
		"SendMessageResponseHeader":                   SendMessage,
		"namesrv.WipeWritePermOfBrokerResponseHeader": WipeWritePermOfBroker,
	}
}

type headerVector struct {
	Header, Variant, Type string
	Code                  RequestCode
	Fields                map[string]any
	Decoded               struct{ ExtFields map[string]string }
}

func (v headerVector) empty(t *testing.T) Header {
	t.Helper()
	if !strings.HasSuffix(v.Header, "ResponseHeader") {
		h := NewRequestHeader(v.Code)
		if h == nil {
			t.Fatalf("%v has no header", v.Code)
		}
		return h
	}
	if code, ok := responsesOf()[v.Header]; ok {
		return NewResponseHeader(code)
	}
	if v.Header == "CheckTransactionStateResponseHeader" {
		return new(CheckTransactionStateResponse) // answers no request: sent by none
	}
	return nil
}

func asFields(m map[string]string) []Field {
	var out []Field
	for k, v := range m {
		out = append(out, Field{k, v})
	}
	return out
}

func asMap(fields []Field) map[string]string {
	out := map[string]string{}
	for _, f := range fields {
		out[f.Key] = f.Value
	}
	return out
}

func TestHeadersCarryEveryFieldOfJavas(t *testing.T) {
	for _, v := range vectors[headerVector](t, "frames/headers.jsonl.gz") {
		t.Run(fmt.Sprintf("%s, %s, %s", v.Header, v.Variant, v.Type), func(t *testing.T) {
			h := v.empty(t)
			if h == nil {
				if len(v.Decoded.ExtFields) > 0 {
					t.Fatalf("no type for the fields %v", v.Decoded.ExtFields)
				}
				return
			}
			if err := Decode(asFields(v.Decoded.ExtFields), h); err != nil {
				t.Fatal(err)
			}
			want := maps.Clone(v.Decoded.ExtFields)
			if want == nil {
				want = map[string]string{}
			}
			if _, isV2 := h.(*SendMessageRequestV2); isV2 {
				delete(want, "bname") // n says the same
			}
			if diff := cmp.Diff(want, asMap(Encode(h))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestHeaderFieldsHaveJavasValues(t *testing.T) {
	// What Java's object holds and what travels are the same names and values, so that a
	// field that is read under the wrong name would show.
	for _, v := range vectors[headerVector](t, "frames/headers.jsonl.gz") {
		if v.Type != "JSON" {
			continue
		}
		want := map[string]string{}
		for name, value := range v.Fields {
			if value != nil {
				want[name] = fmt.Sprint(value)
			}
		}
		for name, text := range v.Decoded.ExtFields {
			if want[name] != text {
				t.Errorf("%s: %s is %q in the frame and %q in the object", v.Header, name, text, want[name])
			}
		}
	}
	var h PullMessageRequest
	err := Decode([]Field{
		{"consumerGroup", "g"}, {"topic", "t"}, {"queueId", "3"}, {"queueOffset", "9223372036854775807"},
		{"maxMsgNums", "32"}, {"sysFlag", "2"}, {"commitOffset", "-1"}, {"suspendTimeoutMillis", "15000"},
		{"subVersion", "5"}, {"subscription", "a||b"}, {"expressionType", "TAG"}, {"maxMsgBytes", "7"},
		{"requestSource", "-1"}, {"proxyFrowardClientId", "p"}, {"lo", "false"}, {"ns", "n"},
		{"nsd", "TRUE"}, {"bname", "b"}, {"oway", "x"}, {"unknown", "ignored"},
	}, &h)
	if err != nil {
		t.Fatal(err)
	}
	want := PullMessageRequest{
		TopicBase: TopicBase{
			Base:    Base{Namespace: "n", Namespaced: Some(true), BName: "b", OneWay: Some(false)},
			Logical: Some(false),
		},
		ConsumerGroup: "g", Topic: "t", QueueID: 3, QueueOffset: 1<<63 - 1, MaxMsgNums: 32, SysFlag: 2,
		CommitOffset: -1, SuspendTimeoutMillis: 15000, Subscription: "a||b", SubVersion: 5,
		ExpressionType: "TAG", MaxMsgBytes: Some(int32(7)), RequestSource: Some(int32(-1)),
		ProxyForwardClientID: "p",
	}
	if diff := cmp.Diff(want, h); diff != "" {
		t.Error(diff)
	}
}

func TestDecodeOfFields(t *testing.T) {
	good := func(extra ...Field) []Field {
		return append([]Field{{"topic", "t"}, {"group", "g"}, {"timestamp", "5"}, {"isForce", "true"}}, extra...)
	}
	for _, tc := range []struct {
		name   string
		fields []Field
		want   ResetOffsetRequest
		err    *FieldError
	}{
		{"a queue id left out is Java's -1", good(), ResetOffsetRequest{QueueID: -1}, nil},
		{"of equal keys the last one wins", good(Field{"queueId", "1"}, Field{"queueId", "2"}),
			ResetOffsetRequest{QueueID: 2}, nil},
		{"keys match by case", good(Field{"queueid", "1"}), ResetOffsetRequest{QueueID: -1}, nil},
		{"a missing required field is named", []Field{{"topic", "t"}, {"group", "g"}, {"isForce", "true"}},
			ResetOffsetRequest{}, &FieldError{Header: "ResetOffsetRequest", Field: "timestamp", Want: "int64", Missing: true}},
		{"a number over its width is refused", good(Field{"queueId", "2147483648"}), ResetOffsetRequest{},
			&FieldError{Header: "ResetOffsetRequest", Field: "queueId", Value: "2147483648", Want: "int32"}},
		{"a number with a fraction is refused", good(Field{"offset", "1.0"}), ResetOffsetRequest{},
			&FieldError{Header: "ResetOffsetRequest", Field: "offset", Value: "1.0", Want: "int64"}},
		{"an empty number is refused", good(Field{"queueId", ""}), ResetOffsetRequest{},
			&FieldError{Header: "ResetOffsetRequest", Field: "queueId", Want: "int32"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got ResetOffsetRequest
			err := Decode(tc.fields, &got)
			if tc.err != nil {
				var e *FieldError
				if !asError(err, &e) {
					t.Fatalf("error %v", err)
				}
				if diff := cmp.Diff(tc.err, e); diff != "" {
					t.Error(diff)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			tc.want.Topic, tc.want.Group, tc.want.Timestamp, tc.want.Force = "t", "g", 5, true
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// allHeaders is an empty header of each type.

func allHeaders() []Header {
	seen := map[reflect.Type]Header{reflect.TypeFor[*CheckTransactionStateResponse](): new(CheckTransactionStateResponse)}
	for code := range RequestCode(201000) {
		for _, h := range []Header{NewRequestHeader(code), NewResponseHeader(code)} {
			if h != nil {
				seen[reflect.TypeOf(h)] = h
			}
		}
	}
	out := make([]Header, 0, len(seen))
	for _, h := range seen {
		out = append(out, h)
	}
	return out
}

func TestHeadersReadBackWhatTheyWrote(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, h := range allHeaders() {
		for range 20 {
			fill(reflect.ValueOf(h).Elem(), rnd)
			again := reflect.New(reflect.TypeOf(h).Elem()).Interface().(Header)
			if err := Decode(Encode(h), again); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(h, again); diff != "" {
				t.Errorf("%T: %s", h, diff)
			}
		}
	}
}

// fill puts chance into every field of a header.

func fill(v reflect.Value, rnd *rand.Rand) {
	switch v.Kind() {
	case reflect.Struct:
		if set := v.FieldByName("Set"); set.IsValid() && v.NumField() == 2 { // an Opt
			v.SetZero()
			if rnd.IntN(2) == 0 {
				return
			}
		}
		for i := range v.NumField() {
			fill(v.Field(i), rnd)
		}
		if set := v.FieldByName("Set"); set.IsValid() && v.NumField() == 2 {
			set.SetBool(true)
		}
	case reflect.String:
		v.SetString([]string{"", "a", "订单 \x01\x02", `{"x":1}`}[rnd.IntN(4)])
	case reflect.Bool:
		v.SetBool(rnd.IntN(2) == 0)
	case reflect.Int32, reflect.Int64:
		v.SetInt(int64(rnd.Uint64()) >> (64 - v.Type().Bits()) >> rnd.IntN(v.Type().Bits()))
	}
}

func FuzzHeader(f *testing.F) {
	for _, v := range vectors[headerVector](f, "frames/headers.jsonl.gz") {
		if v.Type == "JSON" && v.Variant == "own" {
			var pairs []string
			for k, text := range v.Decoded.ExtFields {
				pairs = append(pairs, k+"\x00"+text)
			}
			f.Add(int32(v.Code), strings.Join(pairs, "\x00"))
		}
	}
	f.Fuzz(func(t *testing.T, code int32, text string) {
		parts := strings.Split(text, "\x00")
		var fields []Field
		for i := 0; i+1 < len(parts); i += 2 {
			fields = append(fields, Field{parts[i], parts[i+1]})
		}
		for _, h := range []Header{NewRequestHeader(RequestCode(code)), NewResponseHeader(RequestCode(code))} {
			if h == nil || Decode(fields, h) != nil {
				continue
			}
			again := reflect.New(reflect.TypeOf(h).Elem()).Interface().(Header)
			if err := Decode(Encode(h), again); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(h, again); diff != "" {
				t.Error(diff)
			}
		}
	})
}

func benchPullRequest() *PullMessageRequest {
	return &PullMessageRequest{
		TopicBase: TopicBase{Base: Base{BName: "broker-a"}}, ConsumerGroup: "GID_pay", Topic: "OrderEvt", QueueID: 3,
		QueueOffset: 1 << 40, MaxMsgNums: 32, SysFlag: PullSuspend | PullCommitOffset, CommitOffset: 1 << 40,
		SuspendTimeoutMillis: 15000, SubVersion: 1700000000000, ExpressionType: ExpressionTAG, MaxMsgBytes: Some(int32(1 << 30)),
	}
}

func BenchmarkEncodePullRequest(b *testing.B) {
	h := benchPullRequest()
	var dst []Field
	b.ReportAllocs()
	for b.Loop() {
		dst = AppendFields(dst[:0], h)
	}
}

func BenchmarkDecodePullResponse(b *testing.B) {
	fields := Encode(&PullMessageResponse{NextBeginOffset: 1 << 40, MaxOffset: 1 << 41, TopicSysFlag: Some(int32(0))})
	b.ReportAllocs()
	for b.Loop() {
		var h PullMessageResponse
		if err := Decode(fields, &h); err != nil {
			b.Fatal(err)
		}
	}
}
