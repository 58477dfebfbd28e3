package route

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
)

const maxHostBytes = 255

// SplitAddr takes apart the address of a server, host:port. An IPv6 host may stand with or
// without brackets, as brokers announce both. The host is a name of letters, digits and
// . - _ or an IP address, the port 1 to 65535; all else is an error that says what is wrong.
func SplitAddr(addr string) (host string, port uint16, err error) {
	i := strings.LastIndexByte(addr, ':')
	if i < 0 {
		return "", 0, fmt.Errorf("address %q has no port: write host:port", addr)
	}
	host = addr[:i]
	if n := len(host); n > 2 && host[0] == '[' && host[n-1] == ']' {
		host = host[1 : n-1]
	}
	n, err := strconv.ParseUint(addr[i+1:], 10, 16)
	if err != nil || n == 0 || addr[i+1] == '+' {
		return "", 0, fmt.Errorf("address %q has the port %q: a port is 1 to 65535", addr, addr[i+1:])
	}
	if err := checkHost(host); err != nil {
		return "", 0, fmt.Errorf("address %q: %w", addr, err)
	}
	return host, uint16(n), nil
}

// NormalAddr is addr in the one spelling that connections are known by: IPv6 hosts in
// brackets, the port without leading zeros.
func NormalAddr(addr string) (string, error) {
	host, port, err := SplitAddr(addr)
	if err != nil {
		return "", err
	}
	return net.JoinHostPort(host, strconv.Itoa(int(port))), nil
}

func checkHost(host string) error {
	if host == "" {
		return errors.New("no host before the port")
	}
	if len(host) > maxHostBytes {
		return fmt.Errorf("the host is %d bytes long: at most %d are allowed", len(host), maxHostBytes)
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return nil
	}
	for i := range len(host) {
		if !hostByte(host[i]) {
			return fmt.Errorf("the host has the character %q", host[i])
		}
	}
	// Resolvers read 2852039166 and 0xa9fea9fe as IPv4 addresses, which would slip past
	// an address policy.
	last := host[strings.LastIndexByte(strings.TrimSuffix(host, "."), '.')+1:]
	if _, err := strconv.ParseUint(strings.TrimSuffix(last, "."), 0, 64); err == nil {
		return errors.New("the host ends in a number but is no IP address")
	}
	return nil
}

func hostByte(c byte) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		return true
	}
	return c == '.' || c == '-' || c == '_'
}

// DefaultPolicy refuses hosts that no broker has a reason to announce: link-local addresses
// (cloud metadata services among them), multicast and the unspecified address. Names pass;
// what they resolve to is not looked at.
func DefaultPolicy(host string) error {
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return nil //nolint:nilerr // a name, not an address
	}
	ip = ip.Unmap().WithZone("")
	switch {
	case ip.IsLinkLocalUnicast():
		return errors.New("a link-local address")
	case ip.IsMulticast():
		return errors.New("a multicast address")
	case ip.IsUnspecified():
		return errors.New("the unspecified address")
	}
	return nil
}
