package apachetest

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"
)

// CPU is the processor time that the member's JVM has used so far. It is an error where the
// system has no /proc.
func (j *JavaConsumer) CPU() (time.Duration, error) { return j.process.cpu() }

// BrokerCPU is the same of the broker.
func (c *Cluster) BrokerCPU() (time.Duration, error) {
	if c.broker == nil {
		return 0, fmt.Errorf("the broker is stopped")
	}
	return c.broker.cpu()
}

// tick is the unit of times in /proc: USER_HZ, which is 100 on all systems that Go knows.
const tick = 10 * time.Millisecond

func (p *process) cpu() (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	// The name in brackets may hold anything; what follows it are fields 3 and up.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 13 {
		return 0, fmt.Errorf("/proc has %d fields of process %d", len(fields), p.cmd.Process.Pid)
	}
	var sum time.Duration
	for _, f := range fields[11:13] { // utime, stime
		n, err := strconv.ParseInt(string(f), 10, 64)
		if err != nil {
			return 0, err
		}
		sum += time.Duration(n) * tick
	}
	return sum, nil
}
