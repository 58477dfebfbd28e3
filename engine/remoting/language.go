package remoting

import (
	"strconv"
	"strings"
)

// SerializeType is how a header is encoded. Java: SerializeType.
type SerializeType uint8

// The header encodings, by their number on the wire.
const (
	JSON     SerializeType = 0
	RocketMQ SerializeType = 1
)

// String gives the Java name.
func (t SerializeType) String() string {
	switch t {
	case JSON:
		return "JSON"
	case RocketMQ:
		return "ROCKETMQ"
	default:
		return "SerializeType(" + strconv.Itoa(int(t)) + ")"
	}
}

// Language is what the sender of a command is written in. Java: LanguageCode, where code
// and ordinal are equal.
type Language uint8

// The languages, by their number on the wire.
const (
	Java Language = iota
	CPP
	DotNet
	Python
	Delphi
	Erlang
	Ruby
	Other
	HTTP
	Go
	PHP
	OMS
	Rust
	NodeJS

	// UnknownLanguage stands for a name that is not in the list, Java's null.
	UnknownLanguage Language = 255
)

// name gives the Java name, or "" for a number without one.
func (l Language) name() string {
	switch l {
	case Java:
		return "JAVA"
	case CPP:
		return "CPP"
	case DotNet:
		return "DOTNET"
	case Python:
		return "PYTHON"
	case Delphi:
		return "DELPHI"
	case Erlang:
		return "ERLANG"
	case Ruby:
		return "RUBY"
	case Other:
		return "OTHER"
	case HTTP:
		return "HTTP"
	case Go:
		return "GO"
	case PHP:
		return "PHP"
	case OMS:
		return "OMS"
	case Rust:
		return "RUST"
	case NodeJS:
		return "NODE_JS"
	default:
		return ""
	}
}

// String gives the Java name; a number that has none is shown as it is.
func (l Language) String() string {
	if n := l.name(); n != "" {
		return n
	}
	if l == UnknownLanguage {
		return "UNKNOWN"
	}
	return "LANGUAGE_" + strconv.Itoa(int(l))
}

// parseLanguage finds a name without regard to case, as Java's reader does.
func parseLanguage(s string) Language {
	for l := Java; l <= NodeJS; l++ {
		if n := l.name(); n == s || len(n) == len(s) && strings.EqualFold(n, s) {
			return l
		}
	}
	return UnknownLanguage
}
