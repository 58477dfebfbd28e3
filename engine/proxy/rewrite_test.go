package proxy

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	"mqscope/engine/protocol"
)

// body is one of those that Apache's classes wrote.
type body struct {
	Class, Name, JSON string
	Code              int32
}

func javaBodies(t testing.TB) (all []body) {
	t.Helper()
	f, err := os.Open("../../testdata/vectors/bodies/written.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var b body
		if err := json.Unmarshal(lines.Bytes(), &b); err != nil {
			t.Fatal(err)
		}
		all = append(all, b)
	}
	return all
}

// toPort maps each address to one that is easily told.
func toPort(addr string) (string, bool) {
	host, _, err := splitAddr(addr, 1)
	return "[::1]:4" + host[max(len(host)-1, 0):], err == nil
}

var javaAddr = regexp.MustCompile(`(\[[0-9a-f:]+\]|\d+\.\d+\.\d+\.\d+):\d+`)

// TestJavaBodiesAreChangedWhereTheyHaveAddressesAndNowhereElse: in the bodies that Apache's code
// wrote, in both dialects, addresses of brokers stand nowhere but where they are to be changed.
func TestJavaBodiesAreChangedWhereTheyHaveAddressesAndNowhereElse(t *testing.T) {
	changed := map[string]int{}
	for _, b := range javaBodies(t) {
		s := shapeOf(b.Code)
		if s == plain {
			continue
		}
		got, err := rewriteBody([]byte("before"), []byte(b.JSON), s.places(), toPort)
		if err != nil {
			t.Errorf("%s %s: %v", b.Class, b.Name, err)
			continue
		}
		want := "before" + javaAddr.ReplaceAllStringFunc(b.JSON, func(a string) string { a, _ = toPort(a); return a })
		if string(got) != want {
			t.Errorf("%s, %s:\n got %s\nwant %s", b.Class, b.Name, got, want)
		}
		if want != "before"+b.JSON {
			changed[b.Class]++
		}
	}
	for _, class := range []string{"TopicRouteData", "ClusterInfo", "TopicList", "GetBrokerMemberGroupResponseBody", "ConsumeStatsList"} {
		if changed[class] == 0 {
			t.Errorf("no body of %s has an address", class)
		}
	}
	if changed["TopicRouteData"] < 4 {
		t.Errorf("%d routes with addresses: one of the dialects is missing", changed["TopicRouteData"])
	}
}

func TestBodiesOfAnyDialect(t *testing.T) {
	for _, c := range []struct {
		name       string
		code       protocol.RequestCode
		body, want string
	}{
		{"blanks, extra commas, single quotes", 105, " { 'brokerDatas' : [ , { \"brokerAddrs\" : { 0 : 'h:1' , } } ] }\r\n", " { 'brokerDatas' : [ , { \"brokerAddrs\" : { 0 : '[::1]:4h' , } } ] }\r\n"},
		{"an escaped address", 105, `{"brokerDatas":[{"brokerAddrs":{"0":"a\u002db:1"}}]}`, `{"brokerDatas":[{"brokerAddrs":{"0":"[::1]:4b"}}]}`},
		{"addresses of IPv6", 105, `{"brokerDatas":[{"brokerAddrs":{0:"[fe80::7]:10911"}}]}`, `{"brokerDatas":[{"brokerAddrs":{0:"[::1]:47"}}]}`},
		{"filter servers", 105, `{"filterServerTable":{"h1:1":["h2:2","h3:3"]}}`, `{"filterServerTable":{"[::1]:41":["[::1]:42","[::1]:43"]}}`},
		{"names that look like addresses", 105, `{"brokerDatas":[{"brokerName":"a:1","cluster":"b:2","brokerAddrs":{}}],"orderTopicConf":"a:4;b:2"}`, ""},
		{"a broker that is called as the key is", 106, `{"brokerAddrTable":{"brokerAddrs":{"brokerAddrs":{0:"h:1"},"brokerName":"brokerAddrs","cluster":"c:1"}},"clusterAddrTable":{"c:1":["brokerAddrs","x:1"]}}`,
			`{"brokerAddrTable":{"brokerAddrs":{"brokerAddrs":{0:"[::1]:4h"},"brokerName":"brokerAddrs","cluster":"c:1"}},"clusterAddrTable":{"c:1":["brokerAddrs","x:1"]}}`},
		{"object keys", 317, `{"brokerAddr":"h:1","consumeStatsList":[{"g":[{"offsetTable":{{"brokerName":"h:1","queueId":0}:{"brokerOffset":1}}}]}]}`,
			`{"brokerAddr":"[::1]:4h","consumeStatsList":[{"g":[{"offsetTable":{{"brokerName":"h:1","queueId":0}:{"brokerOffset":1}}}]}]}`},
		{"what is no address", 105, `{"brokerDatas":[{"brokerAddrs":{0:"h",1:":1",2:"h:0",3:"h:99999",4:"h:1x",5:null,6:[],7:"",8:"h:+1"}}]}`, ""},
		{"other types", 105, `{"brokerDatas":null,"filterServerTable":[1,true,-2.5e3,NaN]}`, ""},
		{"not an object", 105, `"h:1"`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.want == "" {
				c.want = c.body
			}
			got, err := rewriteBody(nil, []byte(c.body), shapeOf(int32(c.code)).places(), toPort)
			if err != nil || string(got) != c.want {
				t.Errorf("%v\n got %s\nwant %s", err, got, c.want)
			}
		})
	}
}

func TestBodiesThatCanNotBeReadAreLeftAlone(t *testing.T) {
	for _, body := range []string{
		"", "{", `{"a"`, `{"a":`, `{"a":"b`, `{"a":1`, `["a"`, `{"a" 1}`, `{} {}`, `{"a":1}x`, `{:1}`, `{"a":"\`, `]`,
		strings.Repeat("[", 100), strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100),
	} {
		got, err := rewriteBody([]byte("x"), []byte(body), route.places(), toPort)
		if !errors.Is(err, errBody) || string(got) != "x" {
			t.Errorf("%.40q gives %q, %v", body, got, err)
		}
	}
}

// FuzzRewriteBody checks on any bytes that nothing but addresses changes: names that stay as they
// are leave the body as it is.
func FuzzRewriteBody(f *testing.F) {
	for _, b := range javaBodies(f) {
		if s := shapeOf(b.Code); s != plain {
			f.Add([]byte(b.JSON), uint8(s))
		}
	}
	f.Add([]byte(`{"brokerDatas":[{"brokerAddrs":{"0":"a\u002db:1"}}]}`), uint8(route))
	f.Fuzz(func(t *testing.T, body []byte, kind uint8) {
		s := shape(kind % uint8(listing+1))
		same, err := rewriteBody(nil, body, s.places(), func(a string) (string, bool) { return "", false })
		if err != nil {
			return
		}
		if !bytes.Equal(same, body) {
			t.Fatalf("changed without a change: %q", same)
		}
		n := 0
		longer, err := rewriteBody(nil, body, s.places(), func(a string) (string, bool) { n++; return "<>", true })
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 && !bytes.Equal(longer, body) || bytes.Count(longer, []byte("<>")) < n {
			t.Fatalf("%d addresses changed: %q", n, longer)
		}
		again := 0
		if _, err := rewriteBody(nil, longer, s.places(), func(string) (string, bool) { again++; return "", false }); err != nil || again != n {
			t.Fatalf("%d addresses were %d: %v", again, n, err)
		}
	})
}
