// Contract: the two kinds of message id, both upper-case hex of 32 (IPv4) or 56 (IPv6)
// characters, which the text alone can not tell apart. The offset id names the place: store
// host, port, commit-log offset; brokers find messages by it. The unique id is the producer's:
// address, process id, loader hash, ms since the start of the month, counter.

package protocol

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"time"
)

const (
	idBytesV4 = 4 + 4 + 8
	idBytesV6 = 16 + 4 + 8
)

// OffsetID names the message at a commit-log offset of a broker (Java:
// MessageDecoder.createMessageId).
func OffsetID(storeHost netip.AddrPort, physicalOffset int64) string {
	raw := appendHost(make([]byte, 0, idBytesV6), storeHost)
	raw = binary.BigEndian.AppendUint64(raw, uint64(physicalOffset))
	return strings.ToUpper(hex.EncodeToString(raw))
}

// ParseOffsetID reads an offset id in either case. Unlike Java it refuses characters that are
// no hex digits, and ports over 65535, which unique ids often make when read as an offset id
// (Java: MessageDecoder.decodeMessageId).
func ParseOffsetID(id string) (storeHost netip.AddrPort, physicalOffset int64, err error) {
	raw, err := idBytes(id)
	if err != nil {
		return netip.AddrPort{}, 0, err
	}
	addr, _ := netip.AddrFromSlice(raw[:len(raw)-12])
	port := binary.BigEndian.Uint32(raw[len(raw)-12:])
	if port > 0xFFFF {
		return netip.AddrPort{}, 0, fmt.Errorf("%s is no offset id (it would be port %d): it may be a "+
			"unique id, which is looked up by QueryMessage", clipped(id), port)
	}
	offset := int64(binary.BigEndian.Uint64(raw[len(raw)-8:]))
	return netip.AddrPortFrom(addr, uint16(port)), offset, nil
}

func idBytes(id string) ([]byte, error) {
	if len(id) != 2*idBytesV4 && len(id) != 2*idBytesV6 {
		return nil, fmt.Errorf("message id %s has %d characters: want %d or %d hex digits",
			clipped(id), len(id), 2*idBytesV4, 2*idBytesV6)
	}
	raw, err := hex.DecodeString(id)
	if err != nil {
		return nil, fmt.Errorf("message id %s: want hex digits only", clipped(id))
	}
	return raw, nil
}

// UniqueID is what a unique id is made of (Java: MessageClientIDSetter).
type UniqueID struct {
	IP          netip.Addr
	ProcessID   uint16 // the low 16 bits
	LoaderHash  uint32
	MonthMillis uint32 // ms since the start of the month in the producer's time zone
	Counter     uint16
}

// String writes the id.
func (u UniqueID) String() string {
	raw := make([]byte, 0, idBytesV6)
	raw = append(raw, u.IP.AsSlice()...)
	be := binary.BigEndian
	raw = be.AppendUint16(raw, u.ProcessID)
	raw = be.AppendUint32(raw, u.LoaderHash)
	raw = be.AppendUint32(raw, u.MonthMillis)
	raw = be.AppendUint16(raw, u.Counter)
	return strings.ToUpper(hex.EncodeToString(raw))
}

// ParseUniqueID takes a unique id apart. Ids of other clients may have other parts in the same
// places: the Go client of Apache counts seconds, not milliseconds.
func ParseUniqueID(id string) (UniqueID, error) {
	raw, err := idBytes(id)
	if err != nil {
		return UniqueID{}, err
	}
	addr, _ := netip.AddrFromSlice(raw[:len(raw)-12])
	tail := raw[len(raw)-12:]
	be := binary.BigEndian
	return UniqueID{
		IP: addr, ProcessID: be.Uint16(tail), LoaderHash: be.Uint32(tail[2:]),
		MonthMillis: be.Uint32(tail[6:]), Counter: be.Uint16(tail[10:]),
	}, nil
}

// UniqueIDs makes the unique ids of one producer. Safe for many goroutines.
type UniqueIDs struct {
	ip     netip.Addr
	pid    uint16
	loader uint32

	mu      sync.Mutex
	counter uint16
}

// NewUniqueIDs returns a maker of ids. loader keeps producers in one process apart: take it
// from a source of chance. An invalid ip stands as 0.0.0.0.
func NewUniqueIDs(ip netip.Addr, pid int, loader uint32) *UniqueIDs {
	ip = ip.Unmap().WithZone("")
	if !ip.IsValid() {
		ip = netip.IPv4Unspecified()
	}
	return &UniqueIDs{ip: ip, pid: uint16(pid), loader: loader}
}

// Next makes the id of a message born now; the time zone of now says when the month began.
func (u *UniqueIDs) Next(now time.Time) string {
	month := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, now.Location())
	u.mu.Lock()
	n := u.counter
	u.counter++
	u.mu.Unlock()
	return UniqueID{
		IP: u.ip, ProcessID: u.pid, LoaderHash: u.loader,
		MonthMillis: uint32(now.Sub(month).Milliseconds()), Counter: n,
	}.String()
}
