package tap

import (
	"bytes"
	"net"
	"sync"

	"mqscope/engine/capture/observer"
)

// seen is a connection whose bytes a Tap sees.
type seen struct {
	net.Conn
	view *observer.View
	once sync.Once
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
	s.once.Do(func() { s.view.Close("closed") })
	return s.Conn.Close()
}

func (s *seen) show(down bool, p []byte) {
	if len(p) > 0 {
		s.view.Data(down, bytes.Clone(p), nil)
	}
}
