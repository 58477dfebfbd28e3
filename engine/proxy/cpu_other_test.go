//go:build !unix

package proxy

import "time"

func cpuUsed() (time.Duration, bool) { return 0, false }
