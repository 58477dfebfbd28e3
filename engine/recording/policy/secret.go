package policy

import (
	"slices"
	"strings"
	"unicode"
)

// fold is one rune for all that are the same letter: long s and the Kelvin sign too.
func fold(r rune) rune {
	least := r
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		least = min(least, next)
	}
	return least
}

// plain leaves letters and digits of a name: access-key and access_key are the same.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return fold(r)
	}, name)
}

// secretWords are parts of names of secrets, folded. RocketMQ's own are AccessKey, Signature and
// SecurityToken in a command's fields.
func secretWords() []string {
	return []string{
		"ACCESSKEY", "SECRETKEY", "APIKEY", "PRIVATEKEY", "SIGNATURE", "TOKEN", "PASSWORD", "PASSWD", "PASSPHRASE",
		"SECRET", "CREDENTIAL", "AUTHORIZATION", "COOKIE", "SESSIONID",
	}
}

const shortestWord = len("TOKEN")

// Secret tells whether what has this name is a secret: it is never written.
func Secret(name string) bool {
	switch plain(name) {
	case "AK", "SK", "PWD", "PASS", "AUTH", "JWT", "BEARER":
		return true
	}
	return hasSecret(name)
}

func hasSecret(name string) bool {
	name = plain(name)
	return len(name) >= shortestWord && slices.ContainsFunc(secretWords(), func(word string) bool { return strings.Contains(name, word) })
}

// secretIn is Secret for names in free text, where "pass=3" is none, nor is "SecretService: up" in
// a sentence.
func secretIn(name string, sentence bool) bool {
	switch name := plain(name); {
	case name == "AK", name == "SK", name == "PWD", name == "JWT":
		return !sentence
	case !sentence:
		return hasSecret(name)
	case strings.HasSuffix(name, "CREDENTIALS"):
		return true
	default:
		name = strings.TrimSuffix(name, "ID")
		return slices.ContainsFunc(secretWords(), func(word string) bool { return strings.HasSuffix(name, word) })
	}
}
