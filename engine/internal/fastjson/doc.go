// Package fastjson reads and writes the strings of JSON as Java's fastjson does: what RocketMQ's
// headers and bodies have in common. What stands between strings differs, and is left to packages
// remoting and protocol.
package fastjson
