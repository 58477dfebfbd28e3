package fastjson

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestStringReadsTheDialect(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"nothing to change", `"a b",`, "a b"},
		{"single quotes around double ones", `'it is "so"',`, `it is "so"`},
		{"every escape", `"\"\\\/\b\f\F\n\r\t\v\x41\u00e9\'\0\7",`, "\"\\/\b\f\f\n\r\t\vA\u00e9'\x00\x07"},
		{"raw control characters", "\"a\nb\x01\",", "a\nb\x01"},
		{"a surrogate pair", `"\ud83d\ude00",`, "\U0001F600"},
		{"lone surrogates", `"\ud83dx\ude00\ud83d\u0041",`, "\uFFFDx\uFFFD\uFFFDA"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, next, why := String(tt.text, 0)
			if got != tt.want || why != "" || next != len(tt.text)-1 {
				t.Errorf("have %q up to %d, %q; want %q up to the comma", got, next, why, tt.want)
			}
		})
	}
}

func TestStringSaysWhatIsMalformedAndWhere(t *testing.T) {
	for _, tt := range []struct {
		text, why string
		at        int
	}{
		{`"abc`, "does not end", 4},
		{`"abc\`, "does not end", 5},
		{`"a\nb`, "does not end", 5},
		{`"\q"`, "unknown escape", 2},
		{`"\u12`, "four hex digits", 3},
		{`"\u12g4"`, "four hex digits", 3},
		{`"\x4"`, "two hex digits", 3},
		{`"\ud83d\u12"`, "four hex digits", 9},
	} {
		if got, next, why := String(tt.text, 0); !strings.Contains(why, tt.why) || next != tt.at {
			t.Errorf("%s: have %q and %q at %d, want %q at %d", tt.text, got, why, next, tt.why, tt.at)
		}
	}
}

func TestStringsAreWrittenSoThatAnyoneReadsThem(t *testing.T) {
	all := "\"\\/<>&\u2028é订😀"
	for c := range rune(0xA0) {
		all += string(c)
	}
	var back string
	if err := json.Unmarshal(Append(nil, all), &back); err != nil || back != all {
		t.Errorf("%v: %q", err, back)
	}
	if got := Append(nil, "a\xff\xc3"); !utf8.Valid(got) {
		t.Errorf("not UTF-8: %q", got)
	}
}

// TestWhatHasToChangeIsSeenWherever: strings are looked at eight bytes at a time.
func TestWhatHasToChangeIsSeenWherever(t *testing.T) {
	for length := 1; length <= 25; length++ {
		for at := range length {
			for c := range 256 {
				text := []byte(strings.Repeat("~", length))
				text[at] = byte(c)
				want := string([]rune(string(text)))
				var back string
				if err := json.Unmarshal(Append(nil, string(text)), &back); err != nil || back != want {
					t.Fatalf("%q: %v, %q", text, err, back)
				}
			}
		}
	}
}

// FuzzString: what is written is JSON and reads as what it was, and nothing that is read panics.
func FuzzString(f *testing.F) {
	for _, s := range []string{"", "a\"b\\c\n\r\t\b\f\v\x00\x1f/", "a\xff\xc3", "\U0001F600\u2028", `\ud83d`, `"\ud83d\u12"`, `'\`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		written := string(Append(nil, s))
		valid := string([]rune(s)) // each bad byte by itself
		if got, next, why := String(written, 0); got != valid || next != len(written) || why != "" {
			t.Fatalf("%s reads as %q, %q up to %d", written, got, why, next)
		}
		var std string
		if err := json.Unmarshal([]byte(written), &std); err != nil || std != valid {
			t.Fatalf("%s is %q to others, %v", written, std, err)
		}
		if s == "" {
			return
		}
		if _, next, _ := String(s, 0); next < 1 || next > len(s) {
			t.Fatalf("%q goes on at %d", s, next)
		}
	})
}
