package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestJSONHasNothingThatATerminalObeys(t *testing.T) {
	const hostile = "a\x1b[2J\u009b31m\x7f\u202e\u200b\u2028\U000e0041 plain 订单 é"
	var out bytes.Buffer
	if err := json.NewEncoder(jsonText{&out}).Encode(map[string]string{"k": hostile}); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); strings.ContainsFunc(text, hidden) || strings.ContainsRune(text, 0x1b) || !strings.Contains(text, "订单 é") {
		t.Errorf("%q", text)
	}
	var back map[string]string
	if err := json.Unmarshal(out.Bytes(), &back); err != nil || back["k"] != hostile {
		t.Errorf("%v, %q", err, back)
	}
}
