package remoting

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// decodeJSONHeader reads header into d the way Java's reader does: unknown keys are passed
// over, of a key that comes twice the last counts, numbers may be strings, and field values
// of any kind become text.
func decodeJSONHeader(d *decoded, header string, l *Limits) error {
	if !utf8.ValidString(header) {
		header = strings.ToValidUTF8(header, "\uFFFD")
	}
	p := scanner{s: header, depth: l.JSONDepth}
	if strings.HasPrefix(header, "\uFEFF") {
		p.pos = len("\uFEFF")
	}
	if err := p.open('{'); err != nil {
		return err
	}
	for first := true; ; first = false {
		more, err := p.more('}', first)
		if err != nil {
			return err
		}
		if !more {
			break
		}
		key, err := p.key()
		if err != nil {
			return err
		}
		if key == "extFields" && p.peek() == '{' {
			err = p.fields(d, l)
		} else {
			err = p.entry(d, key, l)
		}
		if err != nil {
			return err
		}
	}
	if p.peek() != 0 || p.pos != len(p.s) {
		return p.bad("something follows it")
	}
	return nil
}

// entry reads the value of one top-level key other than a full extFields.
func (p *scanner) entry(d *decoded, key string, l *Limits) error {
	text, k, err := p.value()
	if err != nil {
		return err
	}
	switch key {
	case "code":
		return p.int32(&d.Code, text, k)
	case "flag":
		return p.int32(&d.Flag, text, k)
	case "opaque":
		return p.int32(&d.Opaque, text, k)
	case "version":
		return p.int32(&d.Version, text, k)
	case "language":
		return p.language(d, text, k)
	case "remark":
		if d.Remark = ""; k != kindNull {
			d.Remark = text
		}
		if len(d.Remark) > l.ValueBytes {
			return p.bad("remark of " + strconv.Itoa(len(d.Remark)) + " bytes is over the limit (Limits.ValueBytes)")
		}
	case "extFields":
		if d.Fields = nil; k != kindNull {
			return p.bad("extFields is no object")
		}
	}
	return nil
}

// fields reads extFields.
func (p *scanner) fields(d *decoded, l *Limits) error {
	if err := p.open('{'); err != nil {
		return err
	}
	d.Fields = d.room[:0]
	seen := 0
	for first := true; ; first = false {
		if more, err := p.more('}', first); !more || err != nil {
			return err
		}
		if seen++; seen > l.Fields {
			return p.bad("more header fields than " + strconv.Itoa(l.Fields) + " (Limits.Fields)")
		}
		key, err := p.key()
		if err != nil {
			return err
		}
		text, k, err := p.value()
		if err != nil {
			return err
		}
		switch {
		case len(key) > l.KeyBytes:
			return p.bad("name of a header field of " + strconv.Itoa(len(key)) + " bytes is over the limit (Limits.KeyBytes)")
		case len(text) > l.ValueBytes:
			return p.bad("header field of " + strconv.Itoa(len(text)) + " bytes is over the limit (Limits.ValueBytes)")
		case k == kindNull:
			d.Fields = d.Fields.without(key)
		default:
			d.Fields = append(d.Fields, Field{key, text})
		}
	}
}

// language takes a name in any case, or an ordinal; a name nobody knows is no error, an
// ordinal is.
func (p *scanner) language(d *decoded, text string, k kind) error {
	switch k {
	case kindString:
		d.Language = parseLanguage(text)
	case kindNull:
		d.Language = UnknownLanguage
	case kindNumber:
		var n int32
		if err := p.int32(&n, text, k); err != nil {
			return err
		}
		if n < 0 || n > int32(NodeJS) {
			return p.bad("language " + text + " does not exist")
		}
		d.Language = Language(n)
	default:
		return p.bad("language is neither a name nor a number")
	}
	return nil
}

// int32 takes numbers, cutting fractions off, strings with a number in them, and booleans
// as 1 and 0. Null and the empty string leave v alone.
func (p *scanner) int32(v *int32, text string, k kind) error {
	switch k {
	case kindNull:
		return nil
	case kindBool:
		if *v = 0; text == "true" {
			*v = 1
		}
		return nil
	case kindString:
		if text == "" || text == "null" {
			return nil
		}
	case kindNumber:
	default:
		return p.bad("want a number")
	}
	if n, ok := smallInt(text); ok {
		*v = n
		return nil
	}
	if n, err := strconv.ParseInt(text, 10, 32); err == nil {
		*v = int32(n)
		return nil
	}
	if k == kindNumber || isNumber(text) {
		f, err := strconv.ParseFloat(text, 64)
		if f = math.Trunc(f); err == nil && f >= math.MinInt32 && f <= math.MaxInt32 {
			*v = int32(f)
			return nil
		}
	}
	return p.bad(text + " is no 32-bit number")
}

// smallInt reads up to nine digits.
func smallInt(s string) (int32, bool) {
	if len(s) == 0 || len(s) > 9 {
		return 0, false
	}
	var n int32
	for i := range len(s) {
		d := s[i] - '0'
		if d > 9 {
			return 0, false
		}
		n = n*10 + int32(d)
	}
	return n, true
}
