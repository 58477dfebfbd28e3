package policy

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestASieveKeepsWhatPropertiesDoes goes through texts of pieces that matter to it.
func TestASieveKeepsWhatPropertiesDoes(t *testing.T) {
	pieces := []string{
		"\x01", "\x02", "\x01", "\x02", "KEYS", "token", "card", "CardNumber", "password", "a", "r", "R", "b", "value", "=", ":", "%3D", "%",
		"-----BEGIN RSA PRIVATE KEY-----", "eyJhbGciOi.abcdefgh.x", "LTAIabcdefghijkl", "AKIAABCDEFGHIJKL", "STS.abcdefghijklmn",
		"bearer abcdefghij", "BEARER 0123456789", "BeaRer abcdefghijk", "Bearer", "https://u:p@h", "AccessKey=x", "bear",
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	p := Policy{Deny: []string{"card*"}}
	s := NewSieve(p)
	changed := 0
	for range 50_000 {
		var b strings.Builder
		for range rnd.IntN(12) {
			b.WriteString(pieces[rnd.IntN(len(pieces))])
		}
		want, n := p.Properties(b.String())
		if got := string(s.Properties([]byte("before"), []byte(b.String()))); got != "before"+want {
			t.Fatalf("%q: %q, want %q", b.String(), got, want)
		}
		if n > 0 {
			changed++
		}
	}
	if changed < 1000 || len(s.names) > mostNames {
		t.Errorf("%d were changed, %d names are remembered", changed, len(s.names))
	}
}

func BenchmarkSieve(b *testing.B) {
	text := []byte("KEYS\x01k1\x02TAGS\x01TagA\x02UNIQ_KEY\x017F000001271218B4AAC20000000001FF\x02")
	s := NewSieve(Policy{})
	var dst []byte
	for b.Loop() {
		dst = s.Properties(dst[:0], text)
	}
}
