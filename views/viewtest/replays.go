package viewtest

import (
	"time"

	"mqscope/engine/snapshot"
)

// Replayed is s as a recording shows it: of twenty minutes, 18,244 of 90,311 events have happened
// in it at the time of s.
func Replayed(s *snapshot.Snapshot) *snapshot.Snapshot {
	n := *s
	n.Source.Kind, n.Mode = snapshot.Recorded, snapshot.Mode{ReadOnly: true}
	from := s.At.Add(-(3*time.Minute + 41*time.Second))
	at := func(part float64) time.Time { return from.Add(time.Duration(part * float64(20*time.Minute))) }
	q := func(topic, broker string, id int32) snapshot.MessageQueue {
		return snapshot.MessageQueue{Topic: topic, BrokerName: broker, QueueID: id}
	}
	moment := func(event uint64, after time.Duration, kind string, queue snapshot.MessageQueue, level snapshot.Level, words string) snapshot.Moment {
		return snapshot.Moment{Event: event, At: s.At.Add(after), Kind: kind, Queue: queue, Level: level, Words: words, Group: "order-svc"}
	}
	ms := time.Millisecond
	n.Replay = snapshot.Replay{
		Known: true, File: "/home/me/orders.mqrec", From: from, To: at(1), Event: 18_244, Total: 90_311, At: s.At, Told: told(s),
		Speed: 4, Searched: 90_311,
		Bookmarks: []snapshot.Bookmark{{Number: 2, Event: 16_000, At: at(0.12), Note: "before it stops"}, {Number: 1, Event: 18_245, At: s.At.Add(ms), Note: "the lock \x1b[2J"}},
		Interests: []snapshot.Interest{
			{Kind: snapshot.InterestFlow, Event: 20_001, At: at(0.25)}, {Kind: snapshot.InterestError, Event: 60_000, At: at(0.7)},
			{Kind: snapshot.InterestRebalance, Event: 60_100, At: at(0.72)},
		},
		Near: []snapshot.Moment{
			moment(18_243, -20*ms, "pull.sent", q("订单-created", "broker-a", 3), snapshot.Debug, "offset 1,231,416, 32 at most"),
			moment(18_244, 0, "pull.flow", q("订单-created", "broker-a", 3), snapshot.Warn, "span 2004 > 2000, put back 50ms"),
			moment(18_245, ms, "lock.renew", q("订单-created", "broker-b", 0), snapshot.Warn, "refused (owner unknown)"),
			moment(18_246, 20*ms, "pull.found", q("pay", "broker-a", 0), snapshot.Debug, "32 msgs 812 KiB rt 3.1ms"),
			moment(18_249, 21*ms, "remote.lost\x1b", snapshot.MessageQueue{}, snapshot.Error, "connection reset \x1b]0;x\a by peer"),
		},
	}
	n.Replay.Near[1].Interest = snapshot.InterestFlow
	n.Replay.Near[4].Where, n.Replay.Near[4].Interest = "broker-b", snapshot.InterestError
	return &n
}

// told is the number of the first entry of the time of s: its event told it and those behind it.
func told(s *snapshot.Snapshot) (first uint64) {
	for i := len(s.Events.Entries) - 1; i >= 0 && s.Events.Entries[i].At.Equal(s.At); i-- {
		first = s.Events.Entries[i].Seq
	}
	return first
}
