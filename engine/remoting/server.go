package remoting

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync/atomic"
	"time"

	"mqscope/engine/clock"
	"mqscope/engine/lifecycle"
)

// ServerConfig says how a Server serves. A field's zero means its default.
type ServerConfig struct {
	// Limits bound frames and what may wait to be written to one client.
	Limits Limits
	// Clock drives deadlines and idle times; default clock.System.
	Clock clock.Clock
	// Log gets connections that come and go; default none.
	Log *slog.Logger
	// Version, Language and Serialize are put on each command that goes out: as with Java's
	// servers, whatever the request said. Default 0, Java, JSON.
	Version   int32
	Language  Language
	Serialize SerializeType
	// Handler gets each request on its connection's reader, in order; it must not block. It
	// may keep req, and answer with p.Reply now or later. A panic is answered with code 1.
	Handler func(ctx context.Context, p *Peer, req *Command)
	// OnClose hears once of each connection that Handler may have seen, after its last
	// request; it must not block.
	OnClose func(p *Peer)
	// IdleAfter is how long a connection may be silent. Default 120 s, as
	// NettyServerConfig.serverChannelMaxIdleTimeSeconds.
	IdleAfter time.Duration
}

// Server takes connections and requests. Java: NettyRemotingServer.
type Server struct {
	cfg   ServerConfig
	pool  pool
	count counters
	ids   atomic.Uint64
}

// NewServer makes a server; Serve runs it.
func NewServer(cfg ServerConfig) *Server {
	if cfg.Clock == nil {
		cfg.Clock = clock.System{}
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.IdleAfter <= 0 {
		cfg.IdleAfter = 120 * time.Second
	}
	cfg.Limits = cfg.Limits.withDefaults()
	return &Server{cfg: cfg}
}

// Stats returns the counts since the start.
func (s *Server) Stats() Stats { return s.count.read() }

// acceptAgain is how long to wait after an accept that failed while the listener lives on,
// as when there are no file descriptors.
const acceptAgain = 50 * time.Millisecond

// Serve takes connections from ln, which it closes, until ctx ends. It returns when all
// connections have ended. It may run several times at once, with different listeners.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	g, _ := lifecycle.NewGroup(ctx)
	g.Go("closer of "+ln.Addr().String(), func(ctx context.Context) error {
		<-ctx.Done()
		return closed(ln.Close())
	})
	g.Go("accept on "+ln.Addr().String(), func(ctx context.Context) error {
		for {
			conn, err := ln.Accept()
			if err == nil {
				g.Go("connection of "+conn.RemoteAddr().String(), func(ctx context.Context) error { return s.serve(ctx, conn) })
				continue
			}
			if ctx.Err() != nil {
				return nil
			}
			if errors.Is(err, net.ErrClosed) {
				return fmt.Errorf("listener on %s: %w", ln.Addr(), err)
			}
			s.cfg.Log.Warn("accept", "listener", ln.Addr().String(), "err", err)
			if clock.Sleep(ctx, s.cfg.Clock, acceptAgain) != nil {
				return nil
			}
		}
	})
	return g.Wait()
}

// serve runs one connection.
func (s *Server) serve(ctx context.Context, conn net.Conn) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := &Peer{server: s, id: s.ids.Add(1), cancel: cancel}
	p.link = &link{
		addr: conn.RemoteAddr().String(), clock: s.cfg.Clock, limits: &s.cfg.Limits, pool: &s.pool, count: &s.count,
		idle: s.cfg.IdleAfter, language: s.cfg.Language, version: s.cfg.Version, onRequest: p.incoming,
	}
	p.link.start()
	s.cfg.Log.Debug("client connected", "addr", p.Addr())
	err := p.link.run(ctx, func(context.Context) (net.Conn, error) { return conn, nil })
	s.cfg.Log.Debug("client gone", "addr", p.Addr(), "err", err)
	if s.cfg.OnClose != nil {
		s.cfg.OnClose(p)
	}
	if _, bug := errors.AsType[*lifecycle.PanicError](err); bug {
		return err
	}
	return nil
}
