package capture

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
)

// ErrNotACapture: the input is not a packet capture at all.
var ErrNotACapture = errors.New("not a packet capture")

// packet is one packet of the file. Its data is good until the next one is read.
type packet struct {
	at   time.Time
	data []byte
	cut  int // bytes that the snap length took from its end
	link layers.LinkType
}

// source reads packets of either file format.
type source struct {
	read  func() ([]byte, gopacket.CaptureInfo, error)
	link  layers.LinkType
	mixed bool // each packet says its own link type
}

const (
	readAhead  = 256 << 10
	magicNG    = 0x0A0D0D0A
	longestCut = 64 << 20 // a packet that claims to have been longer is not believed
	// longestPacket is beyond what any system captures at once, which is 256 KiB.
	longestPacket = 16 << 20
)

// openSource finds the format out from the first bytes; either may be gzipped.
func openSource(r io.Reader) (*source, error) {
	in := bufio.NewReaderSize(r, readAhead)
	head, err := in.Peek(4)
	if len(head) >= 2 && head[0] == 0x1f && head[1] == 0x8b {
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrNotACapture, err)
		}
		in = bufio.NewReaderSize(z, readAhead)
		head, err = in.Peek(4)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
	}
	switch {
	case len(head) == 0 && (err == nil || errors.Is(err, io.EOF)):
		return nil, fmt.Errorf("%w: the file is empty", ErrNotACapture)
	case len(head) < 4:
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		return nil, fmt.Errorf("%w: the file has only %d bytes", ErrNotACapture, len(head))
	}
	if binary.BigEndian.Uint32(head) == magicNG {
		return openNG(in)
	}
	switch binary.LittleEndian.Uint32(head) {
	case 0xA1B2C3D4, 0xD4C3B2A1, 0xA1B23C4D, 0x4D3CB2A1:
	default:
		return nil, fmt.Errorf("%w: it begins with % x, which is neither pcap nor pcapng", ErrNotACapture, head)
	}
	f, err := pcapgo.NewReader(in)
	if err != nil {
		return nil, fmt.Errorf("%w: header of the pcap file: %w", ErrNotACapture, fileEnd(err))
	}
	f.SetSnaplen(min(f.Snaplen(), longestPacket))
	return &source{read: f.ZeroCopyReadPacketData, link: f.LinkType()}, nil
}

func openNG(in *bufio.Reader) (*source, error) {
	f, err := pcapgo.NewNgReader(in, pcapgo.NgReaderOptions{WantMixedLinkType: true, SkipUnknownVersion: true})
	if err != nil {
		return nil, fmt.Errorf("%w: header of the pcapng file: %w", ErrNotACapture, fileEnd(err))
	}
	return &source{read: f.ZeroCopyReadPacketData, mixed: true}, nil
}

// fileEnd says of an end inside something that it is one.
func fileEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// next returns the next packet; io.EOF between packets is the end.
func (s *source) next(p *packet) error {
	data, info, err := s.read()
	if err != nil {
		if errors.Is(err, io.EOF) && !s.mixed && info.CaptureLength > 0 {
			return io.ErrUnexpectedEOF // after the header of a packet
		}
		return err
	}
	p.at, p.data, p.link = info.Timestamp, data, s.link
	p.cut = min(max(info.Length-info.CaptureLength, 0), longestCut)
	if s.mixed {
		p.link = layers.LinkTypeNull
		if len(info.AncillaryData) > 0 {
			if l, ok := info.AncillaryData[0].(layers.LinkType); ok {
				p.link = l
			}
		}
	}
	return nil
}
