//go:build linux && !race

package proxy

func wasWritten([]byte) {}

func wasRead([]byte) {}
