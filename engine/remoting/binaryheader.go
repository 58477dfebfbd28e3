package remoting

import (
	"encoding/binary"
	"strings"
	"unicode/utf8"
)

// binaryFixed is the bytes of a binary header without remark and fields.
const binaryFixed = 21

// appendBinaryHeader appends c's header; code and version have been found to fit. Java:
// RocketMQSerializable.
func appendBinaryHeader(dst []byte, c *Command) []byte {
	dst = binary.BigEndian.AppendUint16(dst, uint16(c.Code))
	dst = append(dst, byte(c.Language))
	dst = binary.BigEndian.AppendUint16(dst, uint16(c.Version))
	dst = binary.BigEndian.AppendUint32(dst, uint32(c.Opaque))
	dst = binary.BigEndian.AppendUint32(dst, uint32(c.Flag))
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(c.Remark)))
	dst = append(dst, c.Remark...)
	at := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	for i := range c.Fields {
		dst = binary.BigEndian.AppendUint16(dst, uint16(len(c.Fields[i].Key)))
		dst = append(dst, c.Fields[i].Key...)
		dst = binary.BigEndian.AppendUint32(dst, uint32(len(c.Fields[i].Value)))
		dst = append(dst, c.Fields[i].Value...)
	}
	binary.BigEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
	return dst
}

// binaryReader cuts strings out of a header.
type binaryReader struct {
	s   string
	pos int
}

// length reads a length of n bytes and checks it against what is left and against limit.
func (r *binaryReader) length(n, limit int, what string) (int, error) {
	if len(r.s)-r.pos < n {
		return 0, badf(envelope+r.pos, "binary header ends before the length of a %s", what)
	}
	var v int
	if n == 2 {
		v = int(int16(r.uint16()))
	} else {
		v = int(int32(r.uint32()))
	}
	if v < 0 || v > len(r.s)-r.pos {
		return 0, badf(envelope+r.pos, "%s of %d bytes where %d are left of the binary header", what, v, len(r.s)-r.pos)
	}
	if v > limit {
		return 0, badf(envelope+r.pos, "%s of %d bytes is over the limit of %d", what, v, limit)
	}
	return v, nil
}

func (r *binaryReader) uint16() uint16 {
	v := uint16(r.s[r.pos])<<8 | uint16(r.s[r.pos+1])
	r.pos += 2
	return v
}

func (r *binaryReader) uint32() uint32 {
	return uint32(r.uint16())<<16 | uint32(r.uint16())
}

// text cuts n bytes off, which have been found to be there.
func (r *binaryReader) text(n int) string {
	t := r.s[r.pos : r.pos+n]
	r.pos += n
	if !utf8.ValidString(t) {
		t = strings.ToValidUTF8(t, "\uFFFD")
	}
	return t
}

// decodeBinaryHeader reads header into d and says how many of its bytes it used. As with
// the Java reader an empty value is no value, a field without a name is passed over, a
// negative length of all fields is none, and the last field may run past that length.
func decodeBinaryHeader(d *decoded, header string, l *Limits) (int, error) {
	if len(header) < binaryFixed {
		return 0, badf(envelope, "binary header of %d bytes is shorter than %d", len(header), binaryFixed)
	}
	r := &binaryReader{s: header}
	d.Code = int32(int16(r.uint16()))
	d.Language = Language(header[r.pos])
	r.pos++
	d.Version = int32(int16(r.uint16()))
	d.Opaque = int32(r.uint32())
	d.Flag = int32(r.uint32())
	n, err := r.length(4, l.ValueBytes, "remark")
	if err != nil {
		return 0, err
	}
	d.Remark = r.text(n)
	if len(header)-r.pos < 4 {
		return 0, badf(envelope+r.pos, "binary header ends before its fields")
	}
	all := int(int32(r.uint32()))
	if all > len(header)-r.pos {
		return 0, badf(envelope+r.pos, "header fields of %d bytes where %d are left", all, len(header)-r.pos)
	}
	err = r.fields(d, r.pos+all, l)
	return r.pos, err
}

// fields reads entries until end is reached or passed.
func (r *binaryReader) fields(d *decoded, end int, l *Limits) error {
	for seen := 1; r.pos < end; seen++ {
		if seen > l.Fields {
			return badf(envelope+r.pos, "more header fields than %d (Limits.Fields)", l.Fields)
		}
		n, err := r.length(2, l.KeyBytes, "name of a header field")
		if err != nil {
			return err
		}
		key := r.text(n)
		if n, err = r.length(4, l.ValueBytes, "header field"); err != nil {
			return err
		}
		value := r.text(n)
		if d.Fields == nil {
			d.Fields = d.room[:0]
		}
		if value == "" {
			d.Fields = d.Fields.without(key)
		} else if key != "" {
			d.Fields = append(d.Fields, Field{key, value})
		}
	}
	return nil
}
