package rebalance

import (
	"testing"
	"time"

	"mqscope/engine/event"
	"mqscope/engine/mq"
)

func answer(source event.OffsetSource, epoch uint64, offset int64, found bool, err error) event.Event {
	return event.OffsetRead{Queue: q(0), Epoch: epoch, Source: source, Offset: offset, Found: found, Err: err}
}

func TestStartOffset(t *testing.T) {
	retryTopic := "%RETRY%g"
	tests := []struct {
		name    string
		from    mq.ConsumeFromWhere
		topic   string
		answers []step // the question for the committed offset, #1, was asked
	}{
		{
			name:    "a committed offset is used whatever the policy says",
			from:    mq.FromFirstOffset,
			answers: []step{{0, answer(event.CommittedOffset, 1, 42, true, nil), "assign 0 #1 at 42 after 500ms"}},
		},
		{
			name:    "a committed offset of 0 is an offset",
			answers: []step{{0, answer(event.CommittedOffset, 1, 0, true, nil), "assign 0 #1 at 0 after 500ms"}},
		},
		{
			name: "LAST_OFFSET starts at the end of a topic",
			answers: []step{
				{0, answer(event.CommittedOffset, 1, 0, false, nil), "read 0 #1 max"},
				{0, answer(event.MaxOffset, 1, 900, true, nil), "assign 0 #1 at 900 after 500ms"},
			},
		},
		{
			name:    "LAST_OFFSET starts at the beginning of a retry topic",
			topic:   retryTopic,
			answers: []step{{0, answer(event.CommittedOffset, 1, 0, false, nil), "assign %RETRY%g/b/0 #1 at 0 after 500ms"}},
		},
		{
			name:    "FIRST_OFFSET starts at 0",
			from:    mq.FromFirstOffset,
			answers: []step{{0, answer(event.CommittedOffset, 1, 0, false, nil), "assign 0 #1 at 0 after 500ms"}},
		},
		{
			name: "TIMESTAMP starts where the broker finds the time",
			from: mq.FromTimestamp,
			answers: []step{
				{0, answer(event.CommittedOffset, 1, 0, false, nil), "read 0 #1 by time 08:30"},
				{0, answer(event.OffsetByTime, 1, 77, false, nil), "assign 0 #1 at 77 after 500ms"},
			},
		},
		{
			name:  "TIMESTAMP starts at the end of a retry topic",
			from:  mq.FromTimestamp,
			topic: retryTopic,
			answers: []step{
				{0, answer(event.CommittedOffset, 1, 0, false, nil), "read %RETRY%g/b/0 #1 max"},
				{0, answer(event.MaxOffset, 1, 3, true, nil), "assign %RETRY%g/b/0 #1 at 3 after 500ms"},
			},
		},
		{
			name: "a failed second question begins again with the first",
			answers: []step{
				{0, answer(event.CommittedOffset, 1, 0, false, nil), "read 0 #1 max"},
				{0, answer(event.MaxOffset, 1, 0, false, errBoom), "warn 0: start offset unknown (max): connection refused: not pulled, asked again"},
				{time.Second, event.Tick{}, "list t"},
				{time.Second, listed(ours...), "read 0 #2 committed"},
			},
		},
		{
			name: "an answer to another question than the one asked is ignored",
			answers: []step{
				{0, answer(event.MaxOffset, 1, 5, true, nil), ""},
				{0, answer(event.CommittedOffset, 9, 5, true, nil), ""},
				{0, answer(event.CommittedOffset, 1, 6, true, nil), "assign 0 #1 at 6 after 500ms"},
				{0, answer(event.CommittedOffset, 1, 7, true, nil), ""},
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			topic := "t"
			if tt.topic != "" {
				topic = tt.topic
			}
			r := newOne(func(c *Config) {
				c.Topics, c.From = []string{topic}, tt.from
				c.Timestamp = epoch.Add(8*time.Hour + 30*time.Minute)
			})
			r.Step(epoch, event.RouteChanged{Topic: topic, Known: true, Queues: []mq.MessageQueue{{Topic: topic, BrokerName: "b"}}})
			r.Step(epoch, wanted())
			r.Step(epoch, event.MembersListed{Topic: topic, Members: ours})
			for i, s := range tt.answers {
				if e, ok := s.e.(event.OffsetRead); ok {
					e.Queue.Topic = topic
					tt.answers[i].e = e
				}
			}
			play(t, r, tt.answers)
		})
	}
}

func TestP01OffsetQueryFailureIsNotZero(t *testing.T) {
	r := newOne()
	play(t, r, []step{
		{0, route(1), ""},
		{0, wanted(), "list t"},
		{0, listed(ours...), "info t: +1 -0 queues, AVG over 1 member\n announce t\n read 0 #1 committed"},
		// The query hangs; two rebalances pass meanwhile.
		{20 * time.Second, wanted(), "list t"},
		{20 * time.Second, listed(ours...), ""},
		{40 * time.Second, wanted(), "list t"},
		{40 * time.Second, listed(ours...), ""},
		{60 * time.Second, answer(event.CommittedOffset, 1, 0, false, errBoom), "warn 0: start offset unknown (committed): connection refused: not pulled, asked again\n list t"},
		{60 * time.Second, listed(ours...), "read 0 #2 committed"},
		{61 * time.Second, answer(event.CommittedOffset, 2, 0, false, errBoom), ""}, // told before
		{62 * time.Second, event.Tick{}, "list t"},
		{62 * time.Second, listed(ours...), "read 0 #3 committed"},
		{62 * time.Second, answer(event.CommittedOffset, 3, 500, true, nil), "assign 0 #3 at 500 after 500ms"},
	})
}

func TestP02NegativeOffsetIsNeverUsed(t *testing.T) {
	for _, source := range []event.OffsetSource{event.CommittedOffset, event.MaxOffset} {
		r := newOne()
		r.Step(epoch, route(1))
		r.Step(epoch, wanted())
		r.Step(epoch, listed(ours...))
		if source == event.MaxOffset {
			play(t, r, []step{{0, answer(event.CommittedOffset, 1, -1, false, nil), "read 0 #1 max"}})
		}
		play(t, r, []step{
			{0, answer(source, 1, -1, true, nil), "warn 0: start offset unknown (" + source.String() + "): the broker answered -1: not pulled, asked again"},
			{time.Second, event.Tick{}, "list t"},
			{time.Second, listed(ours...), "read 0 #2 committed"},
			{time.Second, answer(event.CommittedOffset, 2, 8, true, nil), "assign 0 #2 at 8 after 500ms"},
		})
	}
}

func TestAnAnswerForAQueueThatWasTakenAwayIsIgnored(t *testing.T) {
	r := newOne()
	play(t, r, []step{
		{0, route(2), ""},
		{0, wanted(), "list t"},
		{0, listed(ours...), "info t: +2 -0 queues, AVG over 1 member\n announce t\n read 0 #1 committed\n read 1 #2 committed"},
		{time.Second, wanted(), "list t"},
		{time.Second, listed(us...), "info t: +0 -1 queues, AVG over 2 members\n announce t"},
		{time.Second, found(1, 2, 5), ""},
		{2 * time.Second, wanted(), "list t"},
		{2 * time.Second, listed(ours...), "info t: +1 -0 queues, AVG over 1 member\n announce t\n read 1 #3 committed"},
		{2 * time.Second, found(1, 2, 5), ""},
		{2 * time.Second, found(1, 3, 6), "assign 1 #3 at 6 after 500ms"},
	})
}
