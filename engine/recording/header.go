package recording

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Version is the newest format version that this program reads, and the one that it writes.
const Version = 1

const (
	magic     = "MQREC\r\n\x1a"
	headLen   = 20
	maxHeader = 256 << 10
	metaName  = "meta."
)

// Header is what a recording says of itself.
type Header struct {
	Program string    // that wrote it, with its version
	Created time.Time // when the recording began
	Source  string    // live, proxy, import, simulation …
	Cluster string
	Group   string
	Bodies  string // what is kept of message bodies
	Secrets string // what is kept of signatures, keys and properties that are denied
	First   uint64 // number of the first record
	Meta    map[string]string
}

func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

// encode returns the header of a file.
func (h Header) encode() ([]byte, error) {
	pairs := map[string]string{
		"program": h.Program, "source": h.Source, "cluster": h.Cluster,
		"group": h.Group, "bodies": h.Bodies, "secrets": h.Secrets,
	}
	if !h.Created.IsZero() {
		pairs["created"] = strconv.FormatInt(nanoseconds(h.Created), 10)
	}
	if h.First > maxNumber {
		return nil, fmt.Errorf("number of the first record: %d, at most %d", h.First, uint64(maxNumber))
	}
	if h.First > 0 {
		pairs["first"] = strconv.FormatUint(h.First, 10)
	}
	for name, value := range h.Meta {
		pairs[metaName+name] = value
	}
	out := make([]byte, headLen, 512)
	copy(out, magic)
	binary.LittleEndian.PutUint16(out[8:], Version)
	for _, name := range slices.Sorted(maps.Keys(pairs)) {
		value := pairs[name]
		if value == "" && !strings.HasPrefix(name, metaName) {
			continue
		}
		if len(name) > 0xffff || len(name)+len(value) > maxHeader {
			return nil, fmt.Errorf("header: %.20q is too long, a header has at most %d bytes", name, maxHeader)
		}
		out = binary.LittleEndian.AppendUint16(out, uint16(len(name)))
		out = binary.LittleEndian.AppendUint32(out, uint32(len(value)))
		out = append(append(out, name...), value...)
	}
	if len(out)-headLen > maxHeader {
		return nil, fmt.Errorf("header of %d bytes, at most %d", len(out)-headLen, maxHeader)
	}
	binary.LittleEndian.PutUint32(out[12:], uint32(len(out)-headLen))
	binary.LittleEndian.PutUint32(out[16:], headerCRC(out))
	return out, nil
}

func headerCRC(whole []byte) uint32 {
	table := castagnoli()
	return crc32.Update(crc32.Checksum(whole[:16], table), table, whole[headLen:])
}

// idOf is the id of the file that begins so.
func idOf(whole []byte) uint64 {
	sum := sha256.Sum256(whole)
	return binary.LittleEndian.Uint64(sum[:])
}

// bodyLen checks the first headLen bytes of a file and returns how many follow.
func bodyLen(head []byte) (int, error) {
	if !strings.HasPrefix(string(head), magic) {
		return 0, notOurs(head)
	}
	if n := binary.LittleEndian.Uint32(head[12:]); n <= maxHeader {
		return int(n), nil
	}
	return 0, errHeader
}

var (
	errHeader     = errors.New("the header is damaged: copy the file again from where it was recorded")
	errHeaderPair = errors.New("the header is malformed: it was not written by mqscope")
)

// decodeHeader reads a whole header; bodyLen was asked for its length.
func decodeHeader(whole []byte) (Header, error) {
	if headerCRC(whole) != binary.LittleEndian.Uint32(whole[16:]) {
		return Header{}, errHeader
	}
	if v := binary.LittleEndian.Uint16(whole[8:]); v != Version {
		return Header{}, &VersionError{Version: int(v)}
	}
	if whole[10] != 0 || whole[11] != 0 {
		return Header{}, errHeaderPair
	}
	var h Header
	last := ""
	for body := whole[headLen:]; len(body) > 0; {
		name, value, rest, err := takePair(body)
		if err != nil || name <= last {
			return Header{}, errHeaderPair
		}
		if err := h.set(name, value); err != nil {
			return Header{}, err
		}
		last, body = name, rest
	}
	return h, nil
}

func takePair(body []byte) (name, value string, rest []byte, err error) {
	if len(body) < 6 {
		return "", "", nil, errHeaderPair
	}
	n, v := int(binary.LittleEndian.Uint16(body)), int64(binary.LittleEndian.Uint32(body[2:]))
	body = body[6:]
	if int64(n)+v > int64(len(body)) {
		return "", "", nil, errHeaderPair
	}
	return string(body[:n]), string(body[n : int64(n)+v]), body[int64(n)+v:], nil
}

func (h *Header) set(name, value string) error {
	switch name {
	case "program":
		h.Program = value
	case "source":
		h.Source = value
	case "cluster":
		h.Cluster = value
	case "group":
		h.Group = value
	case "bodies":
		h.Bodies = value
	case "secrets":
		h.Secrets = value
	case "created":
		ns, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return errHeaderPair
		}
		h.Created = timeOf(ns)
	case "first":
		n, err := strconv.ParseUint(value, 10, 64)
		if err != nil || n > maxNumber {
			return errHeaderPair
		}
		h.First = n
	default:
		if key, ok := strings.CutPrefix(name, metaName); ok {
			if h.Meta == nil {
				h.Meta = map[string]string{}
			}
			h.Meta[key] = value
		}
	}
	return nil
}
