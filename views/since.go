package views

import (
	"strconv"
	"time"
)

// Since writes a moment of virtual time as what has passed since it began, to the
// millisecond: t+12.340s, t+1m02.340s, t+26h04m09.000s.
func Since(start, at time.Time) Safe {
	d := at.Sub(start)
	b := []byte("t+")
	if d < 0 {
		b, d = append(b[:1], '-'), -max(d, -1<<62)
	}
	ms := d / time.Millisecond
	h, m, s := ms/3_600_000, ms/60_000%60, ms/1000%60
	two := func(n time.Duration, unit byte) {
		if n < 10 {
			b = append(b, '0')
		}
		b = strconv.AppendInt(b, int64(n), 10)
		if unit != 0 {
			b = append(b, unit)
		}
	}
	switch {
	case h > 0:
		b = append(strconv.AppendInt(b, int64(h), 10), 'h')
		two(m, 'm')
		two(s, 0)
	case m > 0:
		b = append(strconv.AppendInt(b, int64(m), 10), 'm')
		two(s, 0)
	default:
		b = strconv.AppendInt(b, int64(s), 10)
	}
	rest := ms % 1000
	b = append(b, '.', byte('0'+rest/100), byte('0'+rest/10%10), byte('0'+rest%10), 's')
	return plain(b)
}
