package client

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"mqscope/engine/remoting"
	"mqscope/engine/snapshot"
)

// nameServers chooses which name server is asked: round robin from a random start, one kept
// until it fails (Java: NettyRemotingClient.getAndCreateNameserverChannel).
type nameServers struct {
	mu   sync.Mutex
	list []string
	at   int
}

func newNameServers(list []string, start int) *nameServers {
	return &nameServers{list: list, at: start}
}

func (s *nameServers) chosen() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.list[s.at]
}

// all returns the list in the order that servers are tried, the chosen one first.
func (s *nameServers) all() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append(slices.Clone(s.list[s.at:]), s.list[:s.at]...)
}

// failed moves on to the next server, unless that was done since addr was chosen.
func (s *nameServers) failed(addr string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.list[s.at] == addr {
		s.at = (s.at + 1) % len(s.list)
	}
}

// replace takes a new list and returns the servers that are in it no longer. The chosen one
// stays when it is still listed.
func (s *nameServers) replace(list []string, start int) (removed []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.list {
		if !slices.Contains(list, a) {
			removed = append(removed, a)
		}
	}
	at := slices.Index(list, s.list[s.at])
	if at < 0 {
		at = start
	}
	s.list, s.at = list, at
	return removed
}

// askNameServer sends the request that make builds to the chosen name server and, while
// servers fail to answer, to the others in turn. An answer with any code counts as one.
func (i *Instance) askNameServer(ctx context.Context, make func() *remoting.Command) (*remoting.Command, string, error) {
	var errs []error
	for range len(i.servers.all()) {
		addr := i.servers.chosen()
		cmd, err := i.call(ctx, addr, make(), i.cfg.CallTimeout)
		if err == nil {
			return cmd, addr, nil
		}
		if i.over(ctx) != nil || errors.Is(err, ErrNotRunning) {
			return nil, addr, err
		}
		errs = append(errs, err)
		i.servers.failed(addr)
		if next := i.servers.chosen(); next != addr {
			i.log.Warn("name server changed", "from", addr, "to", next, "err", err)
		}
	}
	return nil, "", fmt.Errorf("%w: %w", ErrNoNameServer, joined(errs))
}

// SetNameServers replaces the list. Connections to servers that are not in it any more are
// closed, and if the chosen one is among them another is chosen; routes are refreshed then.
// The error names every address that is none; the old list stays then.
func (i *Instance) SetNameServers(list []string) error {
	list, err := normalServers(list)
	if err != nil {
		return err
	}
	was := i.servers.chosen()
	removed := i.servers.replace(list, i.intN(len(list)))
	for _, addr := range removed {
		i.net.Forget(addr)
	}
	if now := i.servers.chosen(); now != was {
		i.log.Info("name server changed", "from", was, "to", now)
		i.askRoutesNow(i.wanted())
	}
	return nil
}

// NameServers returns the name servers and how their connections are, sorted by address.
func (i *Instance) NameServers() []snapshot.Endpoint {
	states := i.connections()
	chosen := i.servers.chosen()
	list := i.servers.all()
	slices.Sort(list)
	out := make([]snapshot.Endpoint, 0, len(list))
	for _, addr := range list {
		e := snapshot.Endpoint{Addr: addr, InUse: addr == chosen}
		if s, ok := states[addr]; ok {
			e.Up, e.Err, e.RetryAt = s.Up, text(s.Err), s.RetryAt
		}
		out = append(out, e)
	}
	return out
}

// connections returns the state of each address by address.
func (i *Instance) connections() map[string]remoting.AddrState {
	states := map[string]remoting.AddrState{}
	for _, s := range i.net.States() {
		states[s.Addr] = s
	}
	return states
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
