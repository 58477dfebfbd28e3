package cli

import (
	"os"
	"strings"
	"testing"

	"mqscope/keymap"
)

// TestTheKeysInREADMEAreThoseOfTheKeymap compares the table with what the keymap makes of
// itself: mqscope keys --markdown prints it.
func TestTheKeysInREADMEAreThoseOfTheKeymap(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, begun := strings.Cut(string(text), "<!-- keys:begin -->\n")
	table, _, ended := strings.Cut(rest, "<!-- keys:end -->")
	if !begun || !ended {
		t.Fatal("README.md has no marks for the table of keys")
	}
	m, problems := keymap.New(nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if table != m.Markdown() {
		t.Error("the table is stale: put the output of `go run . keys --markdown` between its marks")
	}
}
