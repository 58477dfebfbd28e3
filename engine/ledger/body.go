package ledger

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"strconv"
)

// Body is a message that says whose it is: the run, the producer, its number there, a key and
// a checksum over all of it, size bytes long if that is enough.
func Body(run uint64, producer string, number int64, size int) []byte {
	b := fmt.Appendf(nil, "run %d producer %s number %d key k-%s-%d", run, producer, number, producer, number)
	if pad := size - len(b) - sumBytes; pad > 0 {
		b = append(append(b, ' '), bytes.Repeat([]byte{'.'}, pad-1)...)
	}
	return fmt.Appendf(b, " %08x", crc32.ChecksumIEEE(b))
}

const sumBytes = 9 // a blank and the checksum

// Whole tells whether a body is one of Body's, to the last byte.
func Whole(body []byte) bool {
	at := len(body) - sumBytes
	if at < 0 || body[at] != ' ' {
		return false
	}
	sum, err := strconv.ParseUint(string(body[at+1:]), 16, 32)
	return err == nil && uint32(sum) == crc32.ChecksumIEEE(body[:at])
}
