package views

import (
	"math"
	"strconv"
	"strings"
	"time"

	"mqscope/engine/snapshot"
	"mqscope/themes"
)

// Count writes a number of things: in full up to 9,999 or when exact, else three digits and
// a unit.
func Count(n int64, exact bool) Safe {
	if exact || n > -10_000 && n < 10_000 {
		return Exact(n)
	}
	return plain(appendSI(nil, float64(n)))
}

// Most is the largest number allowed; a negative one says that there is no limit.
func Most(n int) Safe {
	if n < 0 {
		return Own("no limit")
	}
	return Exact(int64(n))
}

// Exact writes a number in full with separators.
func Exact(n int64) Safe { return plain(appendGrouped(nil, n)) }

// plain makes a Safe of ASCII that this file wrote.
func plain(b []byte) Safe { return Safe{text: string(b), width: len(b)} }

// appendGrouped writes n with a comma between groups of three digits.
func appendGrouped(b []byte, n int64) []byte {
	var digits [24]byte
	d := strconv.AppendInt(digits[:0], n, 10)
	if d[0] == '-' {
		b, d = append(b, '-'), d[1:]
	}
	for i, c := range d {
		if i > 0 && (len(d)-i)%3 == 0 {
			b = append(b, ',')
		}
		b = append(b, c)
	}
	return b
}

// appendSI writes three digits and k, M, G, T, P or E.
func appendSI(b []byte, v float64) []byte {
	if v < 0 {
		b, v = append(b, '-'), -v
	}
	unit := -1
	for v >= 999.5 && unit < 5 {
		v, unit = v/1000, unit+1
	}
	b = appendThree(b, v)
	if unit >= 0 {
		b = append(b, "kMGTPE"[unit])
	}
	return b
}

// appendThree writes v, which is below 1,000, with three digits.
func appendThree(b []byte, v float64) []byte {
	switch {
	case v >= 99.95:
		return strconv.AppendFloat(b, v, 'f', 0, 64)
	case v >= 9.995:
		return strconv.AppendFloat(b, v, 'f', 1, 64)
	}
	return strconv.AppendFloat(b, v, 'f', 2, 64)
}

// Rate writes a number of things per second, without the unit: small ones keep a decimal.
func Rate(v float64, exact bool) Safe {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return Own("?")
	case exact:
		return plain(strconv.AppendFloat(nil, v, 'f', 2, 64))
	case v == 0:
		return Own("0")
	case math.Abs(v) < 9.95:
		return plain(strconv.AppendFloat(nil, v, 'f', 1, 64))
	case math.Abs(v) < 9_999.5:
		return plain(appendGrouped(nil, int64(math.Round(v))))
	}
	return plain(appendSI(nil, v))
}

// PerSecond is Rate with its unit.
func PerSecond(v float64, exact bool) Safe { return Join(Rate(v, exact), Own("/s")) }

// Bytes writes a size in units of 1,024.
func Bytes(n int64, exact bool) Safe {
	if exact {
		return Join(Exact(n), Own("B"))
	}
	return trusted(bytesText(n, ""))
}

func bytesText(n int64, gap string) string {
	v, unit := float64(n), -1
	for math.Abs(v) >= 999.5 && unit < 5 {
		v, unit = v/1024, unit+1
	}
	if unit < 0 {
		return strconv.FormatInt(n, 10) + gap + "B"
	}
	var b []byte
	if v < 0 {
		b, v = append(b, '-'), -v
	}
	if v >= 9.95 {
		b = strconv.AppendFloat(b, v, 'f', 0, 64)
	} else {
		b = strconv.AppendFloat(b, v, 'f', 1, 64)
	}
	return string(b) + gap + [...]string{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}[unit]
}

// Duration writes a length of time in at most six cells where it can: 950µs, 12.3ms, 4.2s,
// 41s, 4m18s, 2h14m, 3d04h.
func Duration(d time.Duration, g *themes.Glyphs) Safe {
	neg := d < 0
	if neg {
		d = -max(d, -math.MaxInt64)
	}
	var b []byte
	if neg {
		b = append(b, '-')
	}
	two := func(v time.Duration) { b = append(b, byte('0'+v/10%10), byte('0'+v%10)) }
	num := func(v time.Duration) { b = strconv.AppendInt(b, int64(v), 10) }
	switch {
	case d == 0:
		b = append(b, "0s"...)
	case d < time.Millisecond:
		num(d / time.Microsecond)
		b = append(append(b, g.Micro...), 's')
		return trusted(string(b))
	case d < 99950*time.Microsecond:
		b = strconv.AppendFloat(b, float64(d)/float64(time.Millisecond), 'f', 1, 64)
		b = append(trimZero(b), "ms"...)
	case d < time.Second:
		num(d / time.Millisecond)
		b = append(b, "ms"...)
	case d < 9950*time.Millisecond:
		b = strconv.AppendFloat(b, d.Seconds(), 'f', 1, 64)
		b = append(trimZero(b), 's')
	case d < time.Minute:
		num(min(d+50*time.Millisecond, time.Minute-1) / time.Second)
		b = append(b, 's')
	case d < time.Hour:
		num(d / time.Minute)
		b = append(b, 'm')
		two(d % time.Minute / time.Second)
		b = append(b, 's')
	case d < 24*time.Hour:
		num(d / time.Hour)
		b = append(b, 'h')
		two(d % time.Hour / time.Minute)
		b = append(b, 'm')
	default:
		num(d / (24 * time.Hour))
		b = append(b, 'd')
		two(d % (24 * time.Hour) / time.Hour)
		b = append(b, 'h')
	}
	return plain(b)
}

// Ago writes how long before now something was. A time in the future is a clock that is
// wrong, and is said to be.
func Ago(now, at time.Time, g *themes.Glyphs) Safe {
	d := now.Sub(at)
	if d < -time.Second {
		return Join(Own("clock skew "), Duration(d.Truncate(time.Second), g))
	}
	return Join(Age(now, at, g), Own(" ago"))
}

// Until writes how far off something is: "+31ms", or that it is due.
func Until(now, at time.Time, g *themes.Glyphs) Safe {
	d := at.Sub(now)
	switch {
	case d <= 0:
		return Own("due")
	case d < time.Second:
		return Join(Own("+"), Duration(d.Truncate(time.Millisecond), g))
	}
	return Join(Own("+"), Age(at, now, g))
}

// Age writes how long something has lasted, in tenths of a second below ten: a display of
// passing time need not flicker. What lies in the future has no age.
func Age(now, at time.Time, g *themes.Glyphs) Safe {
	d := max(now.Sub(at), 0)
	if d < 9950*time.Millisecond {
		return plain(append(strconv.AppendFloat(nil, d.Seconds(), 'f', 1, 64), 's'))
	}
	return Duration(d, g)
}

func trimZero(b []byte) []byte {
	if n := len(b); n > 2 && b[n-1] == '0' && b[n-2] == '.' {
		return b[:n-2]
	}
	return b
}

// Clock writes the time of day with milliseconds.
func Clock(t time.Time) Safe { return plain(t.AppendFormat(nil, "15:04:05.000")) }

// Day writes the date.
func Day(t time.Time) Safe { return plain(t.AppendFormat(nil, time.DateOnly)) }

// Moment writes date, time and zone.
func Moment(t time.Time) Safe {
	return trusted(t.Format("2006-01-02 15:04:05.000 -07:00"))
}

// Offset writes an offset, which is an identifier and stays exact: in full with separators
// if w cells hold that, without them if not, and without its head as a last resort.
func Offset(n int64, w int, g *themes.Glyphs) Safe {
	s := Exact(n)
	if s.width <= w {
		return s
	}
	if bare := plain(strconv.AppendInt(nil, n, 10)); bare.width <= w {
		return bare
	}
	return s.Tail(w, g)
}

// Value writes a reading with its trust: plain, ~ when stale, ? when unknown, n/a when it
// has no meaning. tok is the meaning of a plain one.
func Value[T any](v snapshot.Val[T], tok themes.Token, write func(T) Safe) Span {
	switch v.State {
	case snapshot.Known:
		return Span{tok, write(v.V)}
	case snapshot.Stale:
		return Span{themes.Stale, Join(Own("~"), write(v.V))}
	case snapshot.NotApplicable:
		return Say(themes.Faint, "n/a")
	}
	return Say(themes.Unknown, "?")
}

// Lag writes a backlog. A negative one is evidence that the commit is ahead of the broker,
// and is marked rather than clamped.
func Lag(v snapshot.Val[int64], exact bool, g *themes.Glyphs) Span {
	s := Value(v, lagToken(v.V), func(n int64) Safe { return Count(n, exact) })
	if v.OK() && v.V < 0 {
		s.Text = Join(s.Text, Sign(g.Warn))
		s.Tok = themes.Warn
	}
	return s
}

// lagToken shades a backlog by its size.
func lagToken(n int64) themes.Token {
	switch {
	case n <= 0:
		return themes.Text
	case n < 1_000:
		return themes.Text
	case n < 100_000:
		return themes.Watch
	case n < 1_000_000:
		return themes.Warn
	}
	return themes.Bad
}

// AtLeast writes a sum of which missing parts are unknown: "≥ 12.4M". A sum without any
// known part is unknown.
func AtLeast(v snapshot.Val[int64], missing int, exact bool, g *themes.Glyphs) Span {
	s := Value(v, lagToken(v.V), func(n int64) Safe { return Count(n, exact) })
	if v.OK() && missing > 0 {
		s.Text = Join(Sign(g.AtLeast), s.Text)
	}
	return s
}

// appendPlain writes n without separators.
func appendPlain(b []byte, n int64) []byte { return strconv.AppendInt(b, n, 10) }

// Plain writes a number that is a name, such as a queue id, without separators.
func Plain(n int64) Safe { return plain(appendPlain(nil, n)) }

// ShowWait is how long nothing is drawn before a screen says that it waits.
const ShowWait = 300 * time.Millisecond

// Plural picks the word for n things.
func Plural(n int, one, many Lit) Lit {
	if n == 1 {
		return one
	}
	return many
}

// Total writes a counter, which may be larger than any offset.
func Total(n uint64, exact bool) Safe {
	if n <= math.MaxInt64 {
		return Count(int64(n), exact)
	}
	if exact {
		return plain(strconv.AppendUint(nil, n, 10))
	}
	return plain(appendSI(nil, float64(n)))
}

// Drain is how long a backlog lasts: waiting ÷ (out − in). never means that it does not
// shrink. Nothing waiting lasts no time.
func Drain(waiting int64, in, out float64) (d time.Duration, never, known bool) {
	switch {
	case waiting <= 0:
		return 0, false, true
	case math.IsNaN(in) || math.IsNaN(out):
		return 0, false, false
	case out-in < 1e-9:
		return 0, true, true
	}
	secs := float64(waiting) / (out - in)
	if secs > 1e9 {
		return 0, true, true
	}
	return time.Duration(secs * float64(time.Second)), false, true
}

// DrainSpan writes what Drain says.
func DrainSpan(d time.Duration, never, known bool) func(*themes.Glyphs) Span {
	return func(g *themes.Glyphs) Span {
		switch {
		case !known:
			return Say(themes.Unknown, "?")
		case never:
			return Say(themes.Warn, "never")
		case d == 0:
			return Say(themes.Text, "0s")
		}
		return Span{themes.Text, Join(Own("~"), Duration(d, g))}
	}
}

// P99 writes the 99th percentile of round trips, "?" when there are too few of them.
func P99(l snapshot.Latency, g *themes.Glyphs) Span {
	if !l.Enough {
		return Say(themes.Unknown, "?")
	}
	tok := themes.Text
	if l.P99 > time.Second {
		tok = themes.Watch
	}
	return Span{tok, Duration(l.P99, g)}
}

// From writes Java's name of a start position without what all of them begin with.
func (c *Cleaner) From(name string) Safe {
	return c.Cell(strings.TrimSuffix(strings.TrimPrefix(name, "CONSUME_FROM_"), "_OFFSET"))
}

// ShortClock writes the time of day in whole seconds.
func ShortClock(t time.Time) Safe { return plain(t.AppendFormat(nil, "15:04:05")) }
