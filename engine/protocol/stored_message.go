// Contract: writes one stored message (Java: MessageExtEncoder). V1 unless the topic is longer
// than 127 bytes; the IPv6 bits of the sysFlag follow the hosts; size and checksum are
// computed. Topics and properties over 32767 bytes are refused. There is no alignment and no
// end-of-file filler: those belong to a commit log file.

package protocol

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"net/netip"

	"mqscope/engine/mq"
)

// StoredMessage is what a broker stores of a message (Java: MessageExtBrokerInner).
type StoredMessage struct {
	QueueID                   int32
	Flag                      int32 // the user's own
	QueueOffset               int64 // logical offset
	PhysicalOffset            int64 // commit-log offset
	SysFlag                   int32 // the IPv6 bits are set by AppendMessage
	BornTime                  int64 // ms
	BornHost                  netip.AddrPort
	StoreTime                 int64 // ms
	StoreHost                 netip.AddrPort
	ReconsumeTimes            int32
	PreparedTransactionOffset int64
	Body                      []byte // as stored: compressed if SysFlag says so
	Topic                     string
	Properties                []byte // properties text
}

// AppendMessage appends the stored form of m to dst. An invalid host is written as 0.0.0.0.
func AppendMessage(dst []byte, m *StoredMessage) ([]byte, error) {
	if len(m.Topic) > maxTopicV2 {
		return dst, fmt.Errorf("topic of %d bytes: at most %d can be stored", len(m.Topic), maxTopicV2)
	}
	if len(m.Properties) > maxPropertyText {
		return dst, fmt.Errorf("properties of %d bytes: at most %d can be stored", len(m.Properties), maxPropertyText)
	}
	if len(m.Body) > math.MaxInt32/2 {
		return dst, fmt.Errorf("body of %d bytes: at most %d can be stored", len(m.Body), math.MaxInt32/2)
	}
	sysFlag := m.SysFlag &^ (mq.BornHostV6Flag | mq.StoreHostV6Flag)
	if isV6(m.BornHost) {
		sysFlag |= mq.BornHostV6Flag
	}
	if isV6(m.StoreHost) {
		sysFlag |= mq.StoreHostV6Flag
	}

	from := len(dst)
	be := binary.BigEndian
	dst = be.AppendUint32(dst, 0) // size, patched below
	if len(m.Topic) > maxTopicV1 {
		dst = be.AppendUint32(dst, MagicV2)
	} else {
		dst = be.AppendUint32(dst, MagicV1)
	}
	dst = be.AppendUint32(dst, BodyCRC(m.Body))
	dst = be.AppendUint32(dst, uint32(m.QueueID))
	dst = be.AppendUint32(dst, uint32(m.Flag))
	dst = be.AppendUint64(dst, uint64(m.QueueOffset))
	dst = be.AppendUint64(dst, uint64(m.PhysicalOffset))
	dst = be.AppendUint32(dst, uint32(sysFlag))
	dst = be.AppendUint64(dst, uint64(m.BornTime))
	dst = appendHost(dst, m.BornHost)
	dst = be.AppendUint64(dst, uint64(m.StoreTime))
	dst = appendHost(dst, m.StoreHost)
	dst = be.AppendUint32(dst, uint32(m.ReconsumeTimes))
	dst = be.AppendUint64(dst, uint64(m.PreparedTransactionOffset))
	dst = be.AppendUint32(dst, uint32(len(m.Body)))
	dst = append(dst, m.Body...)
	if len(m.Topic) > maxTopicV1 {
		dst = be.AppendUint16(dst, uint16(len(m.Topic)))
	} else {
		dst = append(dst, byte(len(m.Topic)))
	}
	dst = append(dst, m.Topic...)
	dst = be.AppendUint16(dst, uint16(len(m.Properties)))
	dst = append(dst, m.Properties...)
	be.PutUint32(dst[from:], uint32(len(dst)-from))
	return dst, nil
}

// isV6 tells whether a host is stored as an IPv6 one. An IPv4 address inside IPv6 is stored as
// IPv4, as Java's InetAddress does it.
func isV6(h netip.AddrPort) bool { return h.Addr().Unmap().Is6() }

// appendHost writes the address of h, then its port in four bytes.
func appendHost(dst []byte, h netip.AddrPort) []byte {
	switch addr := h.Addr().Unmap(); {
	case addr.Is6():
		b := addr.As16()
		dst = append(dst, b[:]...)
	case addr.Is4():
		b := addr.As4()
		dst = append(dst, b[:]...)
	default:
		dst = append(dst, 0, 0, 0, 0)
	}
	return binary.BigEndian.AppendUint32(dst, uint32(h.Port()))
}

// BodyCRC is the checksum of a stored body: CRC-32 (IEEE) without its highest bit, over the
// bytes as stored (Java: UtilAll.crc32).
func BodyCRC(body []byte) uint32 { return crc32.ChecksumIEEE(body) & math.MaxInt32 }

// CheckCRC tells whether m's body is the one that its checksum was made of. Java clients do
// not check by default, and their own encoder writes zero: a zero is taken for "not set".
func CheckCRC(m mq.Message) bool {
	stored := m.BodyCRC()
	return stored == 0 || stored == BodyCRC(m.StoredBody())
}
