package protocol

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/internal/fastjson"
)

// rewrite writes a parsed value as standard JSON, with whole objects in key position as text.
func rewrite(dst []byte, n *node) []byte {
	switch n.kind {
	case nullNode:
		return append(dst, "null"...)
	case stringNode:
		return fastjson.Append(dst, n.text)
	case arrayNode:
		dst = append(dst, '[')
		for i := range n.list {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = rewrite(dst, &n.list[i])
		}
		return append(dst, ']')
	case objectNode:
		dst = append(dst, '{')
		for i := 0; i < len(n.list); i += 2 {
			if i > 0 {
				dst = append(dst, ',')
			}
			if n.list[i].kind == stringNode {
				dst = rewrite(dst, &n.list[i])
			} else {
				dst = fastjson.Append(dst, string(rewrite(nil, &n.list[i])))
			}
			dst = append(dst, ':')
			dst = rewrite(dst, &n.list[i+1])
		}
		return append(dst, '}')
	case numberNode:
		if strings.HasSuffix(n.text, "Infinity") || n.text == "NaN" {
			return append(dst, "null"...)
		}
	}
	return append(dst, n.text...)
}

func TestTolerantJSONTakesTheDialect(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{"standard JSON", `{"a":[1,-2.5e3,true,false,null,"x"]}`, `{"a":[1,-2.5e3,true,false,null,"x"]}`},
		{"blanks between any two tokens", " {\t\"a\" \r\n: [ 1 , 2 ] } \n", `{"a":[1,2]}`},
		{"integers as keys", `{0:"a",-1:"b",9223372036854775807:"c"}`, `{"0":"a","-1":"b","9223372036854775807":"c"}`},
		{"objects as keys", `{{"a":1}:2,{}:3}`, `{"{\"a\":1}":2,"{}":3}`},
		{"null as a key", `{null:1}`, `{"null":1}`},
		{"identifiers as keys", `{a:1,_b$2:2,nullable:3}`, `{"a":1,"_b$2":2,"nullable":3}`},
		{"single quotes", `{'a':'it is "so"'}`, `{"a":"it is \"so\""}`},
		{"a comma before the end", `{"a":[1,2,],}`, `{"a":[1,2]}`},
		{"raw control characters in a string", "\"a\nb\tc\x01\"", `"a\nb\tc\u0001"`},
		{"every escape", `"\"\\\/\b\f\n\r\t\v\x41é\'\0"`, `"\"\\/\b\f\n\r\t\u000bAé'\u0000"`},
		{"a surrogate pair", `"😀"`, `"😀"`},
		{"lone surrogates", `"\ud83dx\ude00\ud83d\u0041"`, `"` + "\uFFFDx\uFFFD\uFFFDA" + `"`},
		{"what is no number", `[NaN,Infinity,-Infinity]`, `[null,null,null]`},
		{"bytes that are not UTF-8", "\"a\xffb\"", `"` + "a\uFFFDb" + `"`},
		{"nested up to the limit", strings.Repeat("[", 32) + strings.Repeat("]", 32), strings.Repeat("[", 32) + strings.Repeat("]", 32)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			n, r := parseJSON([]byte(tc.text))
			if r.why != "" {
				t.Fatalf("at byte %d: %s", r.pos, r.why)
			}
			got := string(rewrite(nil, &n))
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
			if !json.Valid([]byte(strings.ReplaceAll(got, "+", ""))) {
				t.Errorf("not JSON: %s", got)
			}
		})
	}
}

func TestTolerantJSONRefusesTheRest(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		pos        int
	}{
		{"nothing", "", 0},
		{"an open object", `{"a":1`, 6},
		{"an open array", `[1,`, 3},
		{"an open string", `"abc`, 4},
		{"a string that ends in a backslash", `"abc\`, 5},
		{"a key without a value", `{"a"}`, 4},
		{"a key and a colon", `{"a":}`, 5},
		{"two values", `1 2`, 2},
		{"an unknown word", `tru`, 0},
		{"an unknown escape", `"\q"`, 2},
		{"an escape cut short", `"\u12`, 3},
		{"an escape without digits", `"\u12zz"`, 3},
		{"a number with two points", `1.2.3`, 0},
		{"a lone minus", `-`, 0},
		{"an array as a key", `{[1]:2}`, 1},
		{"two commas", `[1,,2]`, 3},
		{"nested deeper than the limit", strings.Repeat("[", 33), 32},
		{"keys nested deeper than the limit", strings.Repeat("{", 40), 32},
		{"a control character outside a string", "\x00", 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if _, r := parseJSON([]byte(tc.text)); r.why == "" || r.pos != tc.pos {
				t.Errorf("stopped at byte %d: %q", r.pos, r.why)
			}
		})
	}
	if _, r := parseJSON([]byte("[" + strings.Repeat("1,", maxJSONValues) + "1]")); !strings.Contains(r.why, "values") {
		t.Errorf("too many values: %q", r.why)
	}
}

func TestNumbersKeepEveryDigit(t *testing.T) {
	for _, tc := range []struct {
		text string
		bits int
		want int64
		ok   bool
	}{
		{"9223372036854775807", 64, math.MaxInt64, true},
		{"-9223372036854775808", 64, math.MinInt64, true},
		{"9223372036854775808", 64, 0, false},
		{"9007199254740993", 64, 9007199254740993, true},
		{"9007199254740993.0", 64, 9007199254740993, true},
		{"922337203685477580.7e1", 64, math.MaxInt64, true},
		{"1e2", 64, 100, true},
		{"1.5", 64, 1, true},
		{"-12.9", 64, -12, true},
		{"0.0001e4", 64, 1, true},
		{"1e-5", 64, 0, true},
		{"1e19", 64, 0, false},
		{"1e999999999999", 64, 0, false},
		{"0e999999999999", 64, 0, true},
		{"0e99999999999999999999", 64, 0, false},
		{"2147483647", 32, math.MaxInt32, true},
		{"2147483648", 32, 0, false},
		{"2147483648.0", 32, 0, false},
		{`"12"`, 32, 12, true},
		{`" 12 "`, 32, 12, true},
		{`""`, 32, 0, true},
		{`"x"`, 32, 0, false},
		{`"1x"`, 32, 0, false},
		{"true", 32, 1, true},
		{"false", 32, 0, true},
		{"null", 32, 0, true},
		{"NaN", 32, 0, false},
		{"[]", 32, 0, false},
		{"{}", 32, 0, false},
	} {
		n, r := parseJSON([]byte(tc.text))
		if r.why != "" {
			t.Errorf("%s: %s", tc.text, r.why)
			continue
		}
		if got, ok := n.integer(tc.bits); ok != tc.ok || ok && got != tc.want {
			t.Errorf("%s as %d bits: %d, %v", tc.text, tc.bits, got, ok)
		}
	}
}

func TestOtherScalars(t *testing.T) {
	for _, tc := range []struct {
		text    string
		float   float64
		floatOK bool
		boolean bool
		boolOK  bool
	}{
		{"1.5", 1.5, true, true, true},
		{"1", 1, true, true, true},
		{"0", 0, true, false, true},
		{`"1.0E10"`, 1e10, true, false, false},
		{"NaN", 0, true, false, false},
		{"-Infinity", 0, true, false, false},
		{"1e999", 0, true, false, false},
		{"null", 0, true, false, true},
		{"true", 0, false, true, true},
		{`"TRUE"`, 0, false, true, true},
		{`"Y"`, 0, false, true, true},
		{`"0"`, 0, true, false, true},
		{`""`, 0, true, false, true},
		{`"x"`, 0, false, false, false},
		{"[]", 0, false, false, false},
	} {
		n, r := parseJSON([]byte(tc.text))
		if r.why != "" {
			t.Errorf("%s: %s", tc.text, r.why)
			continue
		}
		if got, ok := n.float(); ok != tc.floatOK || got != tc.float {
			t.Errorf("%s as a number: %v, %v", tc.text, got, ok)
		}
		if got, ok := n.boolean(); ok != tc.boolOK || got != tc.boolean {
			t.Errorf("%s as a bool: %v, %v", tc.text, got, ok)
		}
	}
}

func TestFloatsAreWrittenLikeJavas(t *testing.T) {
	for want, v := range map[string]float64{
		"0.0": 0, "1.5": 1.5, "-2.0": -2, "1e+21": 1e21, "null": math.Inf(1), "0.17": 0.17,
	} {
		if got := string(appendJSONFloat(nil, v)); got != want {
			t.Errorf("%v is written as %s", v, got)
		}
	}
	if got := string(appendJSONFloat(nil, math.NaN())); got != "null" {
		t.Errorf("NaN is written as %s", got)
	}
}

func TestBodiesThatAreNoObjects(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{"nothing", "", "KVTable: at byte 0: unexpected end"},
		{"an array", "[]", "KVTable: at byte 0: want an object"},
		{"a word", "null", "KVTable: at byte 0: want an object"},
		{"a member of another kind", `{"table":[1]}`, `KVTable: member "table": want an object`},
		{"a broken text", `{"table":{"a" 1}}`, "KVTable: at byte 14: want ':' after a key"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := DecodeKVTable([]byte(tc.text))
			if err == nil || err.Error() != tc.want {
				t.Errorf("error %v", err)
			}
		})
	}
	_, err := DecodeTopicRouteData([]byte(`{"brokerDatas":[{"brokerAddrs":{x:"h:1"}}]}`))
	if err == nil || !strings.Contains(err.Error(), `member "brokerAddrs"`) {
		t.Errorf("a broker id that is no number: %v", err)
	}
}

func FuzzTolerantJSON(f *testing.F) {
	for _, file := range []string{"bodies/written.jsonl", "bodies/accepted.jsonl"} {
		for _, v := range vectors[bodyVector](f, file) {
			f.Add([]byte(v.JSON))
		}
	}
	f.Add([]byte(`{'a':-Infinity,b:"😀\x41\7",[]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		n, r := parseJSON(text)
		if r.why != "" {
			if r.pos < 0 || r.pos > len(text)*3+1 { // bytes that are not UTF-8 grow
				t.Fatalf("stopped at byte %d of %d", r.pos, len(text))
			}
			return
		}
		again, r := parseJSON(rewrite(nil, &n))
		if r.why != "" {
			t.Fatalf("reading back %s: %s", rewrite(nil, &n), r.why)
		}
		if diff := cmp.Diff(string(rewrite(nil, &n)), string(rewrite(nil, &again))); diff != "" {
			t.Error(diff)
		}
		_, _ = n.integer(64)
		_, _ = n.float()
		_, _ = n.boolean()
		// What encoding/json reads as well, it reads alike.
		var theirs, ours any
		if json.Unmarshal(text, &theirs) == nil {
			if err := json.Unmarshal(rewrite(nil, &n), &ours); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(theirs, ours); diff != "" {
				t.Error(diff)
			}
		}
	})
}

func FuzzProperties(f *testing.F) {
	for _, v := range vectors[struct{ Text string }](f, "properties.jsonl") {
		f.Add([]byte(v.Text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got := ParseProperties(text)
		seen := map[string]bool{}
		for _, p := range got {
			if err := ValidateProperty(p); err != nil && !strings.Contains(p.Value, "\x01") {
				t.Fatal(err)
			}
			if seen[p.Name] {
				t.Fatalf("%q twice", p.Name)
			}
			seen[p.Name] = true
		}
		if diff := cmp.Diff(got, ParseProperties(AppendProperties(nil, got))); diff != "" {
			t.Error(diff)
		}
	})
}

func FuzzSubscription(f *testing.F) {
	for _, v := range vectors[struct{ Topic, Expression string }](f, "subscriptions.jsonl") {
		f.Add(v.Topic, v.Expression)
	}
	f.Fuzz(func(t *testing.T, topic, expression string) {
		s, err := ParseSubscription(topic, expression, 7)
		if err != nil {
			if strings.Trim(expression, "|") != "" {
				t.Fatal(err)
			}
			return
		}
		if len(s.CodeSet) > len(s.TagsSet) || len(s.Tags()) != len(s.TagsSet) {
			t.Fatalf("%d codes of %d tags", len(s.CodeSet), len(s.TagsSet))
		}
		for _, tag := range s.TagsSet {
			if tag == "" || tag != trimJava(tag) || strings.Contains(tag, "||") || !s.MatchesCode(TagCode(tag)) {
				t.Fatalf("tag %q", tag)
			}
		}
		if !utf8.ValidString(topic) || !utf8.ValidString(expression) {
			return
		}
		back, err := DecodeSubscriptionData(s.Encode())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(s, back); diff != "" {
			t.Error(diff)
		}
	})
}
