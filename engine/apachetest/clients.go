package apachetest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Admin runs one mqadmin command, as in Admin(ctx, "topicStatus", "-t", "orders"), and
// returns what it prints. The tool ends with code 0 even when it fails; the exception it
// prints then makes the error. It takes 1 to 5 s.
func (c *Cluster) Admin(ctx context.Context, args ...string) (string, error) {
	var stderr bytes.Buffer
	cmd := c.command(ctx, append([]string{"admin", c.NameServer}, args...)...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	said := stderr.String()
	if err != nil {
		return string(out), fmt.Errorf("mqadmin %s: %w\n%s%s", strings.Join(args, " "), err, out, said)
	}
	if text := string(out) + said; strings.Contains(text, "SubCommandException") {
		return string(out), fmt.Errorf("mqadmin %s: %s", strings.Join(args, " "), text)
	}
	return string(out), nil
}

// Load is what Produce sends: messages First to First+Count-1. Message n goes to queue
// n mod Q, has the key Keys+n, and a body that starts with "n;".
type Load struct {
	Topic      string // made with Queues queues if there is no route to it
	Count      int
	First      int
	Size       int    // of a body in bytes, 0 = 128
	Batch      int    // messages in one request, 0 = 1; 1 with DelayLevel
	Queues     int    // 0 = 4
	Tag        string // of each message
	Keys       string // prefix, "" = "k"
	Property   string // name:value, on each message
	DelayLevel int    // 0 = none
}

// Ack is the broker's answer to one request: message First lies in Queue at Offset, then
// First+Step at Offset+1, and so on, Count of them.
type Ack struct {
	Broker      string
	Queue       int
	First, Step int
	Count       int
	Offset      int64
	Status      string // SEND_OK
}

// Sent is what Produce did.
type Sent struct {
	Acks      []Ack
	Count     int           // messages that were acknowledged
	Busy      int           // requests sent again because the broker answered SYSTEM_BUSY
	Uncertain int           // sent again after an outcome not known: they may be stored twice
	Took      time.Duration // first request to last answer
}

// Produce sends messages with Apache's producer and returns when all are acknowledged. It
// keeps trying a request for 60 s, also while the broker is busy or away.
func (c *Cluster) Produce(ctx context.Context, l Load) (Sent, error) {
	args := []string{"produce", "namesrv=" + c.NameServer, "topic=" + l.Topic, "count=" + strconv.Itoa(l.Count)}
	add := func(name, value string) {
		if value != "" && value != "0" {
			args = append(args, name+"="+value)
		}
	}
	add("first", strconv.Itoa(l.First))
	add("size", strconv.Itoa(l.Size))
	add("batch", strconv.Itoa(l.Batch))
	add("queues", strconv.Itoa(l.Queues))
	add("delay", strconv.Itoa(l.DelayLevel))
	add("tag", l.Tag)
	add("keys", l.Keys)
	add("property", l.Property)
	var stderr bytes.Buffer
	cmd := c.command(ctx, args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return Sent{}, fmt.Errorf("produce to %s: %w\n%s", l.Topic, err, stderr.String())
	}
	return readSent(out)
}

// readSent reads the lines of Produce.java.
func readSent(out []byte) (Sent, error) {
	var s Sent
	for line := range bytes.Lines(out) {
		var l struct {
			Event           string
			Busy, Uncertain int
			Ms              int64
			Ack
		}
		if err := json.Unmarshal(line, &l); err != nil {
			return Sent{}, fmt.Errorf("line %q of the producer: %w", line, err)
		}
		switch l.Event {
		case "ack":
			s.Acks = append(s.Acks, l.Ack)
			s.Count += l.Count
		case "done":
			s.Busy, s.Uncertain, s.Took = l.Busy, l.Uncertain, time.Duration(l.Ms)*time.Millisecond
		}
	}
	return s, nil
}
