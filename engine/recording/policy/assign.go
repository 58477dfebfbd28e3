package policy

import "strings"

// maxName is how long the name of a secret may be.
const maxName = 64

// assignments takes out the values of what is written as name=value, name: value or as JSON has it,
// also with the = as URLs write it, where the name is that of a secret.
func assignments(text string) (clean string, found int) {
	var b strings.Builder
	done := 0 // up to here it is written
	for at := 0; at < len(text); {
		sign := signAt(text, at)
		if sign == 0 {
			at++
			continue
		}
		name, quoted := nameBefore(text[done:at])
		if name == "" || !secretIn(name, text[at:at+sign] == ":" && !quoted) {
			at += sign
			continue
		}
		from, to := valueBehind(text, at+sign, name)
		if from == to || harmless(text[from:to]) {
			at = max(to, at+sign)
			continue
		}
		b.WriteString(text[done:from])
		b.WriteString(Removed)
		found++
		at, done = to, to
	}
	if found == 0 {
		return text, 0
	}
	b.WriteString(text[done:])
	return b.String(), found
}

// signAt is how many bytes a sign between a name and a value has at at, 0 if there is none.
func signAt(text string, at int) int {
	switch text[at] {
	case '=', ':':
		n := 1
		for at+n < len(text) && (text[at+n] == '=' || text[at+n] == '>') { // also ==, := and =>
			n++
		}
		return n
	case '%':
		if strings.HasPrefix(text[at:], "%3D") || strings.HasPrefix(text[at:], "%3d") ||
			strings.HasPrefix(text[at:], "%3A") || strings.HasPrefix(text[at:], "%3a") {
			return 3
		}
	}
	return 0
}

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.' || c >= 0x80
}

// nameBefore is the name that text ends with, and whether it is in quotes.
func nameBefore(text string) (name string, quoted bool) {
	end := len(text)
	for n := 0; end > 0 && n < 8 && strings.IndexByte(" \t\"'`\\]", text[end-1]) >= 0; n++ {
		quoted = quoted || text[end-1] != ' ' && text[end-1] != '\t'
		end--
	}
	from := end
	for from > 0 && end-from < maxName && isNameByte(text[from-1]) {
		from--
	}
	return text[from:end], quoted
}

// valueBehind is where the value is that begins at at, behind spaces.
func valueBehind(text string, at int, name string) (from, to int) {
	for at < len(text) && (text[at] == ' ' || text[at] == '\t') {
		at++
	}
	rest := text[at:]
	if strings.HasPrefix(rest, "//") { // what stood before it is the scheme of a URL
		return at, at
	}
	if quote := quoteAt(rest); quote != "" {
		at += len(quote)
		return at, at + untilQuote(text[at:], quote)
	}
	stops := " \t\r\n,;&\"'`<>|()]}\x00\x01\x02"
	if p := plain(name); strings.Contains(p, "AUTHORIZATION") || strings.Contains(p, "COOKIE") {
		stops = "\r\n\"`\x00\x01\x02" // has words, and signs between them
	}
	if !strings.HasPrefix(rest, Removed) && (rest != "" && (rest[0] == '[' || rest[0] == '{')) { // a list
		at, stops = at+1, "\r\n]}\x00\x01\x02"
	}
	if strings.HasPrefix(text[at:], Removed) {
		return at, at + len(Removed)
	}
	n := strings.IndexAny(text[at:], stops)
	if n < 0 {
		n = len(text) - at
	}
	if end := strings.Index(text[at:at+n], "%26"); end >= 0 { // & in a URL that is in a URL
		n = end
	}
	return at, at + n
}

// quoteAt is the quotation mark that text begins with, with the backslashes before it.
func quoteAt(text string) string {
	n := 0
	for n < len(text) && n < 8 && text[n] == '\\' {
		n++
	}
	if n < len(text) && (text[n] == '"' || text[n] == '\'' || text[n] == '`') {
		return text[:n+1]
	}
	return ""
}

// untilQuote is where a text ends that began with quote.
func untilQuote(text, quote string) int {
	for at := 0; ; {
		n := strings.Index(text[at:], quote)
		if n < 0 {
			return len(text)
		}
		at += n
		slashes := 0
		for at-slashes > 0 && text[at-slashes-1] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return at
		}
		at += len(quote)
	}
}

// harmless values are no secrets.
func harmless(value string) bool {
	switch strings.ToLower(value) {
	case "", Removed, "null", "nil", "none", "true", "false", "empty", "missing", "undefined":
		return true
	}
	return false
}
