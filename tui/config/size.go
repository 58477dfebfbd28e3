package config

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// Size defines a flag of a number of bytes from low to high, with units; 0, its default, means none.
func Size(fs *pflag.FlagSet, p *int64, name string, low, high int64, help string) {
	fs.Var(&sizeValue{p, low, high}, name, fmt.Sprintf("%s, %s to %s", help, SizeWord(low), SizeWord(high)))
}

type sizeValue struct {
	p         *int64
	low, high int64
}

func (v *sizeValue) String() string {
	if v.p == nil || *v.p == 0 {
		return ""
	}
	return SizeWord(*v.p)
}
func (v *sizeValue) Type() string { return "SIZE" }
func (v *sizeValue) Set(s string) error {
	n, ok := ParseSize(s)
	if !ok || n < v.low || n > v.high {
		return fmt.Errorf("a size from %s to %s is allowed, such as 256MiB or 1GiB", SizeWord(v.low), SizeWord(v.high))
	}
	*v.p = n
	return nil
}

type sizeUnit struct {
	name  string
	bytes int64
}

// sizeUnits are longest name first.
func sizeUnits() []sizeUnit {
	return []sizeUnit{
		{"gib", 1 << 30}, {"mib", 1 << 20}, {"kib", 1 << 10}, {"gb", 1e9}, {"mb", 1e6}, {"kb", 1e3},
		{"g", 1 << 30}, {"m", 1 << 20}, {"k", 1 << 10}, {"b", 1},
	}
}

// ParseSize reads a number of bytes with a unit, or without one.
func ParseSize(s string) (int64, bool) {
	s = strings.ToLower(strings.TrimSpace(s))
	unit := int64(1)
	for _, u := range sizeUnits() {
		if rest, ok := strings.CutSuffix(s, u.name); ok {
			s, unit = strings.TrimSpace(rest), u.bytes
			break
		}
	}
	n, err := strconv.ParseUint(s, 10, 62)
	if err != nil || int64(n) > (1<<62)/unit {
		return 0, false
	}
	return int64(n) * unit, true
}

// SizeWord writes a number of bytes as Size reads it.
func SizeWord(n int64) string {
	for _, u := range []sizeUnit{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if n >= u.bytes && n%u.bytes == 0 {
			return strconv.FormatInt(n/u.bytes, 10) + u.name
		}
	}
	return strconv.FormatInt(n, 10) + "B"
}
