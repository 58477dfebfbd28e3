package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// Int defines a flag of whole numbers from low to high.
func Int(fs *pflag.FlagSet, p *int, name, short string, def, low, high int, help string) {
	*p = def
	fs.VarP(&intValue{p, low, high}, name, short, fmt.Sprintf("%s, %d to %d", help, low, high))
}

type intValue struct {
	p         *int
	low, high int
}

func (v *intValue) String() string {
	if v.p == nil {
		return "0"
	}
	return strconv.Itoa(*v.p)
}
func (v *intValue) Type() string { return "N" }
func (v *intValue) Set(s string) error {
	n, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil || n < v.low || n > v.high {
		return fmt.Errorf("a whole number from %d to %d is allowed", v.low, v.high)
	}
	*v.p = n
	return nil
}

// Duration defines a flag of durations from low to high; high 0 means no upper end.
func Duration(fs *pflag.FlagSet, p *time.Duration, name string, def, low, high time.Duration, help string) {
	*p = def
	fs.Var(&durationValue{p, low, high}, name, help)
}

type durationValue struct {
	p         *time.Duration
	low, high time.Duration
}

func (v *durationValue) String() string {
	if v.p == nil {
		return "0s"
	}
	return v.p.String()
}
func (v *durationValue) Type() string { return "DURATION" }
func (v *durationValue) Set(s string) error {
	d, err := time.ParseDuration(strings.TrimSpace(s))
	switch {
	case err != nil:
		return fmt.Errorf("a duration such as 500ms, 10s or 2m is allowed")
	case d < v.low && v.high == 0:
		return fmt.Errorf("a duration of at least %v is allowed", v.low)
	case d < v.low || (v.high > 0 && d > v.high):
		return fmt.Errorf("a duration from %v to %v is allowed", v.low, v.high)
	}
	*v.p = d
	return nil
}

// Bool defines a flag that is true when it is given without a value.
func Bool(fs *pflag.FlagSet, p *bool, name, help string) {
	f := fs.VarPF(&boolValue{p}, name, "", help)
	f.NoOptDefVal = "true"
}

type boolValue struct{ p *bool }

func (v *boolValue) String() string {
	if v.p == nil {
		return "false"
	}
	return strconv.FormatBool(*v.p)
}
func (v *boolValue) Type() string { return "bool" }
func (v *boolValue) Set(s string) error {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "true", "1", "yes", "on":
		*v.p = true
	case "false", "0", "no", "off":
		*v.p = false
	default:
		return fmt.Errorf("true or false is allowed")
	}
	return nil
}

// Choice defines a flag that takes one of some words.
func Choice(fs *pflag.FlagSet, p *string, name, def string, words []string, help string) {
	*p = def
	fs.Var(&choiceValue{p, words}, name, help+": "+strings.Join(words, ", "))
}

type choiceValue struct {
	p     *string
	words []string
}

func (v *choiceValue) String() string {
	if v.p == nil {
		return ""
	}
	return *v.p
}
func (v *choiceValue) Type() string { return "WORD" }
func (v *choiceValue) Set(s string) error {
	if !slices.Contains(v.words, s) {
		return fmt.Errorf("one of %s is allowed", strings.Join(v.words, ", "))
	}
	*v.p = s
	return nil
}

// Checked defines a text flag whose value must pass check; nil lets all pass.
func Checked(fs *pflag.FlagSet, p *string, name, short, def, kind, help string, check func(string) error) {
	*p = def
	fs.VarP(&checkedValue{p, kind, check}, name, short, help)
}

type checkedValue struct {
	p     *string
	kind  string
	check func(string) error
}

func (v *checkedValue) String() string {
	if v.p == nil {
		return ""
	}
	return *v.p
}
func (v *checkedValue) Type() string { return v.kind }
func (v *checkedValue) Set(s string) error {
	if err := checked(v.check, s); err != nil {
		return err
	}
	*v.p = s
	return nil
}

// List defines a flag that may be repeated; each value must pass check, or any where that is nil. In the file it may be
// a list or one text.
func List(fs *pflag.FlagSet, p *[]string, name, short, kind, help string, check func(string) error) {
	fs.VarP(&listValue{p: p, kind: kind, check: check}, name, short, help)
}

// checked is what check says, which may be nil where all is allowed.
func checked(check func(string) error, s string) error {
	if check == nil {
		return nil
	}
	return check(s)
}

type listValue struct {
	p     *[]string
	kind  string
	check func(string) error
}

func (v *listValue) String() string {
	if v.p == nil {
		return ""
	}
	return strings.Join(*v.p, " ")
}
func (v *listValue) Type() string { return v.kind }
func (v *listValue) Set(s string) error {
	if err := checked(v.check, s); err != nil {
		return err
	}
	*v.p = append(*v.p, s)
	return nil
}
