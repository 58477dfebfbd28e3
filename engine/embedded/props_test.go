package embedded

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/protocol"
)

// value is what a reader of a properties text sees.
func value(text []byte, name string) string {
	for _, p := range protocol.ParseProperties(text) {
		if p.Name == name {
			return p.Value
		}
	}
	return ""
}

func TestPropertiesAreChangedInTheirText(t *testing.T) {
	for _, test := range []struct {
		name, text, want string
		do               func(text []byte) []byte
	}{
		{"set in an empty text", "", "a\x01b\x02", func(b []byte) []byte { return withProperty(b, "a", "b") }},
		{"set without a last separator", "x\x01y", "x\x01y\x02a\x01b\x02", func(b []byte) []byte { return withProperty(b, "a", "b") }},
		{"set replaces all of the name", "a\x011\x02x\x01y\x02a\x012\x02", "x\x01y\x02a\x01b\x02", func(b []byte) []byte { return withProperty(b, "a", "b") }},
		{"names that begin alike stay", "ab\x011\x02a\x012\x02", "ab\x011\x02", func(b []byte) []byte { return withoutProperty(b, "a") }},
		{"taking away what is not there", "x\x01y\x02", "x\x01y\x02", func(b []byte) []byte { return withoutProperty(b, "a") }},
	} {
		if diff := cmp.Diff(test.want, string(test.do([]byte(test.text)))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func FuzzProperties(f *testing.F) {
	f.Add([]byte("TAGS\x01A\x02KEYS\x01k1 k2\x02"), "TAGS", "B")
	f.Add([]byte("a\x01\x02\x01b\x02a\x01c"), "a", "d")
	f.Add([]byte("\x02\x02\x01"), "x", "y")
	f.Fuzz(func(t *testing.T, text []byte, name, v string) {
		if err := protocol.ValidateProperty(protocol.Property{Name: name, Value: v}); err != nil {
			return
		}
		before := protocol.ParseProperties(text)
		set := withProperty(append([]byte(nil), text...), name, v)
		if value(set, name) != v || property(set, name) != v {
			t.Errorf("%q does not have %s=%s", set, name, v)
		}
		for _, p := range before {
			if p.Name != name && value(set, p.Name) != p.Value {
				t.Errorf("%q: %s is not %q any more", set, p.Name, p.Value)
			}
		}
		gone := withoutProperty(append([]byte(nil), text...), name)
		if got := value(gone, name); got != "" {
			t.Errorf("%q still has %s=%s", gone, name, got)
		}
	})
}
