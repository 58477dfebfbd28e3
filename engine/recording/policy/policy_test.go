package policy

import (
	"bytes"
	"crypto/sha256"
	"strings"
	"testing"
)

func TestSecretNames(t *testing.T) {
	for _, name := range []string{
		"AccessKey", "Signature", "SecurityToken", "accesskey", "ACCESS_KEY", "access-key-id", "secretKey", "db.password",
		"Passwd", "PWD", "authorization", "Proxy-Authorization", "x-api-key", "refreshToken", "credential", "awsCredentials",
		"clientSecret", "Set-Cookie", "ak", "sk", "pa\u017f\u017fword", "to\u212Aen", "pass\u200bword", "private key",
	} {
		if !Secret(name) {
			t.Errorf("%q is a secret", name)
		}
	}
	for _, name := range []string{
		"", "KEYS", "TAGS", "UNIQ_KEY", "MSG_REGION", "TRACE_ON", "RETRY_TOPIC", "REAL_TOPIC", "MAX_OFFSET", "consumerGroup", "topic",
		"queueId", "bornHost", "DELAY", "__SHARDINGKEY", "POP_CK", "sysFlag", "author", "desk", "compass", "maker",
	} {
		if Secret(name) {
			t.Errorf("%q is no secret", name)
		}
	}
}

func TestPropertiesAreDeniedByPattern(t *testing.T) {
	p := Policy{Deny: []string{"card*", "a/b?", "Exact"}}
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	for name, denied := range map[string]bool{
		"CardNumber": true, "card/x": true, "a/bc": true, "a/b": false, "exact": true, "exactly": false, "x": false, "token": true,
	} {
		if p.Denies(name) != denied {
			t.Errorf("%s: %v", name, !denied)
		}
	}
	if v, keep := p.Property("note", "AccessKey=abc123 and more"); !keep || v != "AccessKey=[removed] and more" {
		t.Errorf("%q %v", v, keep)
	}
	got, n := p.Properties("KEYS\x01k1\x02password\x01p\x02card\x011\x02TAGS\x01t\x02")
	if got != "KEYS\x01k1\x02TAGS\x01t\x02" || n != 2 {
		t.Errorf("%q, %d", got, n)
	}
	if got, n := p.Properties("a\x011\x02b\x012"); got != "a\x011\x02b\x012" || n != 0 {
		t.Errorf("%q, %d", got, n)
	}
	for _, bad := range []string{"[", "a[b", "", `x\`} {
		if err := (Policy{Deny: []string{bad}}).Validate(); err == nil || !strings.Contains(err.Error(), "pattern") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if w := p.Words(); !strings.Contains(w, "Exact, a/b?, card*") {
		t.Error(w)
	}
}

func TestBodiesAreRead(t *testing.T) {
	for text, want := range map[string]string{
		"full": "full", " Full ": "full", "256": "first 256 bytes", "first 256": "first 256 bytes", "first 12 bytes": "first 12 bytes",
		"4KiB": "first 4096 bytes", "1 MiB": "first 1048576 bytes", "10b": "first 10 bytes", "hash": "hash", "0": "hash", "none": "hash", "first 0": "hash",
	} {
		b, err := ParseBodies(text)
		if err != nil || b.String() != want {
			t.Errorf("%q: %v, %v", text, b, err)
		}
		again, err := ParseBodies(b.String())
		if err != nil || again != b {
			t.Errorf("%q is not read again: %v, %v", b, again, err)
		}
	}
	if (Policy{}).Bodies.String() != "first 256 bytes" {
		t.Error("the default is another one")
	}
	for _, text := range []string{"", "some", "-1", "first", "1.5", "256 KB", "9999999999", "3000MiB", "0x10", "first first 2", "\x1b[31m"} {
		if b, err := ParseBodies(text); err == nil || !strings.Contains(err.Error(), "full, hash") || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%q: %v, %v", text, b, err)
		}
	}
}

func TestBodiesAreCut(t *testing.T) {
	body := bytes.Repeat([]byte("body"), 100)
	for _, one := range []struct {
		b    Bodies
		kept int
	}{{Full, 400}, {0, 256}, {Hash, 0}, {7, 7}, {400, 400}, {399, 399}, {1000, 400}} {
		p := Policy{Bodies: one.b}
		got := p.Body([]byte("x"), body)
		k := ReadKept(got[1:])
		if got[0] != 'x' || !bytes.Equal(k.Bytes, body[:one.kept]) || k.Len != 400 || k.Cut() != (one.kept < 400) {
			t.Errorf("%v: %d bytes of %d", one.b, len(k.Bytes), k.Len)
		}
		if k.Cut() && k.Hash != sha256.Sum256(body) {
			t.Errorf("%v: another hash", one.b)
		}
		less := ReadKept(Policy{Bodies: 5}.Again(nil, got[1:]))
		if string(less.Bytes) != string(body[:min(one.kept, 5)]) || less.Len != 400 || less.Hash != sha256.Sum256(body) {
			t.Errorf("%v, then 5: %q of %d", one.b, less.Bytes, less.Len)
		}
		if more := (Policy{Bodies: Full}).Again(nil, got[1:]); !bytes.Equal(more, got[1:]) {
			t.Errorf("%v, then full: it was changed", one.b)
		}
	}
}

func TestATailThatSaysTooLittleIsNone(t *testing.T) {
	cut := Policy{Bodies: Hash}.Body(nil, []byte("some body"))
	longer := append([]byte("longer than the body was"), cut...)
	if k := ReadKept(longer); k.Cut() || !bytes.Equal(k.Bytes, longer) {
		t.Errorf("%+v", k)
	}
}

func TestABodyThatLooksCutIsNot(t *testing.T) {
	cut := Policy{Bodies: Hash}.Body(nil, []byte("some body"))
	for _, b := range []Bodies{Full, 0, Hash, 3} {
		k := ReadKept(Policy{Bodies: b}.Body(nil, cut))
		if k.Len != int64(len(cut)) || k.Cut() && k.Hash != sha256.Sum256(cut) || !bytes.HasPrefix(cut, k.Bytes) {
			t.Errorf("%v: %+v", b, k)
		}
	}
}
