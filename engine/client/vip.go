package client

import (
	"net"
	"strconv"

	"mqscope/engine/remoting"
)

// vipBelow is how far below its first port a broker has the one without pulls
// (Java: MixAll.brokerVIPChannel).
const vipBelow = 2

// lane is where a request other than a pull, a heartbeat or a goodbye to a broker goes.
func (i *Instance) lane(addr string) string {
	if !i.cfg.VIPChannel {
		return addr
	}
	host, port, err := net.SplitHostPort(addr)
	n, bad := strconv.Atoi(port)
	if err != nil || bad != nil || n <= vipBelow {
		return addr
	}
	return net.JoinHostPort(host, strconv.Itoa(n-vipBelow))
}

// oneWay sends a request to a broker that it does not answer.
func (i *Instance) oneWay(addr string, req *remoting.Command) error {
	return i.net.OneWay(i.lane(addr), req)
}

// forget closes the connections with a broker's address.
func (i *Instance) forget(addr string) {
	i.net.Forget(addr)
	if lane := i.lane(addr); lane != addr {
		i.net.Forget(lane)
	}
}
