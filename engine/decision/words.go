package decision

import (
	"strconv"
	"strings"
	"time"

	"mqscope/engine/event"
	"mqscope/engine/mq"
)

// Words tells a decision in one line, with its live values, as in
//
//	span 2,004 > 2,000 ?  YES → put back +50ms, why flow:span
//
// {name} in the words of a line becomes the value or the text of that name, {queue} the queue
// and {task} the number of the task. The answer to a question is in capitals when something
// else follows than going on. A text that the words have no place for, like an error, comes
// behind them. The text and the names in it are as they came from the network:
// who shows them makes them safe.
func Words(d *Decision) string {
	if d.Line == nil {
		return ""
	}
	b := d.fill(make([]byte, 0, 96))
	if d.Line.Asks {
		b = append(append(b, " ?  "...), d.answer()...)
	}
	if l := d.Line; d.Text != "" && !strings.Contains(l.Words, "{"+l.Text+"}") {
		b = append(append(b, ": "...), d.Text...)
	}
	return string(d.Then.appendTo(b, d.Line.Group))
}

// fill appends the words of the line with the placeholders filled in. One that names nothing
// stays as it is.
func (d *Decision) fill(b []byte) []byte {
	words := d.Line.Words
	for {
		before, rest, found := strings.Cut(words, "{")
		b = append(b, before...)
		if !found {
			return b
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed {
			return append(append(b, '{'), rest...)
		}
		b, words = d.value(b, name), after
	}
}

func (d *Decision) value(b []byte, name string) []byte {
	for i, v := range d.Line.Values {
		if v.Name == name && i < len(d.N) {
			return v.Kind.append(b, d.N[i])
		}
	}
	switch {
	case name == "queue":
		return appendQueue(b, d.Queue)
	case name == "task":
		return strconv.AppendUint(append(b, '#'), d.Task, 10)
	case name == d.Line.Text && name != "":
		return append(b, d.Text...)
	}
	return append(append(append(b, '{'), name...), '}')
}

func (d *Decision) answer() string {
	switch {
	case d.Yes && d.Then.Do != GoOn:
		return "YES"
	case d.Yes:
		return "yes"
	case d.Then.Do != GoOn:
		return "NO"
	}
	return "no"
}

func appendQueue(b []byte, q mq.MessageQueue) []byte {
	if q == (mq.MessageQueue{}) {
		return append(b, '-')
	}
	b = append(append(append(append(b, q.Topic...), '/'), q.BrokerName...), '/')
	return strconv.AppendInt(b, int64(q.QueueID), 10)
}

// appendTo says what follows, nothing when the code just goes on.
func (t Then) appendTo(b []byte, g Group) []byte {
	switch t.Do {
	case GoOn:
		return b
	case PutBack:
		b = append(b, " → put back "...)
		if t.Delay > 0 {
			b = appendDuration(append(b, '+'), t.Delay)
		} else {
			b = append(b, "at once"...)
		}
		if t.Why != event.CauseNone {
			b = append(append(b, ", why "...), t.Why...)
		}
		return b
	case Die:
		if g == PullTask {
			return append(b, " → the task ends"...)
		}
		return append(b, " → the request ends"...)
	case Stop:
		return append(b, " → the rest is left out"...)
	}
	return append(b, " → ?"...)
}

// String is the word in JSON and in scripts.
func (d Do) String() string {
	switch d {
	case GoOn:
		return "go on"
	case PutBack:
		return "put back"
	case Die:
		return "die"
	case Stop:
		return "stop"
	}
	return "?"
}

// Format writes a number as its kind is shown.
func (k Kind) Format(n int64) string { return string(k.append(nil, n)) }

func (k Kind) append(b []byte, n int64) []byte {
	switch k {
	case Offset:
		if n < 0 {
			return append(b, "none"...)
		}
		return appendCount(b, n)
	case Bytes:
		return appendBytes(b, n)
	case MiB:
		return append(appendCount(b, n), " MiB"...)
	case Duration:
		return appendDuration(b, time.Duration(n))
	case Moment:
		if n == 0 {
			return append(b, "never"...)
		}
		return time.Unix(0, n).UTC().AppendFormat(b, "2006-01-02 15:04:05.000")
	case Flag:
		if n == 0 {
			return append(b, "no"...)
		}
		return append(b, "yes"...)
	}
	return appendCount(b, n)
}

// appendCount writes n with a comma between every three digits.
func appendCount(b []byte, n int64) []byte {
	digits := strconv.AppendInt(make([]byte, 0, 20), n, 10)
	if n < 0 {
		b, digits = append(b, '-'), digits[1:]
	}
	for i, c := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b = append(b, ',')
		}
		b = append(b, c)
	}
	return b
}

// appendBytes writes a size with three digits in IEC units, whole bytes below 1 KiB.
func appendBytes(b []byte, n int64) []byte {
	if n < 1<<10 && n > -1<<10 {
		return append(strconv.AppendInt(b, n, 10), " B"...)
	}
	size, unit := float64(n), 0
	for _, name := range []string{" KiB", " MiB", " GiB", " TiB", " PiB", " EiB"} {
		size, unit = size/1024, unit+1
		if size < 1023.5 && size > -1023.5 || unit == 6 {
			return append(appendThree(b, size), name...)
		}
	}
	return b
}

// appendThree writes f with three digits, without zeros at its end.
func appendThree(b []byte, f float64) []byte {
	decimals := 0
	switch a := max(f, -f); {
	case a < 9.995:
		decimals = 2
	case a < 99.95:
		decimals = 1
	}
	s := strconv.FormatFloat(f, 'f', decimals, 64)
	if decimals > 0 {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return append(b, s...)
}

// appendDuration writes 950µs, 12.3ms, 50ms, 1s, 4m18s, 2h14m, 3d04h.
func appendDuration(b []byte, d time.Duration) []byte {
	if d < 0 {
		b, d = append(b, '-'), max(-d, 0)
	}
	two := func(n time.Duration, unit string, m time.Duration, small string, width int) []byte {
		b = append(strconv.AppendInt(b, int64(n), 10), unit...)
		if m > 0 {
			s := strconv.FormatInt(int64(m), 10)
			b = append(append(append(b, strings.Repeat("0", max(0, width-len(s)))...), s...), small...)
		}
		return b
	}
	switch {
	case d < time.Microsecond:
		return append(strconv.AppendInt(b, int64(d), 10), unitOf(d)...)
	case d < 999500*time.Nanosecond:
		return append(appendThree(b, float64(d)/1e3), "µs"...)
	case d < 999500*time.Microsecond:
		return append(appendThree(b, float64(d)/1e6), "ms"...)
	case d < time.Minute:
		return append(appendThree(b, float64(d)/1e9), "s"...)
	case d < time.Hour:
		return two(d/time.Minute, "m", d%time.Minute/time.Second, "s", 1)
	case d < 24*time.Hour:
		return two(d/time.Hour, "h", d%time.Hour/time.Minute, "m", 1)
	}
	return two(d/(24*time.Hour), "d", d%(24*time.Hour)/time.Hour, "h", 2)
}

func unitOf(d time.Duration) string {
	if d == 0 {
		return "s"
	}
	return "ns"
}
