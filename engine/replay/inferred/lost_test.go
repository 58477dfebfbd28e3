package inferred

import (
	"bytes"
	"encoding/binary"
	"path/filepath"
	"strings"
	"testing"

	"mqscope/engine/capture"
	"mqscope/engine/capture/infer/infertest"
	"mqscope/engine/replay"
	"mqscope/engine/snapshot"
)

// packets are those of a capture in pcap, each with its header.
func packets(t *testing.T, data []byte) (head []byte, all [][]byte) {
	t.Helper()
	head, data = data[:24], data[24:]
	for len(data) > 0 {
		n := 16 + int(binary.LittleEndian.Uint32(data[8:]))
		all = append(all, data[:n:n])
		data = data[n:]
	}
	return head, all
}

// payload is what a packet of these captures, Ethernet and IPv4, carries by TCP.
func payload(packet []byte) []byte {
	ip := packet[16+14:]
	tcp := ip[int(ip[0]&15)*4 : binary.BigEndian.Uint16(ip[2:])]
	return tcp[int(tcp[12]>>4)*4:]
}

// TestPacketsThatAreMissingAreMarked: a gap is an event that one can jump to, and counted.
func TestPacketsThatAreMissingAreMarked(t *testing.T) {
	head, all := packets(t, infertest.Capture(t, "push-concurrent"))
	data := bytes.Clone(head)
	for i, p := range all {
		if i%200 != 199 || len(payload(p)) == 0 {
			data = append(data, p...)
		}
	}
	path, s := imported(t, data, ImportOptions{})
	if s.Gaps == 0 || s.Stats.Notes[capture.NoteGap] == 0 {
		t.Fatalf("%d gaps, notes %v", s.Gaps, s.Stats.Notes)
	}
	tr := play(t, path, replay.Options{})
	var gaps int
	for m, err := range tr.Moments(0) {
		if err != nil {
			t.Fatal(err)
		}
		if m.Interest == snapshot.InterestGap {
			gaps++
			if m.Kind != "noted" || m.Level < snapshot.Warn {
				t.Errorf("%+v", m)
			}
		}
	}
	if gaps < s.Gaps {
		t.Errorf("%d of %d gaps are marked", gaps, s.Gaps)
	}
}

// TestTrafficUnderTLSIsSaid has all of a capture look encrypted, and then one connection of it.
func TestTrafficUnderTLSIsSaid(t *testing.T) {
	encrypted := func(only string) []byte {
		head, all := packets(t, infertest.Capture(t, "push-concurrent"))
		data := bytes.Clone(head)
		for _, p := range all {
			p = bytes.Clone(p)
			ip := p[16+14:]
			tcp := ip[int(ip[0]&15)*4:]
			ports := string(tcp[:4])
			if only == "" || ports == only || ports == only[2:]+only[:2] {
				if body := payload(p); len(body) > 5 {
					copy(body, []byte{0x16, 3, 3, byte((len(body) - 5) >> 8), byte(len(body) - 5)})
				}
			}
			data = append(data, p...)
		}
		return data
	}
	_, err := Import(t.Context(), bytes.NewReader(encrypted("")), filepath.Join(t.TempDir(), "x.mqrec"), ImportOptions{})
	if err == nil || !strings.Contains(err.Error(), "TLS") || !strings.Contains(err.Error(), "no RocketMQ traffic") {
		t.Errorf("all of it: %v", err)
	}
	_, all := packets(t, infertest.Capture(t, "push-concurrent"))
	var ports string
	for _, p := range all { // the connection of a handshake
		ip := p[16+14:]
		tcp := ip[int(ip[0]&15)*4:]
		if tcp[13]&0x3f == 2 {
			ports = string(tcp[:4])
		}
	}
	if ports == "" {
		t.Fatal("no handshake")
	}
	if _, s := imported(t, encrypted(ports), ImportOptions{}); s.Stats.Notes[capture.NoteTLS] != 1 || s.Events == 0 {
		t.Errorf("one connection: notes %v, %d events", s.Stats.Notes, s.Events)
	}
}
