package page

import (
	"fmt"
	"html"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"mqscope/engine/mq"
)

// marksPerBase is how many combining marks a letter may have.
const marksPerBase = 4

// cut is s without what is over so many bytes, and says that it was cut.
func cut(s string, most int) string {
	if len(s) <= most {
		return strings.Clone(s)
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + fmt.Sprintf("… %d bytes more", len(s)-most)
}

// esc is text for HTML: markup in it is no markup, and what does not show as it is stands there
// written out, apart from the rest.
func esc(s string) string { return visible(s, `<i class="x">`, `</i>`) }

// escPlain is esc for places where there is no markup at all: titles and attributes.
func escPlain(s string) string { return visible(s, "", "") }

// visible writes out controls, marks that change direction, what has no meaning, bytes that are
// no text and heaps of combining marks, as the screen does.
func visible(s, open, end string) string {
	if plain(s) {
		return html.EscapeString(s)
	}
	var b strings.Builder
	marks := 0
	stand := func(text string) { b.WriteString(open + text + end) }
	for i, r := range s {
		if unicode.Is(unicode.M, r) {
			if marks++; marks > marksPerBase {
				continue
			}
		} else {
			if marks > marksPerBase {
				stand(fmt.Sprintf(`\u…%d`, marks-marksPerBase))
			}
			marks = 0
		}
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"):
			stand(fmt.Sprintf(`\x%02x`, s[i]))
		case r < 0x20:
			stand(string(0x2400 + r))
		case r == 0x7f:
			stand("␡")
		case hidden(r) && r > 0xffff:
			stand(fmt.Sprintf(`\U%08x`, r))
		case hidden(r):
			stand(fmt.Sprintf(`\u%04x`, r))
		default:
			b.WriteString(html.EscapeString(string(r)))
		}
	}
	if marks > marksPerBase {
		stand(fmt.Sprintf(`\u…%d`, marks-marksPerBase))
	}
	return b.String()
}

func plain(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] > 0x7e {
			return false
		}
	}
	return true
}

// hidden tells whether r is not seen, or changes how others are.
func hidden(r rune) bool {
	switch {
	case r < 0x7f:
		return false
	case r <= 0xa0, r == 0xad, r == 0x2800:
		return true
	case r == 0x3000:
		return false
	}
	return !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S) ||
		unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// number writes n with a comma between groups of three digits.
func number[T ~int | ~int32 | ~int64 | ~uint64](n T) string {
	s := strconv.FormatInt(int64(n), 10)
	if n > 0 && int64(n) < 0 {
		s = strconv.FormatUint(uint64(n), 10)
	}
	sign := ""
	if s[0] == '-' {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// signed is number with a sign, or nothing for 0.
func signed(n int64) string {
	switch {
	case n == 0:
		return ""
	case n > 0:
		return "+" + number(n)
	}
	return "−" + number(-n)
}

// rateText writes a number a second.
func rateText(v float64) string {
	switch {
	case v == 0:
		return "0"
	case v < 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return number(int64(v + 0.5))
}

func plural[T ~int | ~int64 | ~uint64](n T, one, many string) string {
	if n == 1 {
		return number(n) + " " + one
	}
	return number(n) + " " + many
}

// clock is a time of day with milliseconds, day one of the whole.
func (s *story) clock(at time.Time) string { return at.In(s.o.Zone).Format("15:04:05.000") }

func (s *story) day(at time.Time) string {
	return at.In(s.o.Zone).Format("2006-01-02 15:04:05.000 -07:00")
}

// length writes how long something took, as 19.4 s or 2h14m0s.
func length(d time.Duration) string {
	switch {
	case d < time.Second:
		return strconv.FormatFloat(float64(d.Microseconds())/1000, 'f', -1, 64) + " ms"
	case d < time.Minute:
		return strconv.FormatFloat(float64(d.Round(100*time.Millisecond).Milliseconds())/1000, 'f', -1, 64) + " s"
	}
	return d.Round(time.Second).String()
}

const mostName = 256 // bytes of a name

// queueName names a queue as the screens do.
func queueName(id mq.MessageQueue) string {
	return cut(id.Topic, mostName) + "/" + cut(id.BrokerName, mostName) + "/" + strconv.Itoa(int(id.QueueID))
}
