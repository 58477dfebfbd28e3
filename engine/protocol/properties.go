// Contract: the properties text of stored messages and send requests: name 0x01 value 0x02,
// repeated; the last 0x02 may be missing. Reading follows Java: a segment is ignored when it
// is shorter than three characters, has no 0x01, or an empty name or value; so properties
// with an empty value vanish. Order is kept, and where a name occurs twice the last one wins.
// Names and values are not checked for the two separators: use ValidateProperty.

package protocol

import (
	"bytes"
	"fmt"
	"strings"

	"mqscope/engine/mq"
)

// Property is one property of a message.
type Property = struct{ Name, Value string }

// AppendProperties appends the text of p to dst (Java: MessageDecoder.messageProperties2String).
func AppendProperties(dst []byte, p []Property) []byte {
	for i := range p {
		dst = append(dst, p[i].Name...)
		dst = append(dst, mq.NameSeparator)
		dst = append(dst, p[i].Value...)
		dst = append(dst, mq.ValueSeparator)
	}
	return dst
}

// ParseProperties reads a properties text (Java: MessageDecoder.string2messageProperties).
// The result holds each name once, at the place of its first use.
func ParseProperties(text []byte) []Property {
	var out []Property
	var at map[string]int
	for len(text) > 0 {
		var pair []byte
		if i := bytes.IndexByte(text, mq.ValueSeparator); i >= 0 {
			pair, text = text[:i], text[i+1:]
		} else {
			pair, text = text, nil
		}
		name, value, ok := bytes.Cut(pair, []byte{mq.NameSeparator})
		if !ok || len(name) == 0 || len(value) == 0 {
			continue
		}
		if at == nil {
			at = make(map[string]int)
		}
		if i, twice := at[string(name)]; twice {
			out[i].Value = string(value)
			continue
		}
		at[string(name)] = len(out)
		out = append(out, Property{string(name), string(value)})
	}
	return out
}

// ValidateProperty tells why a property can not be sent: an empty name or value, which the
// reader would drop, or one of the two separators inside.
func ValidateProperty(p Property) error {
	switch {
	case p.Name == "":
		return fmt.Errorf("property with the value %s has no name", clipped(p.Value))
	case p.Value == "":
		return fmt.Errorf("property %s has no value: consumers would not see it, leave it out", clipped(p.Name))
	case strings.ContainsAny(p.Name+p.Value, "\x01\x02"):
		return fmt.Errorf("property %s holds the character 0x01 or 0x02, which separate properties", clipped(p.Name))
	}
	return nil
}
