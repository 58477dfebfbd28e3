// Package capture reads what a client and its brokers said to each other out of a packet
// capture: packets, TCP streams, remoting frames, and requests paired with their answers.
//
// Nothing is guessed. Bytes that the capture lost, or cut off by its snap length, are a
// marked gap: a frame whose header is whole is kept and says what is missing of its body,
// any other is counted as lost, and reading goes on at a frame boundary that is known from
// sequence numbers, or found again from a whole, plausible header.
//
// A Reader belongs to one goroutine and starts none. It reads its input once, front to back,
// and holds a bounded number of connections, requests and bytes whatever the input claims;
// what it had to give up is among its notes. There is no Java counterpart. Making sense of the
// exchanges is left to package infer.
//
// The file formats are read by pcapgo of github.com/gopacket/gopacket (BSD-3-Clause), the
// maintained fork of google/gopacket, which gets no releases any more; it is pure Go, without
// libpcap. Packets are taken apart here and not by its layers, because these say that a snap
// length took bytes away but not how many, and streams are put in order here because whether
// a packet is late or lost is judged by acknowledgements, time and the bounds of Options. The
// tests make their packets with its serialiser. Fragments of IP packets are not put together,
// and tunnels are not looked into: both are counted in Stats.NotRead.
package capture
