package tap

import (
	"bytes"
	"net"
	"sync"

	"mqscope/engine/capture"
)

// seen is a connection whose bytes a Tap sees.
type seen struct {
	net.Conn
	tap    *Tap
	link   *capture.Link // Run's goroutine alone
	missed [2]int        // bytes to and from the server that were not put into the queue; tap.mu
	once   sync.Once
}

// Read shows what came.
func (s *seen) Read(p []byte) (int, error) {
	n, err := s.Conn.Read(p)
	s.show(true, p[:n])
	return n, err
}

// Write shows p before it is under way: an answer to it is seen later.
func (s *seen) Write(p []byte) (int, error) {
	s.show(false, p)
	return s.Conn.Write(p)
}

// Close tells of the end, once.
func (s *seen) Close() error {
	s.once.Do(func() { s.tap.put(glimpse{kind: closed, conn: s}, entryCost) })
	return s.Conn.Close()
}

func (s *seen) show(down bool, p []byte) {
	if len(p) > 0 {
		s.tap.put(glimpse{kind: carried, conn: s, down: down, bytes: bytes.Clone(p)}, entryCost+len(p))
	}
}
