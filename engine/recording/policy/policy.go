package policy

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// Policy is what is kept. Its zero value keeps the first 256 bytes of bodies, and no secrets.
type Policy struct {
	Bodies Bodies
	// Deny has patterns of names of properties that are left out beside the secrets, as path.Match
	// has them; letters match in either case.
	Deny []string
}

// Validate names the patterns that are none.
func (p Policy) Validate() error {
	for _, pattern := range p.Deny {
		if _, err := path.Match(folded(pattern), ""); err != nil || pattern == "" {
			return fmt.Errorf("property pattern %.80q: it is malformed; write a name, with * for any characters and ? for one", pattern)
		}
	}
	return nil
}

// Words says in words what becomes of secrets and properties, for the header of a recording.
func (p Policy) Words() string {
	const always = "none: access keys, signatures, tokens and passwords are left out"
	if len(p.Deny) == 0 {
		return always
	}
	return always + ", and properties " + strings.Join(slices.Sorted(slices.Values(p.Deny)), ", ")
}

// Property returns what is kept of the value of a property, or that it is left out.
func (p Policy) Property(name, value string) (kept string, keep bool) {
	if p.Denies(name) {
		return "", false
	}
	kept, _ = Scrub(value)
	return kept, true
}

// Denies tells whether properties of this name are left out.
func (p Policy) Denies(name string) bool {
	if Secret(name) {
		return true
	}
	if len(p.Deny) == 0 {
		return false
	}
	name = folded(name)
	return slices.ContainsFunc(p.Deny, func(pattern string) bool {
		ok, err := path.Match(folded(pattern), name)
		return ok && err == nil
	})
}

// folded makes letters alike in either case, and a slash a character as others are.
func folded(s string) string {
	return strings.ReplaceAll(strings.Map(fold, s), "/", "\x00")
}

// What stands between properties of a message (Java: MessageDecoder).
const (
	nameSeparator  = "\x01"
	valueSeparator = "\x02"
)

// Properties returns what is kept of the properties of a message as they are stored, and how many
// were left out or changed.
func (p Policy) Properties(text string) (kept string, changed int) {
	var b strings.Builder
	for part := range strings.SplitAfterSeq(text, valueSeparator) {
		body, ended := strings.CutSuffix(part, valueSeparator)
		name, value, isPair := strings.Cut(body, nameSeparator)
		if !isPair {
			value, n := Scrub(body)
			changed += n
			b.WriteString(value)
		} else if kept, keep := p.Property(name, value); keep {
			if kept != value {
				changed++
			}
			b.WriteString(name + nameSeparator + kept)
		} else {
			changed++
			continue
		}
		if ended {
			b.WriteString(valueSeparator)
		}
	}
	return b.String(), changed
}
