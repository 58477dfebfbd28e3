package remoting

import (
	"encoding/binary"
	"slices"
)

// envelope is what precedes the header after the length: its type and length.
const envelope = 4

// AppendFrame appends the whole frame of c, its 4 bytes of length included. On an error,
// a *ProtocolError, dst comes back as it was.
//
// Unlike the Java writer it refuses a code or version that a binary header would cut to 16
// bits: those commands must be sent with a JSON header.
func AppendFrame(dst []byte, c *Command, l Limits) ([]byte, error) {
	l = l.withDefaults()
	return appendFrame(dst, c, &l)
}

// appendFrame is AppendFrame with limits that have their defaults.
func appendFrame(dst []byte, c *Command, l *Limits) ([]byte, error) {
	start := len(dst)
	if err := checkFields(c, l); err != nil {
		return dst, err
	}
	dst = slices.Grow(dst, headerGuess(c)+len(c.Body))
	dst = append(dst, 0, 0, 0, 0, 0, 0, 0, 0)
	switch c.Serialize {
	case JSON:
		dst = appendJSONHeader(dst, c)
	case RocketMQ:
		if c.Code != int32(int16(c.Code)) || c.Version != int32(int16(c.Version)) {
			return dst[:start], badf(-1, "code %d, version %d do not fit the 16 bits of a binary header: use a JSON header", c.Code, c.Version)
		}
		dst = appendBinaryHeader(dst, c)
	default:
		return dst[:start], badf(-1, "unknown header type %d", c.Serialize)
	}
	header := len(dst) - start - 8
	if header > l.HeaderBytes {
		return dst[:start], badf(-1, "header of %d bytes is over the limit of %d (Limits.HeaderBytes)", header, l.HeaderBytes)
	}
	if total := 8 + header + len(c.Body); total > l.FrameBytes {
		return dst[:start], badf(-1, "frame of %d bytes is over the limit of %d (Limits.FrameBytes)", total, l.FrameBytes)
	}
	binary.BigEndian.PutUint32(dst[start:], uint32(envelope+header+len(c.Body)))
	binary.BigEndian.PutUint32(dst[start+4:], uint32(c.Serialize)<<24|uint32(header))
	return append(dst, c.Body...), nil
}

// headerGuess is about how long the header of c will be.
func headerGuess(c *Command) int {
	n := 160 + len(c.Remark)
	for i := range c.Fields {
		n += len(c.Fields[i].Key) + len(c.Fields[i].Value) + 6
	}
	return n
}

func checkFields(c *Command, l *Limits) error {
	if len(c.Fields) > l.Fields {
		return badf(-1, "%d header fields are over the limit of %d (Limits.Fields)", len(c.Fields), l.Fields)
	}
	if len(c.Remark) > l.ValueBytes {
		return badf(-1, "remark of %d bytes is over the limit of %d (Limits.ValueBytes)", len(c.Remark), l.ValueBytes)
	}
	for i := range c.Fields {
		if n := len(c.Fields[i].Key); n > l.KeyBytes {
			return badf(-1, "name of a header field of %d bytes is over the limit of %d (Limits.KeyBytes)", n, l.KeyBytes)
		}
		if n := len(c.Fields[i].Value); n > l.ValueBytes {
			return badf(-1, "header field %s of %d bytes is over the limit of %d (Limits.ValueBytes)", c.Fields[i].Key, n, l.ValueBytes)
		}
	}
	return nil
}

// DecodeFrame reads a frame without its 4 bytes of length. Body aliases frame; nothing else
// does. Every error is a *ProtocolError.
func DecodeFrame(frame []byte, l Limits) (*Command, error) {
	l = l.withDefaults()
	return decodeFrame(frame, &l)
}

// inlineFields is how many header fields a command holds without a second allocation:
// those of a pull and of its answer.
const inlineFields = 12

// decoded is a Command with room for its first fields, so that both are one allocation.
type decoded struct {
	Command
	room [inlineFields]Field
}

// decodeFrame is DecodeFrame with limits that have their defaults.
func decodeFrame(frame []byte, l *Limits) (*Command, error) {
	if len(frame) > l.FrameBytes-4 {
		return nil, badf(0, "frame of %d bytes is over the limit of %d (Limits.FrameBytes)", len(frame)+4, l.FrameBytes)
	}
	if len(frame) < envelope {
		return nil, badf(0, "frame of %d bytes is too short for its envelope", len(frame))
	}
	word := binary.BigEndian.Uint32(frame)
	if err := checkEnvelope(word, len(frame), l); err != nil {
		return nil, err
	}
	header := frame[envelope : envelope+int(word&0xffffff)]
	d := &decoded{}
	d.Serialize = SerializeType(word >> 24)
	var used int
	var err error
	if d.Serialize == JSON {
		used, err = len(header), decodeJSONHeader(d, string(header), l)
	} else {
		used, err = decodeBinaryHeader(d, string(header), l)
	}
	if err != nil {
		return nil, err
	}
	if n := len(frame) - envelope - len(header); n > 0 {
		// Java takes for the body as many bytes as follow the stated header, but from where
		// the header's fields ended.
		d.Body = frame[envelope+used:][:n:n]
	}
	return &d.Command, nil
}

// checkEnvelope checks the word of header type and length in a frame of so many bytes.
func checkEnvelope(word uint32, frame int, l *Limits) error {
	header := int(word & 0xffffff)
	if t := SerializeType(word >> 24); t != JSON && t != RocketMQ {
		return badf(0, "unknown header type %d", uint8(t))
	}
	if header > frame-envelope {
		return badf(0, "header of %d bytes in a frame of %d", header, frame)
	}
	if header > l.HeaderBytes {
		return badf(0, "header of %d bytes is over the limit of %d (Limits.HeaderBytes)", header, l.HeaderBytes)
	}
	return nil
}
