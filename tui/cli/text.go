package cli

import (
	"strconv"
	"strings"

	"mqscope/views"
)

// clean makes text that is not ours fit for a terminal or a pipe: what does not show as it is
// becomes visible, so no line of ours can carry an escape sequence or break in two.
func clean(text string) string { return views.NewCleaner().Cell(text).String() }

// cleanLong is clean for messages of any length up to 64 KiB.
func cleanLong(text string) string {
	lines, _ := views.NewCleaner().Body([]byte(text))
	parts := make([]string, len(lines))
	for i, l := range lines {
		parts[i] = l.String()
	}
	return strings.Join(parts, " ")
}

// count writes a number of things.
func count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return strconv.Itoa(n) + " " + thing
}
