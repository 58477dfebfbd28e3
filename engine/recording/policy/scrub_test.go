package policy

import (
	"strings"
	"testing"
)

func TestSecretsInTextAreFound(t *testing.T) {
	for text, want := range map[string]string{
		"AccessKey=ak123":                                          "AccessKey=[removed]",
		"accessKey = ak123, topic=T":                               "accessKey = [removed], topic=T",
		"Signature=AbC+/12==&x=1":                                  "Signature=[removed]&x=1",
		`{"password":"p\"q","user":"u"}`:                           `{"password":"[removed]","user":"u"}`,
		`{\"password\":\"a b\",\"u\":1}`:                           `{\"password\":\"[removed]\",\"u\":1}`,
		"{'secretKey': 'x y'}":                                     "{'secretKey': '[removed]'}",
		"password: hunter2 was wrong":                              "password: [removed] was wrong",
		"token=abc;token=def":                                      "token=[removed];token=[removed]",
		"Authorization: Basic dXNlcjpwYXNz":                        "Authorization: [removed]",
		"Authorization: Bearer x.y\nHost: h":                       "Authorization: [removed]\nHost: h",
		"got bearer abcdefgh12345 here":                            "got bearer [removed] here",
		"jwt eyJhbGciOi.eyJzdWIi.c2ln end":                         "jwt [removed] end",
		"mysql://root:pw@db:3306/x":                                "mysql://root:[removed]@db:3306/x",
		"http://h/p?access_token=zzz&a=1":                          "http://h/p?access_token=[removed]&a=1",
		"u=http%3A%2F%2Fh%3Ftoken%3Dzzz%26a%3D1":                   "u=http%3A%2F%2Fh%3Ftoken%3D[removed]%26a%3D1",
		"key LTAI5tAbCdEfGhIjKl end":                               "key [removed] end",
		"id AKIAIOSFODNN7EXAMPLE":                                  "id [removed]",
		"Cookie: a=b; c=d":                                         "Cookie: [removed]",
		"AclClient [accessKey=ak, secretKey=sk:1, signature=null]": "AclClient [accessKey=[removed], secretKey=[removed], signature=null]",
		"CODE: 1  DESC: org.apache.rocketmq.acl.common.AclException: No acl config for ak123, org.apache": "CODE: 1  DESC: org.apache.rocketmq.acl.common.AclException: No acl config for [removed], org.apache",
		"Check signature failed for accessKey=ak123":                                                      "Check signature failed for accessKey=[removed]",
		"x password=":           "x password=",
		"password == \"x\"":     "password == \"[removed]\"",
		`params["token"] = zzz`: `params["token"] = [removed]`,
		"pwd:=x sk=y":           "pwd:=[removed] sk=[removed]",
		"pass\u200bword=x":      "pass\u200bword=[removed]",
		"password=\"never ends": "password=\"[removed]",
		"-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY----- x": "[removed] x",
		"-----BEGIN PRIVATE KEY-----\nMII":                                      "[removed]",
		"token=[a b]":                                                           "token=[[removed]]",
	} {
		got, n := Scrub(text)
		if got != want || (n == 0) != (got == text) {
			t.Errorf("%q\n got %q, %d\nwant %q", text, got, n, want)
		}
		if again, n := Scrub(got); again != got || n != 0 {
			t.Errorf("%q became %q the second time, %d", got, again, n)
		}
	}
}

func TestPlainTextStays(t *testing.T) {
	for _, text := range []string{
		"", "rebalance pass: 4 queues", "pass=3", "pulled 32 from TopicA@broker-a:0", "SecretService: started",
		"tokens: 5 left", "bearer of news", "no route of topic T: try again", "token://x", "12:30:01 broker 10.0.0.1:10911 is lost",
		"the signature does not match", "password = null", "http://host:80/path", "key=value, next=5", "author=me",
		"CODE: 16  DESC: no permission", "sk: 3 rows", "===:::", "password=", ":", "=", "%3D",
	} {
		if got, n := Scrub(text); got != text || n != 0 {
			t.Errorf("%q became %q, %d", text, got, n)
		}
	}
}

func TestScrubTakesTimeInProportion(t *testing.T) {
	for _, text := range []string{"=", ":", "a=", "token=", "token=\"", `\"`, `token=\\`, "password:'x", "://:", "eyJa.", "bearer ", "%3D", "-----BEGIN PRIVATE KEY-----"} {
		Scrub(strings.Repeat(text, 1<<20/len(text))) // a square of this would not end before the test is ended
	}
}

// FuzzScrub: a text that was scrubbed has nothing left to find, and a secret does not survive.
func FuzzScrub(f *testing.F) {
	for _, s := range []string{"AccessKey=%s", `{"password":"%s"}`, "Authorization: Basic ", "http://u:p@h", "a%3Db", "-----BEGIN PRIVATE KEY-----"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		clean, n := Scrub(text)
		if n == 0 && clean != text {
			t.Fatalf("%q became %q and nothing was found", text, clean)
		}
		if again, n := Scrub(clean); n != 0 || again != clean {
			t.Fatalf("%q became %q, then %q", text, clean, again)
		}
		again, _ := Scrub(clean + " Signature=hunter2hunter2")
		if strings.Contains(again, "hunter2hunter2") && !strings.Contains(text, "hunter2") {
			t.Fatalf("it is still in %q", again)
		}
	})
}

func BenchmarkScrubOfNothing(b *testing.B) {
	for b.Loop() {
		Scrub("the broker broker-a at 10.0.0.1:10911 answered: no route info of this topic")
	}
}
