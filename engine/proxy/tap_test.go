package proxy

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"time"

	"mqscope/engine/capture"
	"mqscope/engine/capture/infer"
)

// tap is a capture of what a proxy says to servers, as a file of packets.
type tap struct {
	dial func(ctx context.Context, network, addr string) (net.Conn, error)

	mu    sync.Mutex
	file  bytes.Buffer
	conns uint16
}

// tapped is one connection of it.
type tapped struct {
	net.Conn
	t              *tap
	client, server netip.AddrPort
	seq            [2]uint32 // from client, from server
	over           bool
}

const (
	fin = 1 << 0
	syn = 1 << 1
	ack = 1 << 4
)

func newTap(dial func(context.Context, string, string) (net.Conn, error)) *tap {
	t := &tap{dial: dial}
	t.file.Write([]byte{0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 4, 0, 101, 0, 0, 0})
	return t
}

// Dial is that of the network, with the handshake on record.
func (t *tap) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	c, err := t.dial(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.conns++
	k := &tapped{Conn: c, t: t, client: netip.AddrPortFrom(netip.MustParseAddr("10.9.9.9"), 40000+t.conns), server: capture.AddrOf(c.RemoteAddr())}
	k.packet(true, syn, nil)
	k.packet(false, syn|ack, nil)
	return k, nil
}

// packet writes one; t.mu is held.
func (k *tapped) packet(fromClient bool, flags byte, data []byte) {
	src, dst, i := k.client, k.server, 0
	if !fromClient {
		src, dst, i = dst, src, 1
	}
	p := make([]byte, 40, 40+len(data))
	p[0], p[8], p[9] = 0x45, 64, 6
	binary.BigEndian.PutUint16(p[2:], uint16(40+len(data)))
	copy(p[12:], src.Addr().AsSlice())
	copy(p[16:], dst.Addr().AsSlice())
	binary.BigEndian.PutUint16(p[20:], src.Port())
	binary.BigEndian.PutUint16(p[22:], dst.Port())
	binary.BigEndian.PutUint32(p[24:], k.seq[i])
	binary.BigEndian.PutUint32(p[28:], k.seq[1-i])
	p[32], p[33] = 5<<4, flags|ack
	if flags == syn {
		p[33] = syn
	}
	p = append(p, data...)
	k.seq[i] += uint32(len(data))
	if flags&(syn|fin) != 0 {
		k.seq[i]++
	}
	now := time.Now()
	var head [16]byte
	binary.LittleEndian.PutUint32(head[:], uint32(now.Unix()))
	binary.LittleEndian.PutUint32(head[4:], uint32(now.Nanosecond()/1000))
	binary.LittleEndian.PutUint32(head[8:], uint32(len(p)))
	binary.LittleEndian.PutUint32(head[12:], uint32(len(p)))
	k.t.file.Write(head[:])
	k.t.file.Write(p)
}

// carry records data of one direction, in packets that IP can have.
func (k *tapped) carry(fromClient bool, b []byte) {
	k.t.mu.Lock()
	defer k.t.mu.Unlock()
	for part := range slices.Chunk(b, 60000) {
		k.packet(fromClient, ack, part)
	}
}

func (k *tapped) Write(b []byte) (int, error) {
	k.carry(true, b)
	return k.Conn.Write(b)
}

func (k *tapped) Read(b []byte) (int, error) {
	n, err := k.Conn.Read(b)
	k.carry(false, b[:n])
	return n, err
}

func (k *tapped) Close() error {
	k.t.mu.Lock()
	if !k.over {
		k.over = true
		k.packet(true, fin|ack, nil)
		k.packet(false, fin|ack, nil)
	}
	k.t.mu.Unlock()
	return k.Conn.Close()
}

// events infers what the packets tell.
func (t *tap) events(tb testing.TB) (all []infer.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r, err := capture.Read(bytes.NewReader(t.file.Bytes()), capture.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	in := infer.New()
	for {
		it, err := r.Next()
		if _, none := errors.AsType[*capture.NoTrafficError](err); none || errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			tb.Fatal(err)
		}
		all = append(all, in.Step(it)...)
	}
}

// factsOf are those that do not depend on which of two connections was read first, sorted.
func factsOf(all []infer.Event) (facts []string) {
	for _, e := range all {
		var words string
		switch f := e.Fact.(type) {
		case infer.MemberSeen:
			words = fmt.Sprintf("%+v", f)
		case infer.MemberLeft:
			words = fmt.Sprintf("%s of %s", f.Client, f.Group)
		case infer.Assigned:
			words = fmt.Sprintf("%s %v", f.Group, f.Queue)
		case infer.BrokerAssigned:
			words = fmt.Sprintf("%s %v", f.Group, f.Queues)
		case infer.Committed:
			words = fmt.Sprintf("%s %v %d by %s: %v", f.Group, f.Queue, f.Offset, f.How, f.Code)
		case infer.NoCommit:
			words = fmt.Sprintf("%s %v", f.Group, f.Queue)
		case infer.PullDone:
			words = fmt.Sprintf("%s %v from %d: %v %v next %d in [%d, %d) %v %d bytes", f.Group, f.Queue, f.Offset, f.Status, f.Code, f.Next, f.Min, f.Max, f.Offsets, f.Bytes)
		case infer.Locked:
			words = fmt.Sprintf("%s of %s: %v but not %v", f.Client, f.Group, f.Held, f.Refuse)
		case infer.Unlocked:
			words = fmt.Sprintf("%s of %s: %v", f.Client, f.Group, f.Queues)
		case infer.Stored:
			words = fmt.Sprintf("%v %d", f.Queue, f.Offset)
		case infer.SentBack:
			words = fmt.Sprintf("%s %s %d: %v", f.Group, f.MsgID, f.Offset, f.Code)
		case infer.RouteSeen:
			words = fmt.Sprintf("%s %v %v %v", f.Topic, f.Code, f.Queues, f.Brokers)
		case infer.Failed:
			words = fmt.Sprintf("%v %v %s", f.Request, f.Code, f.Remark)
		case infer.Unreadable:
			words = fmt.Sprintf("%v %s", f.Request, f.Text)
		case infer.MembersChanged:
			words = f.Group
		case infer.Popped, infer.Acked, infer.Deferred, infer.ResetOrdered:
			words = infer.Words(f)
		default:
			continue
		}
		facts = append(facts, infer.Kind(e.Fact)+": "+words)
	}
	slices.Sort(facts)
	return facts
}
