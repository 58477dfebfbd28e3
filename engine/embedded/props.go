package embedded

import (
	"bytes"

	"mqscope/engine/mq"
)

// Properties are worked on as text, in place of building a map for each message. As with
// every reader the last of equal names counts.

// property returns the value of a name, "" when it is missing.
func property(text []byte, name string) string {
	var found []byte
	for len(text) > 0 {
		var pair []byte
		pair, text = cutProperty(text)
		if isProperty(pair, name) {
			found = pair[len(name)+1:]
		}
	}
	return string(found)
}

// withProperty returns text with one property set, others in their order. It may write into
// the spare capacity of text.
func withProperty(text []byte, name, value string) []byte {
	text = withoutProperty(text, name)
	if n := len(text); n > 0 && text[n-1] != mq.ValueSeparator {
		text = append(text, mq.ValueSeparator)
	}
	text = append(text, name...)
	text = append(text, mq.NameSeparator)
	text = append(text, value...)
	return append(text, mq.ValueSeparator)
}

// withoutProperty returns text without a property; text itself is changed if it has it.
func withoutProperty(text []byte, name string) []byte {
	for at := 0; at < len(text); {
		pair, rest := cutProperty(text[at:])
		if isProperty(pair, name) {
			text = append(text[:at], rest...)
			continue
		}
		at = len(text) - len(rest)
	}
	return text
}

func cutProperty(text []byte) (pair, rest []byte) {
	if i := bytes.IndexByte(text, mq.ValueSeparator); i >= 0 {
		return text[:i], text[i+1:]
	}
	return text, nil
}

func isProperty(pair []byte, name string) bool {
	return len(pair) > len(name) && pair[len(name)] == mq.NameSeparator && string(pair[:len(name)]) == name
}
