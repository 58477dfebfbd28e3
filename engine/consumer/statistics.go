package consumer

import (
	"time"

	"mqscope/engine/processqueue"
	"mqscope/engine/protocol"
)

const (
	// Counters are sampled every statsEvery; a minute is the span of the newest statsKept
	// samples. Every statsHourly samples, ten minutes, one is kept for the hour
	// (Java: StatsItem).
	statsEvery  = 10 * time.Second
	statsKept   = 7
	statsHourly = 60
)

// statSample is one counter at some moment: how often something happened and the sum of its values.
type statSample struct {
	at    time.Time
	times int64
	value int64
}

// statSpan is what happened between two samples.
type statSpan struct {
	lasted time.Duration
	times  int64
	value  int64
}

// perSecond is the values per second.
func (s statSpan) perSecond() float64 {
	if s.lasted <= 0 {
		return 0
	}
	return float64(s.value) / s.lasted.Seconds()
}

// average is the value per time it happened.
func (s statSpan) average() float64 {
	if s.times <= 0 {
		return 0
	}
	return float64(s.value) / float64(s.times)
}

// statItem is a counter and its last samples.
type statItem struct {
	now          statSample
	minute, hour []statSample
}

func (i *statItem) add(times, value int64) {
	i.now.times += times
	i.now.value += value
}

func (i *statItem) sample(now time.Time, hourly bool) {
	i.now.at = now
	i.minute = keepSample(i.minute, i.now, statsEvery)
	if hourly {
		i.hour = keepSample(i.hour, i.now, statsHourly*statsEvery)
	}
}

// keepSample appends a sample and lets the oldest ones go. The first one stands behind one without
// counts, so that what it has counts at once.
func keepSample(list []statSample, c statSample, every time.Duration) []statSample {
	if len(list) == 0 {
		list = append(list, statSample{at: c.at.Add(-every)})
	}
	list = append(list, c)
	return list[max(0, len(list)-statsKept):]
}

// lastMinute is what the samples of the minute span.
func (i *statItem) lastMinute() statSpan { return between(i.minute) }

// lastHour spans the hour up to the newest sample. (In Java it ends with the last full ten
// minutes: nothing is told of the first ten.)
func (i *statItem) lastHour() statSpan {
	if len(i.minute) == 0 {
		return statSpan{}
	}
	newest := i.minute[len(i.minute)-1]
	oldest := statSample{at: i.minute[0].at} // of a counter younger than ten minutes
	if len(i.hour) > 0 {
		oldest = i.hour[0]
	}
	return between([]statSample{oldest, newest})
}

func between(list []statSample) statSpan {
	if len(list) == 0 {
		return statSpan{}
	}
	first, last := list[0], list[len(list)-1]
	return statSpan{last.at.Sub(first.at), last.times - first.times, last.value - first.value}
}

// topicStats are the statistics of one topic of the group (Java: ConsumerStatsManager). Times
// are counted in nanoseconds, which Java counts in whole milliseconds.
type topicStats struct {
	pullTime, pulled         statItem // answers with messages: time from sending; messages
	callTime, passed, failed statItem // listener calls; messages by result
}

// pull counts an answer that brought messages, of which n were wanted.
func (s *topicStats) pull(took time.Duration, n int) {
	s.pullTime.add(1, int64(took))
	if n > 0 {
		s.pulled.add(1, int64(n))
	}
}

// consumed counts what listeners did since the last time.
func (s *topicStats) consumed(t processqueue.Tally) {
	s.callTime.add(t.Calls, int64(t.Busy))
	if t.OK > 0 {
		s.passed.add(1, t.OK)
	}
	if t.Failed > 0 {
		s.failed.add(1, t.Failed)
	}
}

func (s *topicStats) items() [5]*statItem {
	return [...]*statItem{&s.pullTime, &s.pulled, &s.callTime, &s.passed, &s.failed}
}

// status are the figures as tools are told (Java: ConsumerStatsManager.consumeStatus).
func (s *topicStats) status() protocol.ConsumeStatus {
	calls := s.callTime.lastMinute()
	if calls.value == 0 {
		calls = s.callTime.lastHour()
	}
	millis := float64(time.Millisecond)
	return protocol.ConsumeStatus{
		PullRT: s.pullTime.lastMinute().average() / millis, PullTPS: s.pulled.lastMinute().perSecond(),
		ConsumeRT: calls.average() / millis, ConsumeOKTPS: s.passed.lastMinute().perSecond(),
		ConsumeFailedTPS: s.failed.lastMinute().perSecond(), ConsumeFailedMsgs: s.failed.lastHour().value,
	}
}

// statistics are those of all topics. One owner feeds and samples them.
type statistics struct {
	topics  map[string]*topicStats
	samples int
}

// of returns the statistics of a topic, making them.
func (s *statistics) of(topic string) *topicStats {
	t := s.topics[topic]
	if t == nil {
		t = &topicStats{}
		if s.topics == nil {
			s.topics = map[string]*topicStats{}
		}
		s.topics[topic] = t
	}
	return t
}

// sample is to be called every statsEvery.
func (s *statistics) sample(now time.Time) {
	s.samples++
	for _, t := range s.topics {
		for _, i := range t.items() {
			i.sample(now, s.samples%statsHourly == 0)
		}
	}
}

// status are the figures of a topic, zeros where nothing was counted.
func (s *statistics) status(topic string) protocol.ConsumeStatus {
	if t := s.topics[topic]; t != nil {
		return t.status()
	}
	return protocol.ConsumeStatus{}
}
