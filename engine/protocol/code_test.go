package protocol

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEveryRequestCodeHasJavasName(t *testing.T) {
	type vector struct {
		Group, Name string
		Value       json.RawMessage
	}
	counts := map[string]int{}
	for _, v := range vectors[vector](t, "constants.jsonl") {
		var n int32
		if json.Unmarshal(v.Value, &n) != nil {
			continue
		}
		got := ""
		switch v.Group {
		case "RequestCode":
			got = RequestCode(n).String()
		case "ResponseCode":
			got = ResponseCode(n).String()
		case "MQVersion":
			got = VersionName(n)
			if v.Name == "CURRENT_VERSION" {
				v.Name = "V5_3_3"
			}
		default:
			continue
		}
		counts[v.Group]++
		if got != v.Name {
			t.Errorf("%s %d is %q, Java says %q", v.Group, n, got, v.Name)
		}
	}
	if diff := cmp.Diff(map[string]int{"RequestCode": 158, "ResponseCode": 66, "MQVersion": 614}, counts); diff != "" {
		t.Error(diff)
	}
	if got := RequestCode(999).String() + ResponseCode(-7).String(); got != "RequestCode(999)ResponseCode(-7)" {
		t.Errorf("codes without a name are shown as %s", got)
	}
	if got := VersionName(-1) + VersionName(700); got != "-1HIGHER_VERSION" {
		t.Errorf("versions without a name are shown as %s", got)
	}
}

func TestS1FlagsAreJavas(t *testing.T) {
	type vector struct {
		Group, Name string
		Value       json.RawMessage
	}
	perms := map[string]int32{
		"PERM_PRIORITY": PermPriority, "PERM_READ": PermRead, "PERM_WRITE": PermWrite, "PERM_INHERIT": PermInherit,
	}
	bits := []struct {
		name string
		flag int32
	}{{"commit", PullCommitOffset}, {"suspend", PullSuspend}, {"subscription", PullSubscription},
		{"classFilter", PullClassFilter}, {"litePull", PullLite}}
	checked := 0
	for _, v := range vectors[vector](t, "constants.jsonl") {
		want, known := perms[v.Name]
		switch {
		case v.Group == "PermName" && known:
		case v.Group == "PullSysFlag":
			for _, b := range bits {
				if strings.Contains(v.Name, b.name+"=1") {
					want |= b.flag
				}
			}
		default:
			continue
		}
		checked++
		if got := string(v.Value); got != fmt.Sprint(want) {
			t.Errorf("%s %s is %s, ours %d", v.Group, v.Name, got, want)
		}
	}
	if checked != len(perms)+32 {
		t.Errorf("%d flags checked", checked)
	}
}

func TestErrorsSayWhatAndWhere(t *testing.T) {
	for _, tc := range []struct {
		name string
		err  error
		want string
	}{
		{"a refusal names code, peer and remark", &BrokerError{TopicNotExist, "no route", "10.1.2.3:10911"},
			"TOPIC_NOT_EXIST (17) from 10.1.2.3:10911: no route"},
		{"a refusal of several lines is one", &BrokerError{TopicNotExist, "no route\r\nSee the FAQ", ""}, "TOPIC_NOT_EXIST (17): no route See the FAQ"},
		{"a refusal without remark stays short", &BrokerError{Code: 999}, "ResponseCode(999) (999)"},
		{"a missing field is named", &FieldError{Header: "H", Field: "f", Want: "int32", Missing: true},
			`H: required field "f" is missing, want int32`},
		{"a bad value is cut", &FieldError{Header: "H", Field: "f", Value: strings.Repeat("x", 100), Want: "int32"},
			`H: field "f" is "` + strings.Repeat("x", 64) + `"..., want int32`},
		{"a broken text has a position", &BodyError{Body: "B", Pos: 7, Why: "unexpected end"}, "B: at byte 7: unexpected end"},
		{"a bad member has a name", &BodyError{Body: "B", Field: "f", Pos: -1, Why: "want an object"}, `B: member "f": want an object`},
		{"a body over a limit", &BodyError{Body: "B", Pos: -1, Why: "too much"}, "B: too much"},
		{"a bad record has number and place", &RecordError{Pos: 112, Index: 1, Why: "cut short"}, "stored message 1 at byte 112: cut short"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := tc.err.Error(); got != tc.want {
				t.Errorf("got %s", got)
			}
		})
	}
}

func TestStoredAnswersOfASend(t *testing.T) {
	for code, want := range map[ResponseCode]bool{
		Success: true, FlushDiskTimeout: true, FlushSlaveTimeout: true, SlaveNotAvailable: true,
		SystemError: false, MessageIllegal: false, ServiceNotAvailable: false, NoPermission: false,
	} {
		if Stored(code) != want {
			t.Errorf("%v: stored is %v", code, !want)
		}
	}
}
