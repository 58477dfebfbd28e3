package export

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"mqscope/views"
)

// Schema is the version of the JSON that this package writes; it grows as snapshot.Schema does.
const Schema = 1

// stamp is RFC 3339 with milliseconds.
const stamp = "2006-01-02T15:04:05.000Z07:00"

// CSV writes a table with its heads in the first line. A value that is not known is empty, and
// so is one that has no meaning; the last two columns tell the reasons, and the ages of values
// that are old. With raw texts are written as they came. Else what could be taken for a formula
// gets a ' before it, and characters that do not show are written out.
func CSV(s views.Sheet, raw bool) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	each(s, func(fields []string) { _ = w.Write(fields) }, func(text string) string { // a buffer takes all
		if raw {
			return text
		}
		return guard(visible(text, "\t\n\r"))
	})
	w.Flush()
	return b.Bytes()
}

// TSV is CSV with tabs between fields and no quotes: a tab, a line break and a backslash in a
// field are written \t, \n, \r and \\, also with raw.
func TSV(s views.Sheet, raw bool) []byte {
	var b bytes.Buffer
	inLine := strings.NewReplacer("\\", `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)
	each(s, func(fields []string) {
		for i, f := range fields {
			if i > 0 {
				b.WriteByte('\t')
			}
			b.WriteString(f)
		}
		b.WriteByte('\n')
	}, func(text string) string {
		if raw {
			return inLine.Replace(text)
		}
		return guard(visible(inLine.Replace(text), ""))
	})
	return b.Bytes()
}

// each gives the heads and then each row to line; text is what becomes of words.
func each(s views.Sheet, line func([]string), text func(string) string) {
	fields := append(append([]string(nil), s.Cols...), "unknown", "stale")
	line(fields)
	for _, row := range s.Rows {
		fields = fields[:0]
		var unknown, old []string
		for i, c := range row {
			fields = append(fields, field(c.V, text))
			if c.Why != "" {
				unknown = append(unknown, s.Cols[i]+": "+c.Why)
			}
			if c.Old > 0 {
				old = append(old, fmt.Sprintf("%s: %d ms", s.Cols[i], c.Old.Milliseconds()))
			}
		}
		line(append(fields, text(strings.Join(unknown, "; ")), strings.Join(old, "; ")))
	}
}

// field writes a value; only words can be harmful.
func field(v any, text func(string) string) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return text(v)
	case time.Time:
		return v.Format(stamp)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return ""
		}
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}

// guard keeps a spreadsheet from taking words for a formula.
func guard(s string) string {
	r, _ := utf8.DecodeRuneInString(s)
	if s != "" && strings.ContainsRune("=+-@\t\r\n＝＋－＠", r) {
		return "'" + s
	}
	return s
}

// visible writes out what does not show as it is, but for the characters of keep.
func visible(s, keep string) string {
	clean := true
	for _, r := range s {
		if r == utf8.RuneError || views.Invisible(r) {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case !views.Invisible(r) || strings.ContainsRune(keep, r):
			b.WriteRune(r)
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// JSON writes a table as one object, a row a line. A value that is not known is null and its
// reason stands under "unknown" of its row, the age of an old one in ms under "stale", as in
// the JSON of a snapshot. Texts are whole: what does not show is escaped.
func JSON(s views.Sheet) []byte {
	b := append([]byte(nil), `{"schema":`...)
	b = strconv.AppendInt(b, Schema, 10)
	b = append(append(b, `,"table":`...), encode(s.Name)...)
	b = append(append(b, `,"at":`...), encode(s.At)...)
	b = append(b, `,"rows":[`...)
	for n, row := range s.Rows {
		if n > 0 {
			b = append(b, ',')
		}
		b = append(b, "\n{"...)
		var unknown, old []byte
		for i, c := range row {
			if i > 0 {
				b = append(b, ',')
			}
			b = member(b, s.Cols[i], c.V)
			if c.Why != "" {
				unknown = member(comma(unknown), s.Cols[i], c.Why)
			}
			if c.Old > 0 {
				old = member(comma(old), s.Cols[i], c.Old.Milliseconds())
			}
		}
		b = object(b, "unknown", unknown)
		b = append(object(b, "stale", old), '}')
	}
	if len(s.Rows) > 0 {
		b = append(b, '\n')
	}
	return append(b, "]}\n"...)
}

func comma(b []byte) []byte {
	if len(b) > 0 {
		b = append(b, ',')
	}
	return b
}

func member(b []byte, name string, v any) []byte {
	return append(append(append(b, encode(name)...), ':'), encode(v)...)
}

// object appends a member that is an object of members, unless there are none.
func object(b []byte, name string, members []byte) []byte {
	if len(members) == 0 {
		return b
	}
	b = append(append(b, ',', '"'), name...)
	return append(append(append(b, `":{`...), members...), '}')
}

// encode is the JSON of one value without characters that do not show.
func encode(v any) []byte {
	switch t := v.(type) {
	case time.Time:
		v = t.Format(stamp)
	case float64:
		if math.IsNaN(t) || math.IsInf(t, 0) {
			v = nil
		}
	}
	b, err := json.Marshal(v)
	if err != nil {
		return []byte("null")
	}
	out := b[:0:0]
	for _, r := range string(b) {
		switch {
		case !views.Invisible(r):
			out = utf8.AppendRune(out, r)
		case r > 0xffff:
			r -= 0x10000
			out = fmt.Appendf(out, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}
