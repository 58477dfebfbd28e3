package policy

import (
	"regexp"
	"strings"
	"sync"
)

// Removed stands where a secret was.
const Removed = "[removed]"

// Scrub takes out of free text what looks like a secret, and says how many it found. It takes
// time in proportion to the text, whatever that is.
func Scrub(text string) (clean string, found int) {
	for range maxRounds { // what is left may look like another one
		var n int
		if text, n = scrub(text); n == 0 {
			break
		}
		found += n
	}
	return text, found
}

const maxRounds = 8

func scrub(text string) (clean string, found int) {
	if !suspicious(text) {
		return text, 0
	}
	clean = text
	if strings.Contains(clean, "-----BEGIN") {
		clean, found = replaceAll(clean, found, patterns().pem)
	}
	clean, n := assignments(clean)
	found += n
	if strings.Contains(clean, "://") {
		clean, found = replaceAll(clean, found, patterns().userinfo)
	}
	if hasBearer(clean) {
		clean, found = replaceAll(clean, found, patterns().bearer)
	}
	if hasID(clean) {
		clean, found = replaceAll(clean, found, patterns().ids)
	}
	if strings.Contains(clean, aclRemark) {
		clean, found = replaceAll(clean, found, patterns().acl)
	}
	return clean, found
}

// suspicious is a quick look, which many texts do not pass.
func suspicious(text string) bool {
	return strings.ContainsAny(text, "=:") || strings.Contains(text, "%3") || strings.Contains(text, "-----BEGIN") ||
		hasID(text) || hasBearer(text) || strings.Contains(text, aclRemark)
}

// aclRemark is what a broker with access lists remarks of an access key that it does not know
// (Java: PlainPermissionManager).
const aclRemark = "No acl config for "

func hasBearer(text string) bool {
	const word = "bearer"
	for at := 0; at+len(word) <= len(text); at++ {
		if text[at]|0x20 == word[0] && strings.EqualFold(text[at:at+len(word)], word) {
			return true
		}
	}
	return false
}

func hasID(text string) bool {
	return strings.Contains(text, "eyJ") || strings.Contains(text, "LTAI") || strings.Contains(text, "AKIA") || strings.Contains(text, "STS.")
}

// shapes are secrets that are known by how they look. The first group of each stays.
type shapes struct{ pem, userinfo, bearer, ids, acl *regexp.Regexp }

var patterns = sync.OnceValue(func() shapes {
	return shapes{
		pem:      regexp.MustCompile(`()-----BEGIN [A-Z ]*PRIVATE KEY-----(?s:.*?)(?:-----END [A-Z ]*PRIVATE KEY-----|\z)`),
		userinfo: regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://[^\s/:@?#]*:)[^\s/@?#]+(?:@)`),
		bearer:   regexp.MustCompile(`(?i)(\bbearer[ \t]+)[A-Za-z0-9._~+/=-]{8,}`),
		acl:      regexp.MustCompile(`(` + aclRemark + `)[^\s,;]+`),
		ids:      regexp.MustCompile(`()\b(?:eyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]*)?|LTAI[A-Za-z0-9]{12,}|AKIA[A-Z0-9]{12,}|STS\.[A-Za-z0-9]{12,})`),
	}
})

// replaceAll puts Removed where re matches, behind its first group.
func replaceAll(text string, found int, re *regexp.Regexp) (string, int) {
	all := re.FindAllStringSubmatchIndex(text, -1)
	if all == nil {
		return text, found
	}
	var b strings.Builder
	at := 0
	for _, m := range all {
		b.WriteString(text[at:m[3]])
		b.WriteString(Removed)
		end := m[1]
		if text[end-1] == '@' { // of a URL
			end--
		}
		if text[m[3]:end] != Removed {
			found++
		}
		at = end
	}
	b.WriteString(text[at:])
	return b.String(), found
}
