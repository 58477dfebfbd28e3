package cli

import "mqscope/views"

// clean makes text that is not ours fit for a terminal or a pipe: what does not show as it is
// becomes visible, so no line of ours can carry an escape sequence or break in two.
func clean(text string) string { return views.NewCleaner().Cell(text).String() }
