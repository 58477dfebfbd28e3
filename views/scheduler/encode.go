package scheduler

import (
	"strconv"
	"strings"

	"mqscope/views"
)

const (
	taskPrefix = "task\x00"
	linePrefix = "line\x00"
)

// encodeTask writes a task into the argument of a click, encodeLine a decision.
func encodeTask(t Target) string {
	return taskPrefix + strconv.FormatUint(t.ID, 10) + "\x00" + views.EncodeQueue(t.Queue)
}

func encodeLine(step uint64) string { return linePrefix + strconv.FormatUint(step, 10) }

func decodeTask(s string) (t Target, ok bool) {
	rest, ok := strings.CutPrefix(s, taskPrefix)
	id, queue, _ := strings.Cut(rest, "\x00")
	n, err := strconv.ParseUint(id, 10, 64)
	q, named := views.DecodeQueue(queue)
	return Target{ID: n, Queue: q}, ok && err == nil && named
}

func decodeLine(s string) (step uint64, ok bool) {
	rest, ok := strings.CutPrefix(s, linePrefix)
	n, err := strconv.ParseUint(rest, 10, 64)
	return n, ok && err == nil
}
