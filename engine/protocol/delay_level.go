// Contract: delay levels: which durations a broker's messageDelayLevel text stands for, and
// when a message of a level is due. Levels count from 1. Reading follows Java: numbers with
// one of the units s, m, h and d, separated by single spaces; anything else is refused whole.

package protocol

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// DefaultDelayLevels is a broker's messageDelayLevel as it comes (Java: MessageStoreConfig).
const DefaultDelayLevels = "1s 5s 10s 30s 1m 2m 3m 4m 5m 6m 7m 8m 9m 10m 20m 30m 1h 2h"

// DelayLevels is the duration of each level, level 1 first.
type DelayLevels []time.Duration

// ParseDelayLevels reads a messageDelayLevel text (Java: ScheduleMessageService.parseDelayLevel).
func ParseDelayLevels(text string) (DelayLevels, error) {
	parts := strings.Split(text, " ")
	for len(parts) > 0 && parts[len(parts)-1] == "" { // as Java's split does
		parts = parts[:len(parts)-1]
	}
	if len(parts) == 0 {
		return nil, fmt.Errorf("delay levels are empty: want something like %q", "1s 5s 1m")
	}
	levels := make(DelayLevels, 0, len(parts))
	for _, part := range parts {
		d, ok := parseDelay(part)
		if !ok {
			return nil, fmt.Errorf("delay level %d is %s: want a whole number and one of s, m, h, d, "+
				"separated by single spaces", len(levels)+1, clipped(part))
		}
		levels = append(levels, d)
	}
	return levels, nil
}

func parseDelay(part string) (time.Duration, bool) {
	if len(part) < 2 {
		return 0, false
	}
	var unit time.Duration
	switch part[len(part)-1] {
	case 's':
		unit = time.Second
	case 'm':
		unit = time.Minute
	case 'h':
		unit = time.Hour
	case 'd':
		unit = 24 * time.Hour
	default:
		return 0, false
	}
	n, err := strconv.ParseInt(part[:len(part)-1], 10, 64)
	if err != nil || n > math.MaxInt64/int64(unit) || n < math.MinInt64/int64(unit) {
		return 0, false
	}
	return time.Duration(n) * unit, true
}

// Clamp is the level that a broker takes for the one asked for: the highest when it is over.
func (l DelayLevels) Clamp(level int32) int32 { return min(level, int32(len(l))) }

// DeliverTime is when a message of a level stored at storeTime is due, both in ms. Levels that
// do not exist wait a second (Java: ScheduleMessageService.computeDeliverTimestamp).
func (l DelayLevels) DeliverTime(level int32, storeTime int64) int64 {
	if level < 1 || int(level) > len(l) {
		return storeTime + 1000
	}
	return storeTime + l[level-1].Milliseconds()
}

// DelayQueueID is the queue of SCHEDULE_TOPIC_XXXX in which messages of a level wait (Java:
// ScheduleMessageService.delayLevel2QueueId).
func DelayQueueID(level int32) int32 { return level - 1 }
