package consumer

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

func TestASeriesHasASlotForEachTenSeconds(t *testing.T) {
	start := time.Unix(1_000_000, 0).Truncate(slotFor)
	var p pullSeries
	p.add(start, &event.PullDone{Status: mq.Found, Took: 3 * time.Millisecond}, false)
	p.add(start.Add(time.Second), &event.PullDone{Status: mq.Found, Took: 600 * time.Millisecond}, false)
	p.add(start.Add(25*time.Second), &event.PullDone{Status: mq.NoNewMsg, Took: 15 * time.Second}, true)
	p.add(start.Add(26*time.Second), &event.PullDone{Status: mq.PullFailed, Err: fmt.Errorf("pull: %w", remoting.ErrTimeout)}, false)
	p.add(start.Add(27*time.Second), &event.PullDone{Status: mq.PullFailed, Err: errors.New("refused")}, false)
	p.add(start.Add(28*time.Second), &event.PullDone{Status: mq.PullFailed, Code: int32(protocol.SystemBusy), Err: errors.New("busy")}, false)
	s := p.picture(start.Add(29 * time.Second))
	if len(s.Slots) != 3 || !s.Until.Equal(start.Add(30*time.Second)) {
		t.Fatalf("%d slots until %v, want 3 until %v", len(s.Slots), s.Until, start.Add(30*time.Second))
	}
	if s.Slots[0].Heat != [5]uint32{1, 0, 0, 0, 1} || s.Slots[0].Max != 600*time.Millisecond {
		t.Errorf("first slot %+v", s.Slots[0])
	}
	if s.Slots[1].N() != 0 || s.Slots[1].Held != 0 {
		t.Errorf("a slot without pulls is %+v", s.Slots[1])
	}
	last := s.Slots[2]
	if last.Held != 1 || last.HeldTime != 15*time.Second || last.Timeouts != 1 || last.Exceptions != 1 || last.FlowControl != 1 || last.N() != 0 {
		t.Errorf("last slot %+v", last)
	}
	if s.Total.N != 2 || s.Total.HeldN != 1 || !s.WorstAt.Equal(start.Add(time.Second)) {
		t.Errorf("total %+v, worst at %v", s.Total, s.WorstAt)
	}
}

func TestASeriesForgetsWhatIsOlderThanTenMinutes(t *testing.T) {
	start := time.Unix(1_000_000, 0).Truncate(slotFor)
	var p pullSeries
	for i := range 200 {
		p.add(start.Add(time.Duration(i)*slotFor), &event.PullDone{Status: mq.Found, Took: time.Duration(i+1) * time.Millisecond}, false)
	}
	s := p.picture(start.Add(199 * slotFor))
	if len(s.Slots) != slotsKept || s.Slots[0].Max != 141*time.Millisecond || s.Slots[slotsKept-1].Max != 200*time.Millisecond {
		t.Errorf("%d slots from %v to %v, want the last 60", len(s.Slots), s.Slots[0].Max, s.Slots[len(s.Slots)-1].Max)
	}
	if s.Total.N > slotsKept+2 {
		t.Errorf("quantiles are over %d answers, want those of the last ten minutes at most", s.Total.N)
	}
	if later := p.picture(start.Add(400 * slotFor)); later.Slots[0].N()+later.Slots[59].N() != 0 {
		t.Error("after a long silence old slots are shown")
	}
}
