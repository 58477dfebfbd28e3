package cli

import "mqscope/engine/recording/policy"

// scrub is what is left of a text from the network.
func scrub(text string) string {
	text, _ = policy.Scrub(text)
	return text
}
