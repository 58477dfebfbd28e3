package remoting

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// frameOf joins an envelope that tells the truth and its parts, without the length.
func frameOf(t SerializeType, header, body string) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(t)<<24|uint32(len(header)))
	return append(append(b, header...), body...)
}

func badFrame(t *testing.T, err error) *ProtocolError {
	t.Helper()
	e, ok := errors.AsType[*ProtocolError](err)
	if !ok {
		t.Fatalf("want a ProtocolError, got %v", err)
	}
	return e
}

func TestDecodeFrameOddities(t *testing.T) {
	many := strings.Repeat(`"k":"v",`, 513)
	deep := strings.Repeat(`[`, 40) + strings.Repeat(`]`, 40)
	tests := []struct {
		name   string
		header string
		want   string // of the error; empty: none
		check  func(*Command) any
		is     any
	}{
		{"a lone high surrogate becomes the replacement character", `{"remark":"a\ud83dz"}`, "", func(c *Command) any { return c.Remark }, "a\uFFFDz"},
		{"two high surrogates and a low one make one replacement and one letter", `{"remark":"\ud83d\ud83d\ude00"}`, "", func(c *Command) any { return c.Remark }, "\uFFFD😀"},
		{"a lone low surrogate becomes the replacement character", `{"remark":"\ude00"}`, "", func(c *Command) any { return c.Remark }, "\uFFFD"},
		{"hexadecimal and octal escapes are read", `{"remark":"\x41\1\v"}`, "", func(c *Command) any { return c.Remark }, "A\x01\v"},
		{"bytes that are not UTF-8 are replaced", "{\"remark\":\"a\xc3(\"}", "", func(c *Command) any { return c.Remark }, "a\uFFFD("},
		{"a remark that is a number is its spelling", `{"remark":1.50}`, "", func(c *Command) any { return c.Remark }, "1.50"},
		{"a remark that comes again as null is none", `{"remark":"x","remark":null}`, "", func(c *Command) any { return c.Remark }, ""},
		{"a field that comes again as null is none", `{"extFields":{"a":"1","b":"2","a":null}}`, "", func(c *Command) any { return c.Fields }, Fields{{"b", "2"}}},
		{"extFields that come again replace the first", `{"extFields":{"a":"1"},"extFields":{"b":"2"}}`, "", func(c *Command) any { return c.Fields }, Fields{{"b", "2"}}},
		{"extFields that come again as null are none", `{"extFields":{"a":"1"},"extFields":null}`, "", func(c *Command) any { return c.Fields }, Fields(nil)},
		{"an empty field name stays", `{"extFields":{"":"1"}}`, "", func(c *Command) any { return c.Fields }, Fields{{"", "1"}}},
		{"commas may be repeated", `{,"code":1,,"extFields":{"a":"1",,"b":[1,,2,],},}`, "", func(c *Command) any { return c.Fields }, Fields{{"a", "1"}, {"b", "[1,,2,]"}}},
		{"a comma may not be missing", `{"code":1 "flag":2}`, "want a comma", nil, nil},
		{"a number is cut to an integer", `{"code":12.9,"flag":-1.9,"opaque":1e3}`, "", func(c *Command) any { return []int32{c.Code, c.Flag, c.Opaque} }, []int32{12, -1, 1000}},
		{"the smallest and largest numbers are read", `{"code":-2147483648,"flag":2147483647}`, "", func(c *Command) any { return []int32{c.Code, c.Flag} }, []int32{-2147483648, 2147483647}},
		{"a number one too large is an error", `{"code":2147483648}`, "no 32-bit number", nil, nil},
		{"a number with a huge exponent is an error", `{"code":1e999999999}`, "no 32-bit number", nil, nil},
		{"not a number is an error", `{"code":NaN}`, "want a value", nil, nil},
		{"a number that is an array is an error", `{"code":[1]}`, "want a number", nil, nil},
		{"a minus alone is an error", `{"code":-}`, "want a value", nil, nil},
		{"false is 0", `{"code":5,"code":false}`, "", func(c *Command) any { return c.Code }, int32(0)},
		{"an empty string leaves the number alone", `{"code":5,"code":""}`, "", func(c *Command) any { return c.Code }, int32(5)},
		{"a negative language is an error", `{"language":-1}`, "does not exist", nil, nil},
		{"a language that is an object is an error", `{"language":{}}`, "neither a name nor a number", nil, nil},
		{"nesting at the limit is read", `{"x":` + strings.Repeat(`[`, 31) + strings.Repeat(`]`, 31) + `}`, "", func(c *Command) any { return c.Code }, int32(0)},
		{"nesting over the limit is an error", `{"x":` + deep + `}`, "nested too deep", nil, nil},
		{"nesting over the limit inside a field is an error", `{"extFields":{"x":` + deep + `}}`, "nested too deep", nil, nil},
		{"more fields than the limit are an error, also when they repeat", `{"extFields":{` + many + `}}`, "more header fields", nil, nil},
		{"a field name over the limit is an error", `{"extFields":{"` + strings.Repeat("k", 1025) + `":"v"}}`, "Limits.KeyBytes", nil, nil},
		{"a string that does not end is an error", `{"remark":"abc`, "does not end", nil, nil},
		{"a string that ends in a backslash is an error", `{"remark":"abc\`, "does not end", nil, nil},
		{"an escape that does not exist is an error", `{"remark":"\q"}`, "unknown escape", nil, nil},
		{"an escape cut short is an error", `{"remark":"\u12`, "four hex digits", nil, nil},
		{"a key without a value is an error", `{"code"}`, "want a colon", nil, nil},
		{"a colon without a value is an error", `{"code":}`, "want a value", nil, nil},
		{"a NUL after the object is an error", "{}\x00", "something follows", nil, nil},
		{"an array that ends as an object is an error", `{"x":[1}`, "want a comma", nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := DecodeFrame(frameOf(JSON, tt.header, ""), Limits{})
			if tt.want != "" {
				if e := badFrame(t, err); !strings.Contains(e.Error(), tt.want) {
					t.Fatalf("error is %q, want %q in it", e, tt.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.is, tt.check(c)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestHeaderCutAtEveryByteIsAnError(t *testing.T) {
	c := &Command{Code: 11, Opaque: 7, Language: Go, Version: 475, Remark: "r", Fields: Fields{{"topic", "OrderEvt"}, {"queueId", "3"}}, Body: []byte("body")}
	for _, kind := range []SerializeType{JSON, RocketMQ} {
		c.Serialize = kind
		whole, err := AppendFrame(nil, c, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		frame := whole[4:]
		header := int(binary.BigEndian.Uint32(frame) & 0xffffff)
		for cut := range header {
			short := frameOf(kind, string(frame[4:4+cut]), "")
			if got, err := DecodeFrame(short, Limits{}); err == nil {
				t.Errorf("%v header cut to %d of %d bytes is read as %+v", kind, cut, header, got)
			} else {
				badFrame(t, err)
			}
		}
		for cut := range 4 + header {
			if _, err := DecodeFrame(frame[:cut], Limits{}); err == nil {
				t.Errorf("%v frame cut to %d bytes is read", kind, cut)
			}
		}
	}
}

func TestLimitsHoldBothWays(t *testing.T) {
	big := func(n int) string { return strings.Repeat("x", n) }
	tests := []struct {
		name   string
		limits Limits
		cmd    Command
		want   string
	}{
		{"a frame", Limits{FrameBytes: 300}, Command{Body: make([]byte, 300)}, "Limits.FrameBytes"},
		{"a header", Limits{HeaderBytes: 300}, Command{Fields: Fields{{"a", big(200)}, {"b", big(200)}}}, "Limits.HeaderBytes"},
		{"the number of fields", Limits{Fields: 2}, Command{Fields: Fields{{"a", "1"}, {"b", "1"}, {"c", "1"}}}, "Limits.Fields"},
		{"the name of a field", Limits{KeyBytes: 8}, Command{Fields: Fields{{big(9), "1"}}}, "Limits.KeyBytes"},
		{"the value of a field", Limits{ValueBytes: 8}, Command{Fields: Fields{{"a", big(9)}}}, "over the limit"},
		{"a remark", Limits{ValueBytes: 8}, Command{Remark: big(9)}, "over the limit"},
	}
	for _, tt := range tests {
		for _, kind := range []SerializeType{JSON, RocketMQ} {
			t.Run(tt.name+" "+kind.String(), func(t *testing.T) {
				c := tt.cmd
				c.Serialize = kind
				before := []byte("before")
				out, err := AppendFrame(before, &c, tt.limits)
				if e := badFrame(t, err); !strings.Contains(e.Error(), tt.want) || string(out) != "before" {
					t.Errorf("writing: %q, %q", e, out)
				}
				whole, err := AppendFrame(nil, &c, Limits{})
				if err != nil {
					t.Fatal(err)
				}
				_, err = DecodeFrame(whole[4:], tt.limits)
				badFrame(t, err)
			})
		}
	}
}

func TestLargestFrameIsServed(t *testing.T) {
	header, err := AppendFrame(nil, &Command{}, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	body := make([]byte, 16<<20-len(header))
	frame, err := AppendFrame(nil, &Command{Body: body}, Limits{})
	if err != nil || len(frame) != 16<<20 {
		t.Fatalf("%d bytes, %v", len(frame), err)
	}
	if _, err := DecodeFrame(frame[4:], Limits{}); err != nil {
		t.Error(err)
	}
	_, err = AppendFrame(nil, &Command{Body: append(body, 0)}, Limits{})
	badFrame(t, err)
}

func TestFieldsLikeAMap(t *testing.T) {
	f := Fields{{"a", "1"}, {"b", "2"}, {"a", "3"}}
	if v, ok := f.Get("a"); v != "3" || !ok {
		t.Errorf("a is %q %v, the last one counts", v, ok)
	}
	if _, ok := f.Get("c"); ok {
		t.Error("c is not there")
	}
	f.Set("a", "4")
	f.Set("c", "5")
	if diff := cmp.Diff(Fields{{"a", "1"}, {"b", "2"}, {"a", "4"}, {"c", "5"}}, f); diff != "" {
		t.Error(diff)
	}
}

func TestBodyCannotGrowIntoWhatFollowsIt(t *testing.T) {
	stream := append(frameOf(JSON, "{}", "body"), "next frame"...)
	c, err := DecodeFrame(stream[:len(stream)-10], Limits{})
	if err != nil {
		t.Fatal(err)
	}
	_ = append(c.Body, '!')
	if got := string(stream[len(stream)-10:]); got != "next frame" {
		t.Errorf("the next frame begins %q", got)
	}
}

func TestLanguageNames(t *testing.T) {
	for l := Java; l <= NodeJS; l++ {
		if got := parseLanguage(strings.ToLower(l.String())); got != l {
			t.Errorf("%v in lower case is read as %v", l, got)
		}
	}
	if got := []string{Language(14).String(), UnknownLanguage.String(), SerializeType(2).String()}; !cmp.Equal(got, []string{"LANGUAGE_14", "UNKNOWN", "SerializeType(2)"}) {
		t.Error(got)
	}
}
