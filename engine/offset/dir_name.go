package offset

import (
	"crypto/sha256"
	"encoding/hex"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// nameMark stands before names that are not as they came. It can not begin a group name.
	nameMark = '~'
	// maxNameBytes is what file systems take for one name.
	maxNameBytes = 255
	// keptBytes of a name that is too long are kept before its digest.
	keptBytes = 100
)

// DirName turns a client id or a group into the name of its directory. A name that this
// operating system takes stays as it is, where Java's clients have theirs. Others, and those
// that begin with a tilde, get a tilde in front and %XX for what is not safe; too long ones
// are cut and end in a digest. Different ids have different names.
func DirName(id string) string { return dirName(id, runtime.GOOS == "windows") }

func dirName(id string, windows bool) string {
	if isSafeName(id, windows) {
		return id
	}
	const hexDigits = "0123456789ABCDEF"
	out := []byte{nameMark}
	for i := range len(id) {
		c := id[i]
		if isPlainByte(c) && (c != '.' || i < len(id)-1) {
			out = append(out, c)
			continue
		}
		out = append(out, '%', hexDigits[c>>4], hexDigits[c&15])
	}
	if len(out) <= maxNameBytes {
		return string(out)
	}
	digest := sha256.Sum256([]byte(id))
	out = append(out[:keptBytes], nameMark)
	return string(hex.AppendEncode(out, digest[:16]))
}

// isSafeName tells whether a name can be used as it is.
func isSafeName(id string, windows bool) bool {
	if id == "" || id == "." || id == ".." || id[0] == nameMark || len(id) > maxNameBytes || !utf8.ValidString(id) {
		return false
	}
	if strings.ContainsFunc(id, func(r rune) bool { return r < ' ' || r == 0x7f || r == '/' }) {
		return false
	}
	return !windows || isSafeOnWindows(id)
}

// isSafeOnWindows knows the characters, endings and device names that can not be used there.
func isSafeOnWindows(id string) bool {
	if strings.ContainsAny(id, `<>:"\|?*`) || strings.HasSuffix(id, ".") || strings.HasSuffix(id, " ") {
		return false
	}
	base, _, _ := strings.Cut(id, ".")
	base = strings.ToUpper(strings.TrimRight(base, " "))
	if slices.Contains([]string{"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"}, base) {
		return false
	}
	port, isPort := strings.CutPrefix(base, "COM")
	if !isPort {
		port, isPort = strings.CutPrefix(base, "LPT")
	}
	return !isPort || !strings.Contains("0123456789¹²³", port) || utf8.RuneCountInString(port) != 1
}

func isPlainByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte(".-_@#=+,", c) >= 0
}
