package mq

import (
	"bytes"
	"testing"
)

// A listener that appends to a body, or to properties, must not write over the message
// behind it, which another listener may have.
func TestFH3NothingGrowsIntoTheNextMessage(t *testing.T) {
	b := twoMessages(t, nil)
	before := bytes.Clone(b.Data)
	m := b.At(0)
	_ = append(m.Body(), "and more"...)
	_ = append(m.StoredBody(), "and more"...)
	_ = append(m.PropertiesText(), "X\x01y"...)
	if !bytes.Equal(before, b.Data) {
		t.Error("appending to parts of a message changed the batch")
	}
}
