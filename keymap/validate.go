package keymap

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// motionKeys are letters that move; the shifted form of one must not change anything, since
// caps lock turns one into the other.
const motionKeys = "hjklgn"

// forbidden says why a key must not be bound, or is empty.
func forbidden(key string) string {
	switch key {
	case "ctrl+i", "ctrl+m", "ctrl+j", "ctrl+h", "ctrl+[":
		return "terminals send the same byte for another key"
	case "ctrl+s", "ctrl+q":
		return "terminals use it for flow control"
	case "ctrl+a", "ctrl+b":
		return "terminal multiplexers use it as their prefix"
	case "ctrl+\\":
		return "it kills the process on Unix"
	case "ctrl+z":
		return "it suspends the process on Unix"
	case "":
		return "it is empty"
	}
	if strings.HasPrefix(key, "alt+") {
		return "alt composes letters on macOS"
	}
	if utf8.RuneCountInString(key) > 1 && !slices.Contains(namedKeys(), key) {
		return "no terminal sends a key of that name"
	}
	if !utf8.ValidString(key) || key[0] < 0x20 || key[0] == 0x7f {
		return "it is no printable character"
	}
	return ""
}

// namedKeys are the multi-character key names of Bubble Tea v1 that may be bound.
func namedKeys() []string {
	named := []string{
		"enter", "esc", "tab", "shift+tab", "backspace", "delete", "insert",
		"up", "down", "left", "right", "home", "end", "pgup", "pgdown",
		"shift+up", "shift+down", "shift+left", "shift+right",
		"ctrl+up", "ctrl+down", "ctrl+left", "ctrl+right",
		"ctrl+home", "ctrl+end", "ctrl+pgup", "ctrl+pgdown", "ctrl+@",
	}
	for c := 'c'; c <= 'z'; c++ {
		named = append(named, "ctrl+"+string(c))
	}
	for i := 1; i <= 20; i++ {
		named = append(named, fmt.Sprintf("f%d", i))
	}
	return named
}

// Validate reports all faults of a table: two actions that share a key where both work, keys
// that must not be bound, changing actions on keys that are hit by accident, missing texts.
func Validate(actions []Action) error {
	var faults []error
	seen := map[ID]bool{}
	for i, a := range actions {
		faults = append(faults, a.faults()...)
		if seen[a.ID] {
			faults = append(faults, fmt.Errorf("action %s is listed twice", a.ID))
		}
		seen[a.ID] = true
		for _, b := range actions[i+1:] {
			if a.Where&b.Where == 0 {
				continue
			}
			for _, k := range a.Keys {
				if slices.Contains(b.Keys, k) {
					faults = append(faults, fmt.Errorf("key %q does both %s and %s", k, a.ID, b.ID))
				}
			}
		}
	}
	return errors.Join(faults...)
}

func (a Action) faults() (faults []error) {
	fault := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("action %s: "+format, append([]any{a.ID}, args...)...))
	}
	if a.ID == "" || strings.ToLower(string(a.ID)) != string(a.ID) || strings.ContainsAny(string(a.ID), ". _") {
		fault("id must be lower-case words with hyphens")
	}
	if a.Help == "" || a.Label == "" {
		fault("help text or label is missing")
	}
	if a.Where == 0 {
		fault("works nowhere")
	}
	for i, k := range a.Keys {
		if why := forbidden(k); why != "" {
			fault("key %q must not be bound: %s", k, why)
		}
		if slices.Contains(a.Keys[:i], k) {
			fault("key %q is listed twice", k)
		}
		if a.Where&InInput != 0 && utf8.RuneCountInString(k) == 1 {
			fault("key %q is text where text is typed", k)
		}
		if a.Changing() {
			if why := accident(k); why != "" {
				fault("key %q is too easy to hit for a change: %s", k, why)
			}
		}
	}
	return faults
}

// accident says why a changing action must not have key k, or is empty.
func accident(k string) string {
	r, n := utf8.DecodeRuneInString(k)
	switch {
	case n != len(k):
		return "only a shifted letter or a punctuation mark may change something"
	case r >= 'a' && r <= 'z':
		return "it is a lower-case letter"
	case r >= '0' && r <= '9':
		return "it is a digit"
	case r >= 'A' && r <= 'Z' && strings.ContainsRune(motionKeys, r-'A'+'a'):
		return "caps lock makes it of a motion key"
	}
	return ""
}
